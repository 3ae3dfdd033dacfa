"""The linter finds what docs/errata.md says about the books, and nothing false."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import digitduels as dd
from conftest import ROOT, Run
from digitduels.core import Board, Game, Outcome, Side, State
from digitduels.games import AnyGame
from digitduels.lab.census import Census, events, explore, plain
from digitduels.lab.lint import LINT_VERSION, Finding, _moves, census, lint, measured, ranked, with_remedies
from digitduels.lab.measures import measure
from digitduels.lab.sizes import fits
from digitduels.lab.stored_reports import stored_findings
from digitduels.options import Integer, option
from digitduels.rule_sets import rule_set
from digitduels.sentence import Count, Sentence, signs
from digitduels.solver.reference import Reference
from variants import describe, solve

pytestmark = pytest.mark.slow

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("number-quest", {"target": 12, "highest": 4, "copies": 1}),
    ("number-quest", {"target": 9, "highest": 3, "copies": 1, "invalid": "refused", "division": "exact"}),
    ("number-duel", {"target": 12, "highest": 4, "copies": 1, "tie": "draw"}),
    ("number-duel", {"target": 9, "highest": 3}),
    ("number-duel", {"target": 100, "highest": 2, "copies": 1}),
    ("equation-duel", {"target": 9, "highest": 5}),
    ("equation-duel", {"target": 40, "highest": 4}),
    ("equation-duel", {"target": 1, "highest": 3}),
    ("numerical-nexus", {"target": 9, "uses": (1, 1, 0, 1, 0, 1)}),
    ("numerical-nexus", {"target": 40, "uses": (2, 1, 0, 1, 0, 0)}),
    ("operation-target", {}),
    ("operation-target", {"target": 24}),
]


@pytest.fixture(scope="module", params=SMALL, ids=describe)
def game(request: pytest.FixtureRequest) -> AnyGame:
    return dd.game(request.param[0], **request.param[1])


def played(game: AnyGame, line: tuple[Any, ...]) -> State[Any, Any]:
    state = game.start()
    for move in line:
        state = game.play(state, game.read(str(move), state))
    return state


def test_the_census_of_a_table_agrees_with_a_walk_through_all_positions(game: AnyGame) -> None:
    fast, slow = census(solve(game)), plain(Reference(game))
    assert (fast.legal, fast.best, fast.critical, fast.traps) == (slow.legal, slow.best, slow.critical, slow.traps)
    assert (fast.free, fast.length) == (slow.free, slow.length)
    assert fast.examples.keys() == slow.examples.keys()
    assert fast.shown.keys() == slow.shown.keys()
    for facts in (fast, slow):
        for event, line in facts.examples.items():
            assert event in events(game, played(game, line)), event
        for move, line in facts.shown.items():
            assert line[-1] == move
            played(game, line)


def test_every_finding_is_true(game: AnyGame) -> None:
    """Each theorem again, from the definitions: all positions, their outcomes and a plain solver."""
    reference, states = Reference(game), explore(game)
    ended = {state: outcome for state in states if (outcome := game.outcome(state)) is not None}
    open_states = [state for state in states if state not in ended]
    findings = {finding.code: finding for finding in lint(game)}
    value, plies = reference.start
    assert ("decided" in findings) == (value != 0 and plies <= 5)
    assert ("winner" in findings) == (value != 0 and plies > 5)
    goal = game.values["target"]
    assert ("target-unreachable" in findings) == (not any(goal in game.scores(state) for state in ended))
    assert ("never-past" in findings) == (
        not any(score > goal for state in ended for score in game.scores(state) if score is not None)
    )
    best = {move for state in open_states for move in reference.best(state)}
    legal = {move for state in open_states for move in game.legal_moves(state)}
    assert ("never-best" in findings) == bool(legal - best)
    if "never-best" in findings:
        told = re.search(r"No move with (.*) is ever best", findings["never-best"].text)
        for word in re.split(", | and ", told[1]) if told else ():
            assert not any(word in map(signs, map(str, move)) for move in best), word
    assert ("never-legal" in findings) == bool(set(game.moves) - legal)
    chanceless = {1, 2} - {outcome.winner + 1 for outcome in ended.values() if outcome.winner is not None}
    assert {int(finding.text.split()[1]) for finding in lint(game) if finding.code == "no-chance"} == chanceless
    choices = [
        len(line)
        for state, line in states.items()
        if len({game.after(state, move) for move in game.legal_moves(state)}) > 1
    ]
    free, longest = max(choices, default=-1) + 1, max(len(line) for line in states.values())
    assert ("forced" in findings) == (2 * free <= longest)
    if free and "forced" in findings:
        assert (
            f"After {Count(free, 'move')} everything is forced, in games of up to {longest}" in findings["forced"].text
        )
    last = [(game.scores(state), outcome.winner) for state, outcome in ended.items()]
    last = [(scores, winner) for scores, winner in last if max(score or 0 for score in scores) < goal]
    ties = {winner for scores, winner in last if len(set(scores)) == 1}
    others = {winner for scores, winner in last if len(set(scores)) == 2}
    one_sided = (ties == {0} and 1 in others) or (ties == {1} and 0 in others)
    assert ("one-sided-tie" in findings) == (one_sided and game.id != "operation-target")  # there they share a score
    if "one-sided-tie" in findings:
        assert f"Player {1 if ties == {0} else 2} wins" in findings["one-sided-tie"].text
    for finding in findings.values():
        state = played(game, finding.line)
        assert finding.code not in ("decided", "winner") or game.outcome(state) is not None


def test_a_remedy_removes_its_finding_and_no_nearer_rule_set_does(game: AnyGame) -> None:
    findings = [*lint(game), *measured(measure(game, lengths=False, wobble=False))]
    for finding in with_remedies(game, findings, tries=6, small=5000):
        if finding.remedy is not None:
            assert finding.severity == "warning"
            ((name, value),) = finding.remedy.items()
            assert finding.code not in codes_of(dd.game(game.id, **{**game.values, name: value}))
            if isinstance(value, int):
                there = game.values[name]
                for nearer in range(there - abs(value - there) + 1, there + abs(value - there)):
                    with suppress(ValueError):
                        between = dd.game(game.id, **{**game.values, name: nearer})
                        assert not fits(between, 5000) or finding.code in codes_of(between)


def codes_of(game: AnyGame) -> set[str]:
    return {finding.code for finding in [*lint(game), *measured(measure(game, lengths=False, wobble=False))]}


def test_the_nearest_rule_set_is_near_these_rules_and_not_near_the_book() -> None:
    game = dd.game("operation-target", target=85)
    remedies = {finding.code: finding.remedy for finding in with_remedies(game, lint(game))}
    near = [
        target
        for target in range(60, 111)
        if any(target in dd.game(game.id).scores(state) for state in explore(dd.game(game.id, target=target)))
    ]
    nearest = min(abs(target - 85) for target in near)
    assert abs(remedies["target-unreachable"]["target"] - 85) == nearest  # type: ignore[index]


# The books


def stored(name: str) -> list[Finding]:
    found, options = rule_set(name)
    findings = stored_findings(dd.game(found, **options))
    assert findings is not None, f"version {LINT_VERSION}: run `python docs/lab_reports.py`"
    return findings


def errata() -> list[tuple[str, str, str]]:
    """The book, the entry and the code of each erratum that the linter must find."""
    sections = re.split(r"^## ", (ROOT / "docs/errata.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    return [
        (title.lower().replace(" ", "-"), entry, code)
        for title, *entries in (re.split(r"\n- ", section) for section in sections)
        for entry in entries
        for code in re.findall(r"\*lint: ([a-z-]+)\*", entry)
        for title in [title.strip()]
    ]


@pytest.mark.parametrize(("book", "code"), [(book, code) for book, _, code in errata()])
def test_the_linter_finds_what_the_errata_say(book: str, code: str) -> None:
    assert code in {finding.code for finding in stored(book)}


def test_no_erratum_of_this_kind_is_forgotten() -> None:
    """Decided openings, unreachable targets and rules that never apply are marked."""
    found = {(book, code) for book, _, code in errata()}
    assert len(found) >= 12
    text = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
    kinds = r"can ever reach|decides:|every later move is forced|never applies|cannot be stopped|loses every tie"
    for entry in re.split(r"^- ", text, flags=re.M)[1:]:
        if re.search(kinds, " ".join(entry.split())):
            assert "*lint: " in entry, entry


@pytest.mark.parametrize("name", [name for book in dd.games() for name in (book, f"{book}:repaired")])
def test_stored_findings_are_those_of_the_linter(name: str) -> None:
    found, options = rule_set(name)
    game, findings = dd.game(found, **options), stored(name)
    for finding in findings:
        played(game, finding.line)
    if solve_size(game) < 1_000_000:
        again = ranked([*lint(game), *measured(measure(game, lengths=False, wobble=False))])
        assert [(one.code, one.text) for one in again] == [(one.code, one.text) for one in findings]


def solve_size(game: AnyGame) -> int:
    from digitduels.lab.sizes import fits

    return 0 if fits(game, 1_000_000) else 1_000_000


# Games of other packages


class Step(NamedTuple):
    by: int

    def __str__(self) -> str:
        return f"+{self.by}"


@dataclass(frozen=True)
class Race(Game[int, None, Step]):
    """Add 1 or 2 to your own score. Reach {target} first."""

    target: int = option(5, Integer(1, 99), "the score that wins")

    moves = (Step(1), Step(2))
    longest = 9

    def start(self) -> State[int, None]:
        return State(0, (0, 0), None)

    def forbids(self, state: State[int, None], move: Step) -> str | None:
        return None

    def after(self, state: State[int, None], move: Step) -> State[int, None]:
        return state.then(state.mine + move.by, state.theirs, None)

    def outcome(self, state: State[int, None]) -> Outcome | None:
        for player, score in enumerate(state.hands):
            if score >= self.target:
                return Outcome(player, Sentence("{player} is there.", player=player))
        return None


@dataclass(frozen=True)
class Trap(Race):
    """A position allows no move, but is not over."""

    def forbids(self, state: State[int, None], move: Step) -> str | None:
        return "No." if state.mine == 3 else None


@dataclass(frozen=True)
class Circle(Race):
    """Scores go round, so that a game may never end."""

    def after(self, state: State[int, None], move: Step) -> State[int, None]:
        return state.then((state.mine + move.by) % self.target, state.theirs, None)


def test_a_game_of_another_package_is_linted() -> None:
    codes = {finding.code for finding in lint(Race())}
    assert {"decided", "never-stuck"} <= codes
    assert not codes & {"stuck", "endless"}


@dataclass(frozen=True)
class Dead(Race):
    """A player without a move loses. There is nothing to use up."""

    def forbids(self, state: State[int, None], move: Step) -> str | None:
        return "No." if state.mine == 3 else None

    def outcome(self, state: State[int, None]) -> Outcome | None:
        over = super().outcome(state)
        if over is None and state.mine == 3:
            return Outcome(1 - state.player, Sentence("{player} cannot move.", player=state.player))
        return over


@dataclass(frozen=True)
class Unscored(Race):
    """Nobody sees the scores. The first player can only draw."""

    def outcome(self, state: State[int, None]) -> Outcome | None:
        over = super().outcome(state)
        return over if over is None or over.winner == 1 else over._replace(winner=None)

    def board(self, state: State[int, None]) -> Board:
        return Board((Side(), Side()), Side())

    def permitted(self, state: State[int, None]) -> tuple[Step, ...]:
        return () if self.outcome(state) else super().permitted(state)


def test_a_game_without_scores_has_no_finding_about_them() -> None:
    codes = {finding.code for finding in lint(Unscored())}
    assert not codes & {"no-tie", "one-sided-tie"}


def test_a_player_who_can_never_win_is_named_even_if_best_play_is_a_draw() -> None:
    findings = {finding.code: finding.text for finding in lint(Unscored())}
    assert findings["drawn"] == "With best play the game is a draw."
    assert findings["no-chance"] == "Player 1 can never win."


def test_a_player_without_a_move_is_not_denied_where_nothing_is_used_up() -> None:
    assert "never-stuck" not in {finding.code for finding in lint(Dead())}
    assert "never-stuck" in {finding.code for finding in lint(Race())}


@pytest.mark.parametrize(
    ("name", "options"),
    [("number-quest", {"target": 6, "highest": 2, "copies": 1}), ("equation-duel", {"target": 4, "highest": 4})],
)
def test_moves_that_are_never_best_are_named_as_people_write_them(name: str, options: dict[str, int]) -> None:
    game = dd.game(name, **options)
    (finding,) = [finding for finding in lint(game) if finding.code == "never-best"]
    reference = Reference(game)
    going_on = [state for state in explore(game) if game.outcome(state) is None]
    best = {str(move) for state in going_on for move in reference.best(state)}
    legal = {str(move) for state in going_on for move in game.legal_moves(state)}
    named = finding.text.removeprefix("Never a best move: ").partition(".")[0].split(", ")
    assert set(named) == {signs(move) for move in legal - best}
    assert finding.line[-1] in legal - best


def test_a_number_or_an_operation_without_a_best_move_is_named() -> None:
    game = dd.game("number-duel", highest=2)
    legal = Counter(game.moves)
    for best, named in ((["+1", "+2"], "×"), (["+1", "x1"], "2"), (["+1", "x2"], None)):
        facts = Census(legal=legal, best=Counter(map(game.read, best)), shown={move: (move,) for move in game.moves})
        (finding,) = _moves(game, facts)
        assert (f" No move with {named} is ever best." in finding.text) == (named is not None)


@pytest.mark.parametrize(("broken", "code"), [(Trap(), "stuck"), (Circle(), "endless")])
def test_rules_that_do_not_work_are_errors_with_a_line(broken: AnyGame, code: str) -> None:
    (finding,) = lint(broken)
    assert (finding.code, finding.severity) == (code, "error")
    state = played(broken, finding.line)
    assert broken.outcome(state) is None
    assert not broken.permitted(state) or len(finding.line) > broken.longest


# The command


def test_the_command_prints_findings_and_fails_on_request(duels: Run) -> None:
    words = ["lab", "lint", "operation-target", "--set", "target=12"]
    told = duels(*words)
    assert told.returncode == 0
    assert "warning forced: After 2 moves everything is forced" in told.stdout
    assert duels(*words, "--fail-on", "warning").returncode == 1
    answer = json.loads(duels(*words, "--json").stdout)
    assert (answer["version"], answer["game"], answer["options"]) == (1, "operation-target", {"target": 12, "start": 1})
    rules = dd.game("operation-target", target=12)
    expected = ranked([*lint(rules), *measured(measure(rules, lengths=False))])
    assert [finding["code"] for finding in answer["findings"]] == [finding.code for finding in expected]
    assert {"code", "severity", "text", "line", "shown", "measured", "remedy"} == set(answer["findings"][0])
