"""The stateless API: its responses agree with the library and the command line."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import digitduels as dd
from digitduels.asking import objection
from digitduels.core import State, notation_of
from digitduels.manual import rulings
from digitduels.match import Match
from digitduels.players import player
from digitduels.players.levels import characters
from digitduels.record import to_record
from digitduels.sentence import PLAYERS, Played, signs
from digitduels.study import serialization
from digitduels.study.coach import warning
from digitduels.study.fair_starts import fair_start
from digitduels.study.hints import hint_in, refutation
from digitduels.study.puzzles import attempt, daily, find, judge, order, today
from digitduels.study.reasons import reason
from digitduels.study.review import review
from digitduels.study.score_map import cells
from digitduels.study.second_try import second_try
from digitduels.study.theory import theory
from digitduels.study.wording import standing, worth
from digitduels.web.positions import link
from digitduels.web.positions.view import view
from digitduels.web.positions.wire import wire, wires
from variants import ALL, describe, play_on
from web import running
from workers import solutions

pytestmark = pytest.mark.slow

solve = solutions()
Variant = tuple[str, dict[str, Any]]
LONGEST: Variant = ("operation-target", {"target": 10**4000})  # its best play has 13,286 moves
every_variant = pytest.mark.parametrize("variant", ALL, ids=describe)
every_game = pytest.mark.parametrize("name", dd.games())


@pytest.fixture(scope="module")
def site(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with running(tmp_path_factory.mktemp("site"), tables) as client:
        yield client


def get(site: httpx.Client, path: str, match: Match | None = None, **more: object) -> Any:
    """The JSON that a route returns for a match."""
    query = "" if match is None else link.written(match)
    answer = site.get(f"/api/{path}?{query}&{httpx.QueryParams({key: str(value) for key, value in more.items()})}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def matches(variant: Variant, count: int = 2) -> list[Match]:
    """Random games of a variant: one finished, one in which Player 2 begins, one from a position that was set up."""
    name, options = variant
    game, games = dd.game(name, **options), []
    for seed in range(count):
        rng = random.Random(f"{variant} {seed}")
        match = Match(game, first=seed % 2)
        most = 200 if game.longest < 1000 else 10  # of a very long game only the beginning
        _, moves = play_on(game, match.state, rng, most if seed == 0 else rng.randrange(4))
        for move in moves:
            match.play(move)
        games.append(match)
    middle = games[0].states[len(games[0].moves) // 2]
    return [*games, Match(game, position=middle)]


def steps(match: Match, state: State[Any, Any], line: list[Any]) -> list[dict[str, Any]]:
    """A line of best play in the page's JSON. It lasts until the end of the game."""
    result = []
    for move in line:
        text = wire(Played(move, state.player), match.names)
        result.append({"move": str(move), "player": state.player + 1, "shown": text})
        state = match.game.after(state, move)
    assert match.game.outcome(state) is not None
    return result


@functools.cache
def ongoing(name: str) -> tuple[Match, ...]:
    """Unfinished games by the book."""
    games = []
    for seed in range(3):
        match = Match(dd.game(name))
        for move in play_on(match.game, match.state, random.Random(seed), 2 * seed)[1]:
            match.play(move)
        if match.outcome is None:
            games.append(match)
    return tuple(games)


# Games and positions


def test_every_game_is_listed_with_its_options_and_levels(site: httpx.Client) -> None:
    listing = get(site, "games")
    assert [entry["game"] for entry in listing] == dd.games()
    for entry in listing:
        game = dd.game(entry["game"])
        assert (entry["title"], entry["levels"]) == (game.title, list(characters(game)))
        assert entry["beginner"] == max(level for level in entry["levels"] if level <= 2)
        assert {
            int(level): tuple(described.values()) for level, described in entry["characters"].items()
        } == characters(game)
        for described, option in zip(entry["options"], game.options(), strict=True):
            assert (described["name"], described["allowed"], described["about"]) == (
                option.name,
                str(option.kind),
                option.about,
            )
            text = (
                ",".join(map(str, described["default"]))
                if isinstance(described["default"], list)
                else str(described["default"])
            )
            assert option.kind.accepts(option.kind.read(text))


@every_variant
def test_the_position_route_agrees_with_the_library(site: httpx.Client, variant: Variant) -> None:
    for match in matches(variant):
        position = get(site, f"position/{variant[0]}", match)
        assert position == json.loads(json.dumps(view(match)))
        assert [entry["move"] for entry in position["legal"]] == [
            str(move) for move in match.game.legal_moves(match.state)
        ]
        assert position["moves"] == [str(move) for move in match.moves]
        assert position["player"] == (None if match.outcome else match.state.player + 1)
        if match.outcome is None:
            again = get(site, f"position/{variant[0]}", Match(match.game), position=position["placed"])
            assert (again["legal"], again["board"], again["player"]) == (
                position["legal"],
                position["board"],
                position["player"],
            )


