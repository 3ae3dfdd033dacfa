"""The documentation is correct: its examples run, and everything that a user can type is documented."""

from __future__ import annotations

import doctest
import gc
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

import digitduels as dd
from conftest import PATIENCE, ROOT, Run
from digitduels.cli import errors
from digitduels.cli.main import build_parser
from digitduels.cli.parser import Parser
from digitduels.cli.session import AT_THE_END, HELP
from digitduels.manual import COMMON, manual, rulings
from digitduels.record import dump, parse, to_record
from digitduels.web.routes.classes import Deed
from inspect_warnings import INSPECT_WARNINGS

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
FENCE = re.compile(
    r"^(?:<!-- answers: (?P<answers>.*?) -->\n)?```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """An example: its language, and the answers that its reader types."""

    language: str
    text: str
    answers: str


def blocks(page: Path, language: str) -> list[Block]:
    fences = FENCE.finditer(page.read_text(encoding="utf-8"))
    every = [Block(m["language"], m["text"], "\n".join((m["answers"] or "").split(" | "))) for m in fences]
    return [block for block in every if block.language == language]


def with_examples(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def section(page: Path, heading: str) -> str:
    """The text under a heading, up to the next heading of the same level."""
    level = heading.split(" ")[0]
    match = re.search(
        rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)",
        page.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert match, f"{named(page)} has no heading {heading!r}"
    return match[1]


def first_column(text: str) -> list[str]:
    """The text between backticks at the start of each table row."""
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


def key_paths(parts: Mapping[str, Iterable[str]]) -> list[str]:
    """The keys of parts of a JSON document, each with the path of its part."""
    return [path + key for path, part in parts.items() for key in part]


def commands() -> dict[str, Parser]:
    return build_parser().commands


# Examples run


@pytest.fixture
def shell(home: Path, duels: Run) -> Run:
    """Runs a line as a shell with `duels` on its path does. A line that is `duels` alone runs in this process."""
    (home / "bin").mkdir()
    program = home / "bin" / "duels"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m digitduels "$@"\n')
    program.chmod(0o755)
    path = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(line: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        if line.startswith("duels ") and not re.search(r"[|&;<>$`\\]", line):
            ran = duels(*shlex.split(line, comments=True)[1:], answers=answers)
            return subprocess.CompletedProcess(line, ran.returncode, ran.stdout + ran.stderr)
        return subprocess.run(
            ["sh", "-c", line],
            input=answers,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=home,
            env={**os.environ, "PATH": path},
            timeout=PATIENCE,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=INSPECT_WARNINGS if "inspect_ai" in page.read_text(encoding="utf-8") else [])
        for page in with_examples("python")
    ],
    ids=named,
)
def test_python_examples_run_with_the_output_shown(
    page: Path, home: Path, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    text = "\n".join(block.text for block in blocks(page, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, named(page), str(page), 0)
    assert example.examples
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append)
    assert not report, "".join(report)
    del example
    gc.collect()  # what an example leaves open is its own fault


@pytest.mark.parametrize("page", with_examples("sh"), ids=named)
def test_shell_examples_run(page: Path, shell: Run, tables: Path, one_core: None) -> None:
    for block in blocks(page, "sh"):
        for line in block.text.splitlines():
            if line.startswith("duels "):
                ran = shell(line)
                assert ran.returncode == 0, f"{line}\n{ran.stdout}"
            elif line.startswith("make "):
                assert re.search(rf"^{line.split()[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
            else:
                assert line.startswith("pip install ."), f"nobody checks this line: {line}"


@pytest.mark.parametrize("page", with_examples("console"), ids=named)
def test_terminal_samples_are_real_output(
    page: Path, shell: Run, tables: Path, one_core: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for block in blocks(page, "console"):
        for line, shown in re.findall(r"^\$ ([^\n]*)\n(.*?)(?=^\$ |\Z)", block.text, re.MULTILINE | re.DOTALL):
            with monkeypatch.context() as patch:
                if line.startswith("duels cache"):  # which may delete the tables that all tests share
                    patch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
                output = shell(line, answers=block.answers).stdout
            pattern = r"(?:.*\n)*".join(map(re.escape, shown.split("...\n")))
            assert re.fullmatch(pattern, output), f"$ {line}\n{output}"


# Completeness


def test_every_command_is_documented_with_its_arguments_and_options() -> None:
    page = DOCS / "commands.md"
    general = page.read_text(encoding="utf-8")
    for action in build_parser()._actions:
        for option in action.option_strings:
            assert f"`{option}" in general or f"duels {option}`" in general, option
    for name, parser in commands().items():
        text = section(page, f"## duels {name}")
        for subcommand, parsed in (parser.commands or {"": parser}).items():
            full = f"duels {name} {subcommand}".strip()
            assert f"`{full}" in text
            words = [str(each.metavar) for each in parsed._actions if not each.option_strings and not each.choices]
            assert not words or f"{full} {' '.join(words)}`" in text, f"{full} {words}"
            for action in parsed._actions:
                if "--help" in action.option_strings:
                    continue
                for option in action.option_strings:
                    # The options of all subcommands are in one table that says which have them.
                    owners = rf"[^|]* \| [^|]*\b({subcommand}|all)\b" if subcommand else ""
                    assert re.search(rf"`{option}\b{owners}", text), f"{full} {option}"
                for choice in action.choices or ():
                    assert f"{choice}`" in text, f"{full} {choice}"


def test_every_documented_command_exists() -> None:
    headings = re.findall(r"^## duels (\w+)$", (DOCS / "commands.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(commands())


def test_every_command_during_a_game_is_documented() -> None:
    text = section(DOCS / "commands.md", "### During a game")
    for line in (*HELP, *AT_THE_END):
        assert f"`{line.split()[0]}`" in text, line


def test_every_exit_code_is_documented() -> None:
    documented = re.findall(r"^\| (\d+) \|", section(DOCS / "commands.md", "## Exit codes"), re.MULTILINE)
    codes = [value for name, value in vars(errors).items() if name.isupper() and type(value) is int]
    assert sorted(map(int, documented)) == sorted({0, *codes})


def test_exit_codes_are_as_documented(duels: Run, home: Path) -> None:
    record = to_record(dd.Match(dd.game("number-duel")))
    (home / "broken.json").write_text(json.dumps({**record, "moves": ["+99"]}))
    (home / "foreign.json").write_text("{}")
    tried = {
        ("games",): 0,
        ("resume",): 1,
        ("play", "chess"): 2,
        ("play", "number-duel", "--set", "target=-3"): 2,
        (): 2,
        ("resume", "broken.json"): 3,
        ("resume", "foreign.json"): 4,
        ("resume", "missing.json"): 4,
        ("solve", "operation-target", "--moves", "x2 x2 x2"): 3,
        ("solve", "number-duel", "--set", "target=1000000"): 5,
    }
    assert {arguments: duels(*arguments).returncode for arguments in tried} == tried


def test_games_are_saved_in_the_documented_folder(duels: Run, home: Path) -> None:
    duels("play", "number-duel", answers="5\nadd\n")
    assert (home / "state" / "digitduels" / "games" / "number-duel-1.json").exists()


def test_every_public_name_is_documented() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for name in dd.__all__:
        assert f"dd.{name}" in text, name


def test_every_game_is_documented() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in dd.games():
        assert f"(docs/games/{name}.md)" in readme
        assert section(DOCS / "errata.md", f"## {dd.game(name).title}")


@pytest.mark.parametrize("name", dd.games())
def test_every_option_and_ruling_of_a_game_is_documented(name: str, duels: Run) -> None:
    page = (DOCS / "games" / f"{name}.md").read_text(encoding="utf-8")
    game = dd.game(name)
    for option in game.options():
        assert f"- `{option.name}=" in page
    for ruling in (*rulings(game), *COMMON):
        assert ruling in page
    assert page.startswith(manual(game))
    assert duels("rules", name).stdout == manual(game)


def test_generated_pages_and_tables_are_up_to_date() -> None:
    ran = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_act_of_a_teacher_is_documented() -> None:
    assert first_column(section(DOCS / "http-api.md", "## Classes").partition("| `act` |")[2]) == [*get_args(Deed)]


def test_every_page_says_first_whom_it_is_for() -> None:
    by_program = {DOCS / "README.md", *(DOCS / "games" / f"{name}.md" for name in dd.games())}
    for page in {*DOCS.rglob("*.md")} - by_program - {DOCS / "results" / "suite" / "results.md"}:
        assert re.match(r"# [^\n]+\n\nFor [a-z]+\b", page.read_text(encoding="utf-8")), named(page)


def test_there_is_no_page_for_a_removed_game() -> None:
    assert {page.stem for page in (DOCS / "games").glob("*.md")} == {*dd.games(), "README"}


def test_every_erratum_names_an_existing_test() -> None:
    checks = set(re.findall(r"^def (test_\w+)", (ROOT / "tests" / "test_errata.py").read_text(encoding="utf-8"), re.M))
    for slip in re.split(r"^- ", (DOCS / "errata.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        slip = slip.partition("\n#")[0]
        names = re.findall(r"\(`(\w+)`\)", slip)
        assert names or "(Read)" in slip, slip
        assert set(names) <= checks, slip


def test_the_lengths_of_games_in_the_readme_are_correct() -> None:
    text = section(ROOT / "README.md", "## The games")
    for name, words in (("numerical-nexus", "up to 20 moves"), ("number-quest", "up to 18 moves")):
        assert words in text
        assert str(dd.game(name).longest) in words
    assert "Four moves at most" in text
    assert dd.game("equation-duel").longest == 4
    assert "ten operations each" in text
    assert sum(dd.game("numerical-nexus").values["uses"]) == 10


def test_playing_from_python_needs_nothing_but_the_standard_library() -> None:
    program = "import sys; sys.path.insert(0, sys.argv[1]); import digitduels as dd; dd.game('number-duel').start()"
    subprocess.run([sys.executable, "-I", "-S", "-c", program, ROOT / "src"], timeout=60, check=True)


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirements = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in project["project"]["optional-dependencies"].values():
        requirements += extra
    reasons = (DOCS / "decisions.md").read_text(encoding="utf-8").lower()
    for requirement in requirements:
        name = re.split(r"[^\w-]", requirement)[0]
        assert re.search(rf"\b{name}\b", reasons), f"{name} has no reason in docs/decisions.md"


# JSON


def test_json_of_the_games_is_as_documented(duels: Run) -> None:
    text = section(DOCS / "json.md", "## duels games --json")
    listing = json.loads(duels("games", "--json").stdout)
    (example,) = [json.loads(block.text) for block in blocks(DOCS / "json.md", "json") if block.text in text]
    (game,) = [game for game in listing["games"] if game["game"] == example["game"]]
    levels, options = game["levels"][0], game["options"][0]
    parts = {"": listing, "games[].": game, "games[].levels[].": levels, "games[].options[].": options}
    assert first_column(text) == key_paths(parts)
    assert example == game


def test_json_of_a_match_is_as_documented(duels: Run, one_core: None) -> None:
    text = section(DOCS / "json.md", "## duels match --json")
    (example,) = [block for block in blocks(DOCS / "json.md", "json") if block.text in text]
    output = json.loads(duels("match", "perfect", "4", "--game", "operation-target", "--games", "4", "--json").stdout)
    assert json.loads(example.text) == output
    player, pair = output["players"][0], output["pairs"][0]
    within = {f"players[].{key}.": player[key] for key in ("rating", "skill")}
    within |= {"players[].seats[].": player["seats"][0], "players[].grade.": player["grade"], "pairs[].": pair}
    parts = {"": output, "players[].": player} | within
    assert first_column(text) == key_paths(parts)


def test_record_is_as_documented() -> None:
    text = section(DOCS / "json.md", "## A record")
    (example,) = [block for block in blocks(DOCS / "json.md", "json") if block.text in text]
    match = parse(example.text.encode())
    assert json.loads(dump(match)) == json.loads(example.text)
    assert first_column(text) == list(to_record(match))


# Links


def test_links_between_documents_lead_somewhere() -> None:
    for page in PAGES:
        prose = FENCE.sub("", page.read_text(encoding="utf-8"))
        for link in re.findall(r"\]\(([^)\s]+)\)", prose):
            if link.startswith("https://"):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{named(page)}: {link}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", FENCE.sub("", target.read_text(encoding="utf-8")), re.MULTILINE)
                assert anchor in map(slug, headings), f"{named(page)}: {link}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, waiting = set[Path](), [ROOT / "README.md", DOCS / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)\s#]+\.md)", FENCE.sub("", page.read_text(encoding="utf-8")))
        waiting += [(page.parent / link).resolve() for link in links if not link.startswith("https://")]
    assert set(PAGES) <= seen


def test_tour_of_the_code_names_files_that_exist() -> None:
    named_files = first_column(section(ROOT / "CONTRIBUTING.md", "## The code in ten minutes"))
    assert named_files
    for name in named_files:
        assert (ROOT / name).exists(), name
