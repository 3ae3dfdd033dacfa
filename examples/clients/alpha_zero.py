"""OpenSpiel's AlphaZero learns by self-play, with an actor and a learner in separate processes."""

from __future__ import annotations

import contextlib
import io
import tempfile
from typing import Any

import pyspiel
from exam import NAME, OPTIONS, SECONDS, examine
from open_spiel.python.algorithms.alpha_zero import alpha_zero
from open_spiel.python.algorithms.alpha_zero.evaluator import AlphaZeroEvaluator

import digitduels.adapters.openspiel as openspiel  # registers the games
from digitduels.position_json import position_to_json

GAME = f"{openspiel.NAME}(game={NAME},{','.join(f'{name}={value}' for name, value in OPTIONS.items())})"
STEPS, SEARCH = max(1, round(SECONDS / 10)), 20  # learning steps, each after 64 new positions; simulations per search


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = alpha_zero.Config(
            game=GAME,
            path=folder,
            learning_rate=0.003,
            weight_decay=1e-4,
            decouple_weight_decay=False,
            train_batch_size=64,
            replay_buffer_size=256,
            replay_buffer_reuse=4,
            max_steps=STEPS,
            checkpoint_freq=STEPS,
            actors=1,
            evaluators=0,
            evaluation_window=10,
            eval_levels=2,
            uct_c=1.5,
            max_simulations=SEARCH,
            policy_alpha=1.0,
            policy_epsilon=0.25,
            temperature=1.0,
            temperature_drop=4,
            nn_model="mlp",
            nn_width=64,
            nn_depth=2,
            observation_shape=None,
            output_size=None,
            verbose=False,
            quiet=True,
        )
        with contextlib.redirect_stdout(io.StringIO()):
            alpha_zero.alpha_zero(config)
        game = pyspiel.load_game(GAME)
        config = config.replace(
            observation_shape=game.observation_tensor_shape(), output_size=game.num_distinct_actions()
        )
        model = alpha_zero._init_model_from_config(config)
        model.load_checkpoint(-1)
        network = AlphaZeroEvaluator(game, model)

    def choose(state: Any) -> int:
        """The move of the network alone, without a search."""
        position = game.new_initial_state(position_to_json(game.rules, state))
        actions = network.prior(position)
        return int(max(actions, key=lambda pair: pair[1])[0])

    print(f"{STEPS} steps of learning, searches of {SEARCH} simulations")
    print(examine(choose))


if __name__ == "__main__":
    main()
