"""Every game and variant in OpenSpiel, under one name: importing this module registers `python_digitduels`.

>>> import pyspiel
>>> game = pyspiel.load_game("python_digitduels(game=number-duel,target=60)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.string_to_action("+5"))
>>> print(state)
State(player=1, hands=(5, 0), table=Pool(counts=(2, 2, 2, 2, 1, 2, 2, 2, 2, 2), copies=2))
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from digitduels.adapters import needs
from digitduels.core import IllegalMove, State
from digitduels.games import AnyGame, game, game_class, games
from digitduels.options import Integer, Integers
from digitduels.players.observation import Observation
from digitduels.position_json import position_from_json, position_to_json

with needs("openspiel"):
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

NAME = "python_digitduels"
_CACHED = 100_000  # at most this many sets of legal actions are cached per game

# OpenSpiel needs a default of the right type for every option of every game. These stand for the book's value.
NUMBER, _TEXT = -(2**31), ""


def _unset() -> dict[str, Any]:
    """The options of all games, unset. If games disagree on the type of an option, those of this package decide."""
    kinds = sorted(map(game_class, games()), key=lambda kind: not kind.__module__.startswith("digitduels."))
    values: dict[str, Any] = {}
    for option in (option for kind in kinds for option in kind.options()):
        values.setdefault(option.name, NUMBER if isinstance(option.kind, Integer) else _TEXT)
    return values


_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Digit Duels",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": _TEXT, **_unset()},
    default_loadable=False,  # the parameter `game` is required
)


class Here(NamedTuple):
    """A position with the answers that OpenSpiel asks for most. It is immutable, so it need not be copied."""

    state: State[Any, Any]
    player: int
    returns: tuple[float, float]

    def __deepcopy__(self, memo: object) -> Here:
        return self


class DuelGame(pyspiel.Game):  # type: ignore[misc]
    """An OpenSpiel game; `rules` is our game."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.rules = _rules(parameters)
        self.view = Observation(self.rules)
        self.moves = self.rules.moves
        self.first = self.at(self.rules.start())
        self._legal: dict[Hashable, dict[int, Any]] = {}
        facts = pyspiel.GameInfo(
            num_distinct_actions=len(self.moves),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.rules.longest,
        )
        super().__init__(_TYPE, facts, {"game": self.rules.id, **_parameters(self.rules)})

    def __reduce__(self) -> tuple[Any, ...]:
        # OpenSpiel would restore only the C++ half of a game. The constructor makes both from the parameters.
        return DuelGame, (self.get_parameters(),)

    def __deepcopy__(self, memo: object) -> DuelGame:
        return self  # immutable

    def new_initial_state(self, state: Any = None) -> DuelState:
        """The start, or the position that a struct or a dict describes."""
        if state is None:
            return DuelState(self, self.first)
        placed = state.to_dict() if hasattr(state, "to_dict") else state
        return DuelState(self, self.at(position_from_json(self.rules, placed)))

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> Any:
        if kind is None or kind.public_info:
            return Observer(self, parameters, history=kind is not None and kind.perfect_recall)
        return IIGObserverForPublicInfoGame(kind, parameters)

    def at(self, state: State[Any, Any]) -> Here:
        """A position with its player to move and its returns."""
        outcome = self.rules.outcome(state)
        if outcome is None:
            return Here(state, state.player, (0.0, 0.0))
        returns = {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}
        return Here(state, pyspiel.PlayerId.TERMINAL, returns[outcome.winner])

    def legal(self, state: State[Any, Any]) -> dict[int, Any]:
        """The legal moves by action id, in a game that is not over."""
        key = self.rules.legality(state)
        moves = self._legal.get(key)
        if moves is None:
            if len(self._legal) >= _CACHED:
                self._legal.clear()
            moves = self._legal[key] = {self.view.ids[move]: move for move in self.rules.permitted(state)}
        return moves


