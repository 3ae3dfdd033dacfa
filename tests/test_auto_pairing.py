"""Classes that pair by themselves: who meets whom and when, and that servers neither forget anybody nor pair twice."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from starlette.testclient import TestClient

from digitduels.web.classes import acts
from digitduels.web.classes.acts import LOOK_BACK, PATIENCE, Context, pair_waiting
from digitduels.web.classes.state import Classroom
from digitduels.web.streams.fold import Act
from test_classes import Teacher
from web import application, wait_for

RULES = {
    "game": "operation-target",
    "options": {},
    "mode": "pairs",
    "level": 2,
    "hints": False,
    "takebacks": False,
    "start": "book",
    "anonymous": False,
    "auto_pairing": True,
}


def classroom_of(*names: str, **rules: Any) -> Classroom:
    """A class whose first round began at time 0 with these pupils."""
    classroom = Classroom(acts.begin({**RULES, **rules}, "BCDFG", "a key", 0.0)[0])
    for name in names:
        classroom = acts.join(classroom, f"token of {name}", name, 0.0).value
    return acts.act(classroom, Act("pair", classroom.head, "another key"), Context(0.0)).value


def context(classroom: Classroom, now: float, over: tuple[int, ...] = (), ended: float = 0.0) -> Context:
    """The context at a time, after the games with these indices have ended."""
    ids = [classroom.tables[index].id for index in over]
    return Context(now, dict.fromkeys(ids, (1.0, 0.0)), finished=dict.fromkeys(ids, ended))


def new_pairs(before: Classroom, context: Context) -> list[set[int | None]]:
    """Who is paired now."""
    resolution = pair_waiting(before, context)
    return [] if resolution is None else [set(table.pupils) for table in resolution.value.tables[len(before.tables) :]]


def test_pupils_who_have_not_met_play_at_once_and_others_wait_for_somebody_new() -> None:
    classroom = classroom_of("Ann", "Bob", "Cem", "Dora")
    assert not new_pairs(classroom, context(classroom, 1000.0)), "all are playing"
    one = context(classroom, LOOK_BACK, over=(0,))
    assert not new_pairs(classroom, one), "they have just met"
    assert new_pairs(classroom, one._replace(now=PATIENCE)) == [set(classroom.tables[0].pupils)]
    assert not new_pairs(classroom, context(classroom, LOOK_BACK - 0.1, over=(0, 1))), "they look at the end"
    both = new_pairs(classroom, context(classroom, LOOK_BACK, over=(0, 1)))
    assert len(both) == 2
    assert not any(pair == set(table.pupils) for pair in both for table in classroom.tables)


def test_a_latecomer_gets_somebody_or_after_a_while_the_computer() -> None:
    classroom = classroom_of("Ann", "Bob")
    classroom = acts.join(classroom, "token of Cem", "Cem", 100.0).value
    assert not new_pairs(classroom, context(classroom, 101.0))
    assert new_pairs(classroom, context(classroom, 100.0 + PATIENCE)) == [{3, None}]
    [pair] = new_pairs(classroom, context(classroom, 101.0, over=(0,), ended=101.0 - LOOK_BACK))
    assert 3 in pair
    assert None not in pair
    just_now = context(classroom, 100.0 + PATIENCE, over=(0,), ended=99.0 + PATIENCE)
    assert not new_pairs(classroom, just_now), "somebody is free in a moment"


def test_only_those_who_are_there_are_paired_and_only_while_the_class_plays() -> None:
    classroom = classroom_of("Ann", "Bob", "Cem", "Dora")
    late = context(classroom, 100.0, over=(0, 1))
    away = classroom.tables[0].pupils[0] or 0
    pairs = new_pairs(classroom, late._replace(away=frozenset({away})))
    assert all(away not in pair for pair in pairs)
    assert len(pairs) == 2, "one of the three others plays the computer"
    for kind in ("pause", "end"):
        assert not new_pairs(acts.act(classroom, Act(kind, classroom.head, kind), late).value, late)
    off = Act("settings", classroom.head, "off", {"auto_pairing": False})
    assert not new_pairs(acts.act(classroom, off, late).value, late)
    assert not new_pairs(classroom_of("Ann", "Bob", auto_pairing=False), late)
    gathering = Classroom(acts.begin(RULES, "BCDFG", "a key", 0.0)[0])
    gathering = acts.join(gathering, "token of Ann", "Ann", 0.0).value
    assert not new_pairs(gathering, Context(1000.0)), "the teacher starts the first round"


def test_a_clock_that_was_set_back_keeps_nobody_waiting() -> None:
    classroom = classroom_of("Ann", "Bob")
    assert new_pairs(classroom, context(classroom, 3600.0, over=(0,), ended=7200.0)) == [{1, 2}]


def test_in_a_tournament_only_latecomers_are_paired_and_against_the_computer_everybody() -> None:
    tournament = classroom_of("Ann", "Bob", mode="rounds")
    assert not new_pairs(tournament, context(tournament, 100.0, over=(0,)))
    tournament = acts.join(tournament, "token of Cem", "Cem", 100.0).value
    assert new_pairs(tournament, context(tournament, 100.0 + PATIENCE, over=(0,))) == [{3, None}]
    alone = classroom_of("Ann", "Bob", mode="computer")
    assert new_pairs(alone, context(alone, LOOK_BACK, over=(0,))) == [set(alone.tables[0].pupils)]


def test_the_key_of_an_automatic_pairing_belongs_to_the_version() -> None:
    classroom = classroom_of("Ann", "Bob")
    resolution = pair_waiting(classroom, context(classroom, PATIENCE, over=(0,)))
    assert resolution is not None
    assert resolution.change is not None
    [event] = resolution.change.events
    assert (event.kind, event.key, event.member) == ("pair", f"pair:{classroom.head}", None)
    assert pair_waiting(resolution.value, context(classroom, PATIENCE, over=(0,))) is None


def open_games(teacher: Teacher) -> list[int]:
    """The pupils in games in progress, once for each game."""
    boards = [board for board in teacher.look()["boards"] if board["player"] is not None]
    return sorted(pupil for board in boards for pupil in board["pupils"] if pupil is not None)


def is_over(answer: Response) -> bool:
    """Whether a game is over after somebody has conceded it; not if the computer moved at that moment."""
    assert answer.status_code in (201, 409, 410), answer.text
    return answer.status_code != 409


@pytest.mark.slow
def test_servers_pair_everybody_who_waits_once_and_go_on_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acts, "LOOK_BACK", 0.0)
    monkeypatch.setattr(acts, "PATIENCE", 0.0)
    file = str(tmp_path / "games.sqlite")
    with TestClient(application(database=file)) as client, TestClient(application(database=file)) as other:
        teacher = Teacher(client, auto_pairing=True)
        assert teacher.state["rules"]["auto_pairing"]
        pupils = [teacher.join(name) for name in ("Ann", "Bob", "Cem", "Dora")]
        teacher.act("pair")
        pupils.append(teacher.join("Late"))
        for _ in range(3):
            wait_for(lambda: all(teacher.look(pupil["token"])["playing"] for pupil in pupils))
            elsewhere = other.get(teacher.path, headers=teacher.headers(pupils[0]["token"])).json()
            assert elsewhere["game"] == teacher.look(pupils[0]["token"])["game"]
            assert open_games(teacher) == [pupil["pupil"] for pupil in pupils], "nobody plays two games"
            for pupil in pupils:
                wait_for(lambda token=pupil["token"]: is_over(teacher.move(token, "concede")))
    with TestClient(application(database=file)) as client:
        teacher.client = client
        wait_for(lambda: all(teacher.look(pupil["token"])["playing"] for pupil in pupils))
        assert open_games(teacher) == [pupil["pupil"] for pupil in pupils]
        assert not teacher.act("settings", auto_pairing=False)["rules"]["auto_pairing"]


@pytest.mark.slow
def test_an_api_call_that_does_not_ask_gets_a_class_that_waits_for_its_teacher(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = Teacher(client)
    assert not teacher.state["rules"]["auto_pairing"]
    teacher.join("Ann")
    teacher.join("Bob")
    teacher.act("pair")
    late, service = teacher.join("Late"), client.app.runtime.classes  # type: ignore[attr-defined]
    real_time = time.time
    monkeypatch.setattr(time, "time", lambda: real_time() + 2 * PATIENCE)
    client.portal.call(service.pair_waiting_pupils)  # type: ignore[union-attr]
    assert not teacher.look(late["token"])["playing"]
