"""The architecture, read from the source: the layers of imports, where games are named, and names with one meaning."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from pathlib import Path

import pytest

from conftest import PATIENCE, ROOT

PACKAGE = ROOT / "src" / "digitduels"
PAGE = PACKAGE / "web" / "page"

# From bottom to top: a module imports only from layers before its own, or from its own package.
LAYERS = [
    "text",
    "files",
    "signals",
    "sentence",
    "options",
    "notation",
    "core",
    "asking",
    "position_json",
    "pool",
    "games",
    "rule_sets",
    "match",
    "record",
    "manual",
    "solver",
    "players",
    "study",
    "executors",
    "arena",
    "lab",
    "adapters",
    "evals",
    "plots",
    "web",
    "cli",
]
STRANGERS = {"adapters", "evals", "web"}  # these never import each other
STANDARD_LIBRARY_ONLY = set(LAYERS[: LAYERS.index("manual") + 1])

# Where a game may be named, by module and variable: tables with a fallback for unknown games.
GAME_TABLES = {
    ("players.levels", "TUNING"),
    ("rule_sets", "EDITIONS"),
    ("study.ideas", "IDEAS"),
    ("evals.suite", "RULE_SETS"),  # the rule sets of the benchmark
    ("evals.suite_v2", "SALTS"),  # those of its second version
    ("web.positions.looks", "LOOKS"),
    ("web.classes.lessons", "PRESETS"),
    ("web.classes.lessons", "PLANS"),
    ("adapters.ggbench", "name"),  # an environment of gg-bench is one game
}

# These modules must have the name of their command or route.
FACES = ("cli.commands.", "web.routes.")

# Two packages with the same structure use the same names for the same parts.
ALIKE = ("web.rooms.", "web.classes.")

# Constants with the same meaning in each module: the version of its format, the subcommands and the examples of a
# command, the endpoints of a group of routes.
SAME_MEANING = {"VERSION", "COMMANDS", "EXAMPLES", "ENDPOINTS"}

# The types of JSON are named after what they describe.
JSON_TYPES = (
    "web.positions.answers",
    "web.rooms.answers",
    "web.classes.answers",
    "web.classes.lessons",
    "web.description",
)

# Modules of packages that look alike.
LOOK_ALIKES = {"answers", "errors", "positions"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package, parsed, by its name within the package; a package has the name of its folder."""
    parsed = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        parsed[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text(encoding="utf-8"))
    return parsed


def layer(module: str) -> str:
    return module.split(".")[0]


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a module that are executed; leaves out imports for type checkers."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from nodes(child)