class DuelState(pyspiel.State):  # type: ignore[misc]
    """A game in progress in OpenSpiel."""

    # OpenSpiel copies or pickles a state's `__dict__` to clone or serialize it, so the constant `duel` is in a slot.
    __slots__ = ("__dict__", "duel")
    here: Here

    def __init__(self, duel: DuelGame, here: Here) -> None:
        super().__init__(duel)
        self.duel = duel
        self.here = here

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.duel, self.serialize())

    @property
    def position(self) -> State[Any, Any]:
        """The position as a State of our rules."""
        return self.here.state

    def current_player(self) -> int:
        return self.here.player

    def is_terminal(self) -> bool:
        return self.here.player < 0

    def returns(self) -> list[float]:
        return list(self.here.returns)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.duel.legal(self.here.state))

    def _apply_action(self, action: int) -> None:
        duel, (state, player, _) = self.duel, self.here
        move = duel.legal(state).get(action) if player >= 0 else None
        if move is None:
            raise IllegalMove(duel.view.refusal(state, action))
        self.here = duel.at(duel.rules.after(state, move))

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.duel.moves[action])

    def __str__(self) -> str:
        return repr(self.here.state)

    # The structs of OpenSpiel 2, which convert positions and moves to JSON and back.

    def _to_struct(self) -> dict[str, Any]:
        return position_to_json(self.duel.rules, self.here.state)

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        return self._to_struct()

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return {"move": str(self.duel.moves[action])}

    def _struct_to_actions(self, struct: Mapping[str, Any]) -> list[int]:
        return [self.duel.view.ids[self.duel.rules.read(struct["move"], self.here.state)]]


def _restore(duel: DuelGame, text: Any) -> Any:
    """Restores a pickled or copied state with its history."""
    return duel.deserialize_state(text)


class Observer:
    """The observer of a state, as a tensor and as text.

    `turn` is 1 for the player to move and 0 for the other. `position` is the row of `observation.py` from the player's
    side. `history`, for perfect recall, has each move so far as a number above 0 and at most 1.
    """

    def __init__(self, duel: DuelGame, parameters: Any, history: bool) -> None:
        if parameters:
            raise ValueError("Observations of Digit Duels take no parameters.")
        self._view = duel.view
        self._history = history
        self._actions = len(duel.moves)
        width = self._view.shape[0]
        self.tensor = np.zeros(1 + width + history * duel.rules.longest, np.float32)
        self.dict = {"turn": self.tensor[:1], "position": self.tensor[1 : 1 + width]}
        if history:
            self.dict["history"] = self.tensor[1 + width :]

    def set_from(self, state: DuelState, player: int) -> None:
        here = state.here
        self.dict["turn"][0] = here.player == player
        self.dict["position"][:] = self._view.array(here.state, player)
        if self._history:
            past = state.history()
            self.dict["history"][: len(past)] = (np.array(past, np.float32) + 1) / self._actions
            self.dict["history"][len(past) :] = 0

    def string_from(self, state: DuelState, player: int) -> str:
        return f"{state}\n{state.history_str()}" if self._history else str(state)


def _rules(parameters: Mapping[str, Any]) -> AnyGame:
    """The variant that OpenSpiel's parameters describe."""
    changed = {name: value for name, value in parameters.items() if value != _TYPE.parameter_specification[name]}
    name = changed.pop("game", _TEXT)
    for option in game_class(name).options():
        if isinstance(option.kind, Integers) and option.name in changed:
            changed[option.name] = option.kind.read(changed[option.name].replace("/", ","))
    return game(name, **changed)


def _parameters(rules: AnyGame) -> dict[str, Any]:
    """All options of a variant as OpenSpiel parameters. These cannot contain commas, so lists are written as 3/2/1."""
    return {
        name: "/".join(map(str, value)) if isinstance(value, list) else value for name, value in rules.values.items()
    }


pyspiel.register_game(_TYPE, DuelGame)