@every_variant
def test_a_position_has_the_effects_of_its_moves_if_they_are_asked_for(site: httpx.Client, variant: Variant) -> None:
    for match in matches(variant):
        position, effects = get(site, f"position/{variant[0]}", match), get(site, f"effects/{variant[0]}", match)
        assert get(site, f"position/{variant[0]}", match, effects="on") == {**position, **effects}
        assert get(site, f"position/{variant[0]}", match, effects="off") == position
    refused = site.get(f"/api/position/{variant[0]}?effects=yes")
    assert (refused.status_code, refused.json()["detail"]) == (422, "effects must be on or off; 'yes' is not.")


@every_variant
def test_the_picks_of_a_move_lead_to_that_move(site: httpx.Client, variant: Variant) -> None:
    for match in matches(variant):
        position = get(site, f"position/{variant[0]}", match)
        values = notation_of(match.game).columns
        for entry in position["legal"]:
            fields = [column[pick] for column, pick in zip(values, entry["picks"], strict=True)]
            assert str(notation_of(match.game).partial(fields)) == entry["move"]
        for field, column, shown in zip(match.game.move_fields, values, position["fields"], strict=True):
            assert shown["choices"] == [signs(field.label(value)) for value in column]


@every_variant
def test_a_link_to_a_position_leads_back_to_it(variant: Variant) -> None:
    for match in matches(variant):
        if match.outcome is None:
            match.concede(1)
        query = httpx.QueryParams(link.written(match))
        again, _ = link.read(variant[0], query.multi_items())
        assert to_record(again) == to_record(match)


@every_game
def test_an_illegal_choice_is_explained_in_the_words_of_the_rules(site: httpx.Client, name: str) -> None:
    for match in ongoing(name):
        first = notation_of(match.game).columns[0]
        for pick, value in enumerate(first):
            reason = objection(match.game, match.state, [value])
            expected = None if reason is None else wire(reason, match.names)
            assert get(site, f"objection/{name}", match, picks=pick) == {"reason": expected}


def test_names_in_a_link_appear_in_every_line(site: httpx.Client) -> None:
    match = Match(dd.game("number-duel"))
    for token in ["+4", "+5", "+1", "x10"]:
        match.play(match.game.read(token))
    for path, keys in (("position", ("status", "ending", "history")), ("review", ("sentence", "story", "turns"))):
        answer = get(site, f"{path}/number-duel", match, names="Ann\nBob {0}")
        said = json.dumps([answer[key] for key in keys])
        assert "Bob {0}" in said
        assert "Player" not in said


def test_names_in_a_record_appear_in_every_line(site: httpx.Client) -> None:
    match = Match(dd.game("number-duel"), names=("Ann", "Bob"))
    for token in ["+4", "+5", "+1", "x10"]:
        match.play(match.game.read(token))
    answer = site.post("/api/review", json=to_record(match)).json()
    said = json.dumps([answer["sentence"], answer["story"], *answer["lines"], answer["turns"]], ensure_ascii=False)
    assert "Bob" in said
    assert "Player" not in said
    position = view(match)
    assert "Player" not in json.dumps(
        [position["ending"], position["status"], position["outcome"], position["history"]]
    )


def test_a_position_has_its_take_backs_and_house_rules(site: httpx.Client) -> None:
    position = get(site, "position/number-duel", target=60, copies=3, moves="+5 +6 +7")
    assert (position["back"], position["house_rules"]) == ([2, 1], "first to 60, 3 of each number")
    position = get(site, "position/number-duel", moves="+5 +6", opening=1)
    assert (position["back"], position["house_rules"]) == ([None, 1], "")


# Solutions


@every_variant
def test_the_solve_route_agrees_with_the_command_and_adds_words(site: httpx.Client, variant: Variant) -> None:
    for match in matches(variant):
        answer = get(site, f"solve/{variant[0]}", match)
        judgement, outcome, player = solve(match.game).judge(match.state), match.outcome, match.state.player
        assert {key: answer[key] for key in ("player", "outcome", "value", "plies", "best")} == {
            key: serialization.solved(match, judgement)[key] for key in ("player", "outcome", "value", "plies", "best")
        }
        assert [(entry["move"], entry["plies"], entry["words"]) for entry in answer["each"]] == [
            (str(move), verdict.distance, wire(worth(player, verdict), match.names))
            for move, verdict in judgement.items()
        ]
        expected = [outcome.reason] if outcome else standing(player, judgement.best_verdict)
        assert answer["standing"] == wires(expected, match.names)