def imports() -> Iterator[tuple[str, str]]:
    """Each module of the package with each module that it imports, anywhere in it."""
    for module, tree in modules().items():
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                yield from ((module, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module} imports relatively"
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    yield module, name if own(name) in modules() else str(node.module)


def own(name: str) -> str | None:
    """The name of an imported module within our package; None if it is another package's."""
    return name.removeprefix("digitduels").removeprefix(".") if name.split(".")[0] == "digitduels" else None


def test_every_module_has_a_layer() -> None:
    assert {layer(module) for module in modules()} - {"", "__main__"} <= set(LAYERS)


def test_imports_run_downwards() -> None:
    for module, imported in imports():
        target = own(imported)
        if not target or layer(module) in ("", "__main__"):
            continue
        here, there = layer(module), layer(target)
        assert LAYERS.index(there) <= LAYERS.index(here), f"{module} imports {imported}"
        assert here == there or not {here, there} <= STRANGERS, f"{module} imports {imported}"


WEB_PACKAGES = {"fastapi", "msgspec", "starlette", "uvicorn"}
SERVICES = {"web.rooms", "web.classes", "web.streams", "web.workers"}
# Within the server: which modules import nothing of which other modules and packages.
SEPARATE = {
    "web.positions": {"web.http", "web.routes", "web.app", *SERVICES, *WEB_PACKAGES},
    "web.http": {"web.positions", "web.routes", "web.app", *SERVICES},
    "web.rooms": {"web.http", "web.routes", "web.app", "starlette"},
    "web.classes": {"web.http", "web.routes", "web.app", "starlette"},
    "web.streams": {"web.http", "web.rooms", "web.classes", "web.routes", "web.app", *WEB_PACKAGES},
    "web.workers": {"web.http", "web.routes", "web.app", *WEB_PACKAGES},
}


def test_the_parts_of_the_server_do_not_know_each_other() -> None:
    for module, imported in imports():
        name = own(imported) or imported
        for part, strangers in SEPARATE.items():
            if module == part or module.startswith(f"{part}."):
                known = {stranger for stranger in strangers if name == stranger or name.startswith(f"{stranger}.")}
                assert not known, f"{module} imports {imported}"


def test_there_are_no_circular_imports() -> None:
    graph: dict[str, set[str]] = {module: set() for module in modules()}
    for module, imported in imports():
        target = own(imported)
        if target is not None and target != module:
            graph[module].add(target)
    assert sum(map(len, graph.values())) > len(graph)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(", imported by ".join(module or "digitduels" for module in error.args[1]))


def test_the_rules_need_nothing_but_the_standard_library() -> None:
    for module, imported in imports():
        if layer(module) in STANDARD_LIBRARY_ONLY:
            root = imported.split(".")[0]
            assert root == "digitduels" or root in sys.stdlib_module_names, f"{module} imports {imported}"


def test_no_layer_below_the_interfaces_prints_or_reads() -> None:
    for module, tree in modules().items():
        if layer(module) == "cli":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("print", "input"), f"{module}, line {node.lineno}"


# The rules without checks

UNCHECKED = {"solver", "players", "study", "lab", "adapters"}  # these take their moves from the rules themselves


def test_a_move_from_outside_goes_through_the_checks() -> None:
    for module, tree in modules().items():
        allowed = {"core": ("after", "permitted", "forbids"), "games": ("after", "permitted")}.get(layer(module), ())
        allowed = ("after", "permitted") if layer(module) in UNCHECKED else allowed
        if module == "solver.factoring":  # it compares the rules themselves with what was compiled from them
            allowed = ("after", "permitted", "forbids")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = node.func.attr
                assert name not in ("after", "permitted", "forbids") or name in allowed, f"{module}, {node.lineno}"


# Only the file of a game knows the game.


@cache
def game_names() -> re.Pattern[str]:
    """All names of the games: of the file, the id, the class and the title."""
    files = [path.stem for path in (PACKAGE / "games").glob("*.py") if path.stem != "__init__"]
    assert "number_duel" in files
    titles = [file.replace("_", " ").title() for file in files]
    ids = [file.replace("_", "-") for file in files]
    classes = [title.replace(" ", "") for title in titles]
    return re.compile(rf"\b({'|'.join([*files, *ids, *titles, *classes])})\b")


def strings(tree: ast.Module, tables: set[str]) -> Iterator[ast.Constant]:
    """The string constants of a module, without docstrings, default arguments and the listed tables."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(ast.Constant(str())):  # a docstring, or the description of an attribute
                left_out.add(id(node.value))
            case ast.arguments():
                defaults = [*node.defaults, *(default for default in node.kw_defaults if default is not None)]
                left_out |= {id(part) for default in defaults for part in ast.walk(default)}
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                named = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
                if named & tables and node.value is not None:
                    left_out |= {id(part) for part in ast.walk(node.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node


def named_games(module: str, tree: ast.Module) -> list[str]:
    """The places where the code of a module names a game, except in examples of command lines."""
    tables = {variable for index, variable in GAME_TABLES if index == module}
    return [
        f"{module}, line {node.lineno}: {node.value!r}"
        for node in strings(tree, tables)
        if game_names().search(str(node.value)) and not str(node.value).startswith("duels ")
    ]


def test_no_code_outside_the_games_names_a_game() -> None:
    found = [
        line for module, tree in modules().items() if layer(module) != "games" for line in named_games(module, tree)
    ]
    assert not found, "\n".join(found)


def test_no_code_outside_the_games_imports_one() -> None:
    for module, imported in imports():
        target = own(imported) or ""
        assert not target.startswith("games."), f"{module} imports {imported}"


@pytest.mark.parametrize(
    "code",
    [
        'if game.id == "number-duel": pass',
        'if type(game).__name__ in ("NumberQuest",): pass',
        'if "Equation Duel" == game.title: pass',
        'match game.id:\n    case "number-duel": pass',
        'SPECIAL = {"operation-target": 1}',
        'import_module("digitduels.games.number_duel")',
    ],
)
def test_code_that_branches_on_a_game_is_detected(code: str) -> None:
    assert named_games("somewhere", ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        '"""Such as number-duel."""',
        'def play(game: str = "number-duel") -> None:\n    """Plays number-duel or another."""',
        'command(examples=["duels play number-duel"])',
    ],
)
def test_examples_and_defaults_may_name_a_game(code: str) -> None:
    assert not named_games("somewhere", ast.parse(code))


def test_every_table_that_may_name_games_names_one() -> None:
    for module, variable in GAME_TABLES:
        tree = modules()[module]
        bare = {id(node) for node in strings(tree, {variable})}
        named = [node.value for node in strings(tree, set()) if id(node) not in bare]
        assert any(game_names().search(str(value)) for value in named), f"{module}.{variable}"


def test_the_page_names_no_game() -> None:
    sources = [path for kind in ("*.js", "*.ts", "*.html", "*.css", "*.svg") for path in PAGE.rglob(kind)]
    assert sources
    for path in sources:
        found = game_names().search(path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(PAGE)}: {found}"


# One name, one meaning.


def bare(name: str) -> str:
    """A name without the endings that make near twins: worker, workers and working."""
    return re.sub(r"(?<=\w{4})(ings?|[eo]rs?|s)$", "", name)


def test_packages_that_should_look_alike_have_the_same_modules() -> None:
    parts = [{module.removeprefix(package) for module in modules() if module.startswith(package)} for package in ALIKE]
    assert set.intersection(*parts) == {"acts", "answers", "live", "service", "state"}


def test_no_two_modules_have_nearly_the_same_name() -> None:
    assert bare("worker") == bare("workers") == bare("working")
    named = [module for module in modules() if "__main__" not in module and not module.startswith((*FACES, *ALIKE))]
    twins = [
        f"{one} and {other}"
        for one, other in combinations(named, 2)
        if bare(one.rpartition(".")[2]) == bare(other.rpartition(".")[2])
        and other.rpartition(".")[0] != one  # a package may contain the thing that it is named after
        and one.rpartition(".")[2] not in LOOK_ALIKES
    ]
    assert not twins, twins


def public_names() -> Iterator[tuple[str, str]]:
    """The public constants and classes of every module except the games, with their modules."""
    for module, tree in modules().items():
        if layer(module) == "games" or module in JSON_TYPES:
            continue
        for node in tree.body:
            match node:
                case ast.ClassDef(name) if not name.startswith("_"):
                    yield name, module
                case ast.Assign() | ast.AnnAssign():
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for part in (part for target in targets for part in ast.walk(target)):
                        if isinstance(part, ast.Name) and re.fullmatch("[A-Z][A-Z0-9_]+", part.id):
                            yield part.id, module


def test_a_public_constant_or_class_has_one_meaning() -> None:
    homes = defaultdict(set)
    for name, module in public_names():
        package = next((package for package in ALIKE if module.startswith(package)), "")
        homes[name].add(module.replace(package, "web.*.") if package else module)
    assert homes.keys() > SAME_MEANING
    twice = {name: sorted(modules) for name, modules in homes.items() if len(modules) > 1 and name not in SAME_MEANING}
    assert not twice, "\n".join(f"{name}: {', '.join(modules)}" for name, modules in sorted(twice.items()))


# Heavy imports


@pytest.mark.parametrize(
    ("arguments", "answers"),
    [(["--help"], ""), (["games"], ""), (["lab", "--help"], ""), (["play", "number-duel"], "+5\n+10\nrules\nx10\n")],
)
def test_heavy_modules_are_not_imported_at_startup_or_for_two_people(
    home: Path, arguments: list[str], answers: str
) -> None:
    script = (
        "import sys; from digitduels.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], input=answers, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    modules = set(result.stderr.split())
    assert not {"numpy", "numba", "rich", "starlette", "msgspec"} & modules
    # Only the command that runs is imported, and `--help` imports none.
    prefix = "digitduels.cli.commands."
    loaded = [name.removeprefix(prefix) for name in modules if name.startswith(prefix)]
    assert loaded == [word for word in arguments[:1] if word != "--help"]