def test_a_conceded_position_has_nothing_to_solve(site: httpx.Client) -> None:
    answer = get(site, "solve/number-duel", moves="+5", conceded=1)
    assert (answer["value"], answer["plies"], answer["best"], answer["each"]) == (None, None, [], [])
    assert answer["standing"] == [{"text": "Player 1 concedes.", "you": "You concede.", "of": 1}]


@pytest.mark.parametrize(
    "variant",
    [
        *(pytest.param(variant, marks=pytest.mark.long) if variant == LONGEST else variant for variant in ALL),
        (LONGEST[0], {"target": 10**400}),
    ],
    ids=describe,
)
def test_the_review_route_agrees_with_the_command(site: httpx.Client, variant: Variant) -> None:
    for match in matches(variant):
        solution, names = solve(match.game), match.names
        expected_review = review(match, solution)
        expected = json.loads(json.dumps(serialization.reviewed(match, expected_review)))
        answers = [get(site, f"review/{variant[0]}", match), site.post("/api/review", json=to_record(match)).json()]
        for answer in answers:
            assert {key: answer[key] for key in ("start", "winning", "critical")} == {
                key: expected[key] for key in ("start", "winning", "critical")
            }
            assert (answer["sentence"], answer["story"]) == (
                wire(expected_review.sentence, names),
                wire(expected_review.story, names),
            )
            assert answer["lines"] == wires(expected_review.lines(), names)
            for turn, decision in zip(answer["turns"], expected_review.decisions, strict=True):
                assert turn.get("lesson") == (wire(decision.lesson, names) if decision.swing else None)
                for played, key in ((decision.move, "line"), (decision.best[0], "better")):
                    state = match.states[decision.ply]
                    line = played and steps(match, state, [played, *solution.line(match.game.after(state, played))])
                    assert turn.get(key) == (line if decision.swing else None)
            again, _ = link.read(variant[0], httpx.QueryParams(answer["link"]).multi_items())
            assert again.states == match.states


@every_game
def test_the_computer_plays_the_same_moves_as_in_the_terminal(site: httpx.Client, name: str) -> None:
    for match in ongoing(name):
        for who in ("1", "4", "7", "perfect", "random"):
            with player(who, match.game, solve, seed="9") as opponent:
                move = opponent.choose(match)
            after = match.copy()
            after.play(move)
            position = get(site, f"position/{name}", after, vs=who, effects="on")
            assert get(site, f"reply/{name}", match, vs=who, seed=9) == {"move": str(move), "position": position}
        coach, level = (get(site, f"reply/{name}", match, vs=who, seed=9) for who in ("coach", "4"))
        assert coach["move"] == level["move"]


@every_game
def test_a_position_says_what_its_moves_do_if_asked(site: httpx.Client, name: str) -> None:
    for match in ongoing(name):
        position = get(site, f"position/{name}", match)
        effects = get(site, f"effects/{name}", match)
        assert get(site, f"position/{name}", match, effects="off") == position
        assert get(site, f"position/{name}", match, effects="on") == position | effects
    assert site.get(f"/api/position/{name}?effects=perhaps").status_code == 422


def test_a_level_that_a_game_does_not_offer_is_labelled_as_the_level_that_plays() -> None:
    match, _ = link.read("operation-target", [("vs", "3"), ("seat", "1")])
    assert (match.players, match.names) == (("human", "1"), ("Player 1", "Level 1"))


@every_game
def test_hints_and_the_coach_agree_with_the_terminal(site: httpx.Client, name: str) -> None:
    for match in ongoing(name):
        solution = solve(match.game)
        for step in (1, 2, 3, 4):
            answer = get(site, f"hint/{name}", match, step=step)
            assert answer == {"step": step, "lines": wires(hint_in(match, solution, step), match.names)}
        for move in match.game.legal_moves(match.state)[:: max(1, len(match.game.moves) // 5)]:
            warned, verdict = warning(match.state, move, solution), solution.judge(match.state)[move]
            why = refutation(match.state, move, solution) if warned else reason(match.state, move, solution).sentence
            tried = second_try(match.state, move, solution)
            assert get(site, f"judge/{name}", match, move=move) == {
                "keeps": warned is None,
                "warning": None if warned is None else wire(warned, match.names),
                **serialization.judged(verdict),
                "words": wire(worth(match.state.player, verdict), match.names),
                "why": wire(why, match.names),
                "kept": tried.kept,
                "tried": wire(tried.sentence, match.names),
                "line": steps(match, match.state, [move, *solution.line(match.game.after(match.state, move))]),
            }


@every_game
def test_fair_starts_agree_with_the_library(site: httpx.Client, name: str) -> None:
    moves = [str(move) for move in fair_start(solve(dd.game(name)), "3")]
    assert get(site, f"start/{name}", kind="fair", seed=3) == {"moves": moves, "opening": len(moves)}
    assert get(site, f"start/{name}", kind="book") == {"moves": [], "opening": 0}


@every_game
def test_the_map_shows_the_verdict_at_every_score(site: httpx.Client, name: str) -> None:
    for match in ongoing(name):
        answer, solution = get(site, f"map/{name}", match), solve(match.game)
        solved = cells(solution, match.state)
        if answer is None:
            assert len(solved) <= 1
            continue
        letters = {1: "w", 0: "d", -1: "l", None: "."}
        for theirs, row in enumerate(answer["rows"], answer["low"]):
            expected = [solved.get(theirs, {}).get(mine) for mine in range(answer["low"], answer["high"] + 1)]
            assert row == "".join(letters[value] for value in expected)
        here = solution.probe(match.state).value
        assert answer["rows"][answer["theirs"] - answer["low"]][answer["mine"] - answer["low"]] == letters[here]


def test_the_fast_map_agrees_with_the_plain_one() -> None:
    from digitduels.study.score_map import _one_by_one

    match = ongoing("number-quest")[-1]
    solution = solve(match.game)
    quick = {
        (theirs, mine): value for theirs, row in cells(solution, match.state).items() for mine, value in row.items()
    }
    slow = {
        (theirs, mine): value
        for theirs, row in _one_by_one(solution, match.state).items()
        for mine, value in row.items()
    }
    assert quick == slow
    assert len(quick) > 1000


# Puzzles and lessons


def test_the_daily_puzzle_is_the_same_as_in_the_terminal(site: httpx.Client) -> None:
    for date in ("2026-01-01", today().isoformat()):
        answer = get(site, "puzzle", date=date)
        puzzles = find((solve(dd.game(name)) for name in order(date)), None, date, 1)
        assert puzzles is not None
        (puzzle,), solution = puzzles
        assert (answer["game"], answer["tier"], answer["date"]) == (solution.game.id, puzzle.tier, date)
        assert answer["link"] == link.written(puzzle.match)
        assert answer["question"] == wire(puzzle.question(solution), puzzle.match.names)
    assert get(site, "puzzle") == get(site, "puzzle", date=daily(today()))


@every_game
def test_puzzles_and_sheets_contain_valid_puzzles(site: httpx.Client, name: str) -> None:
    answer = site.get(f"/api/sheet?game={name}&count=2&seed=4")
    if find([solve(dd.game(name))], None, "4", 1) is None:
        assert answer.status_code == 422
        assert site.get(f"/api/puzzle?game={name}&seed=4").json() == answer.json()
        return
    one, two = answer.json()["puzzles"]
    assert one["link"] != two["link"]  # a sheet is sorted from easy to hard
    assert get(site, "puzzle", game=name, seed=4)["link"] in (one["link"], two["link"])
    for entry in (one, two):
        match, _ = link.read(name, httpx.QueryParams(entry["link"]).multi_items())
        judged = judge(match.state, solve(match.game))
        assert judged is not None
        assert judged[0] == entry["tier"]
        assert signs(str(judged[1][0])) in entry["answer"]


@every_game
def test_an_attempt_at_a_puzzle_is_judged_as_in_the_terminal(site: httpx.Client, name: str) -> None:
    puzzles = find([solve(dd.game(name))], None, "4", 1)
    if puzzles is None:  # after both first moves, every move is forced
        assert name == "operation-target"
        return
    (puzzle,), solution = puzzles
    judgement = solution.judge(puzzle.match.state)
    for move in (next(iter(judgement)), list(judgement)[-1]):
        tried = attempt(puzzle.match, move, solution, puzzle.tier)
        assert get(site, f"attempt/{name}", puzzle.match, move=move, tier=puzzle.tier) == {
            "kind": tried.kind,
            "sentences": wires(tried.sentences, puzzle.match.names),
            "moves": [str(played) for played in tried.moves],
        }


@every_game
def test_a_lesson_contains_the_rules_the_rulings_and_the_theory(site: httpx.Client, name: str) -> None:
    answer, book = get(site, f"learn/{name}", theory="later"), dd.game(name)
    assert answer["rulings"][: len(book.rulings)] == rulings(book)
    assert answer["rules"]
    assert answer["example"]["moves"] == book.example
    assert (answer["changed"], answer["theory"]) == ({}, None)
    _, options = min((variant for variant in ALL if variant[0] == name and variant[1]), key=size)
    small = Match(dd.game(name, **options))  # the theory of a whole book takes seconds
    with_theory = get(site, f"learn/{name}", small)
    assert with_theory["theory"] == wires(theory(solve(small.game)), PLAYERS)
    assert with_theory["changed"] == json.loads(json.dumps(options))
    assert get(site, f"learn/{name}", small, theory="later") == {**with_theory, "theory": None}


def size(variant: Variant) -> int:
    return int(variant[1].get("target", 50))


# Caching and errors


def test_a_cached_response_is_answered_with_304(site: httpx.Client) -> None:
    first = site.get("/api/position/number-duel?moves=%2B5")
    assert "max-age" in first.headers["cache-control"]
    again = site.get("/api/position/number-duel?moves=%2B5", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("position/chess", 404, "There is no game 'chess'"),
        ("position/Number-Duel", 404, "There is no game 'Number-Duel'"),
        ("position/number-duel?moves=+5", 422, "In a link, write + as %2B."),
        ("position/number-duel?moves=x11", 422, "Move 1, 'x11': 'x11' is not a move in Number Duel."),
        ("position/operation-target?moves=x2%20x2%20x2", 422, "Move 3, 'x2': Player 1 cannot Multiply by 2 again"),
        ("position/number-duel?goal=60", 422, "A link of this kind has no 'goal'"),
        ("position/number-duel?target=60&target=70", 422, "The link has 'target' twice."),
        ("position/number-duel?target=-1", 422, "target must be an integer from 1 to 10^6; -1 is not."),
        ("position/number-duel?position=1;2", 422, "A position of Number Duel is written like 1;0;0;2,2"),
        ("position/number-duel?position=1;60;0;2,2,2,2,2,2,2,2,2,2", 422, "A score must be an integer from 0"),
        ("position/number-duel?first=3", 422, "first must be an integer from 1 to 2; '3' is not."),
        ("position/number-duel?opening=1", 422, "opening must be an integer from 0 to 0; '1' is not."),
        ("position/number-duel?moves=%2B5%20%2B10%20x10&conceded=1", 422, "The game is over."),
        ("position/equation-duel?highest=99", 422, "has 38,808 different moves; this server goes up to 1,000."),
        ("objection/number-duel?picks=99", 422, "picks must be the index of a choice"),
        ("reply/number-duel?vs=9", 422, "vs must be one of random, 1, 2"),
        ("position/number-duel?names=Ann", 422, "The players need two different names."),
        ("reply/number-duel?vs=4&moves=%2B5%20%2B10%20x10", 422, "The game is over. Player 1 has reached 50 points."),
        ("hint/number-duel?step=5", 422, "step must be an integer from 1 to 4; '5' is not."),
        ("judge/number-duel?move=%2B11", 422, "'+11' is not a move in Number Duel."),
        ("judge/operation-target?moves=x2%20x2&move=x2", 422, "Player 1 cannot Multiply by 2 again"),
        ("attempt/number-duel?move=%2B11", 422, "'+11' is not a move in Number Duel."),
        ("solve/number-duel?you=1", 422, "A link of this kind has no 'you'"),
        ("solve/numerical-nexus?position=1;50,3,2,1,2,1,1;0,3,2,1,2,1,1;", 200, "Player 1 has reached"),
        ("solve/numerical-nexus?position=1;20,3,2,1,2,1,1;0,3,2,1,2,1,1;", 422, "has no position with the hands"),
        ("puzzle?date=yesterday", 422, "date must be a day such as"),
        ("puzzle?tier=5", 422, "tier must be an integer from 1 to 4; '5' is not."),
        ("puzzle?target=60", 422, "Options belong to a game: name it with game=."),
        ("sheet", 422, "game must be one of equation-duel"),
        ("sheet?game=number-duel&count=99", 422, "count must be an integer from 1 to 24; '99' is not."),
        ("start/number-duel?kind=odd", 422, "kind must be book or fair; 'odd' is not."),
        ("solve/number-duel?target=1000000", 413, "too large to be worked out here."),
        ("nothing", 404, "Not Found."),
    ],
)
def test_invalid_requests_are_refused_with_a_clear_message(
    site: httpx.Client, path: str, status: int, sentence: str
) -> None:
    answer = site.get(f"/api/{path}")
    assert (answer.status_code, sentence in answer.text) == (status, True), answer.text
