"""The loops of the vectorised environment, compiled by Numba. They work on the integers of vector.World and Games.

A game in progress is a row of counts (the pool), the hand of the player to move, the hand of the waiting player, and
the player to move. Functions that run in every step are inlined and take the index of a game instead of an array slice,
and Numba's reference counting of arrays is off (`_nrt`). Otherwise calls and counting would take most of the time.
"""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from digitduels.adapters import BEGINNINGS
from digitduels.players.policy import PERFECT, UNIFORM
from digitduels.players.policy_kernels import judge_moves, probabilities, weigh
from digitduels.solver.compiled import LOST, WON
from digitduels.solver.jit import inline, uncounted

DRAWS = 24  # how many random draws to try before counting the legal moves


@inline
def draw(rng: Any, below: Any) -> Any:
    """Draws a random integer from 0 to below - 1 and advances the generator (SplitMix64)."""
    rng[0] += uint64(0x9E3779B97F4A7C15)
    mixed = rng[0]
    mixed = (mixed ^ (mixed >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> uint64(27))) * uint64(0x94D049BB133111EB)
    return ((mixed >> uint64(32)) * uint64(below)) >> uint64(32)


@inline
def any_of(mask: Any, game: Any, rng: Any) -> Any:
    """A uniformly random legal move of a game; 0 if there is none."""
    moves = uint64(mask.shape[1])
    for _ in range(DRAWS):
        move = draw(rng, moves)
        if mask[game, move]:
            return move
    left: Any = uint64(0)
    for move in range(moves):
        left += uint64(mask[game, move])
    if left:
        left = draw(rng, left)
    for move in range(moves):
        if mask[game, move]:
            if left == 0:
                return move
            left -= uint64(1)
    return uint64(0)


@uncounted
def sample(mask: Any, rng: Any, actions: Any) -> None:
    """Writes a random legal move for each game."""
    for game in range(uint64(len(mask))):
        actions[game] = any_of(mask, game, rng)


@inline
def permit(world: Any, counts: Any, mask: Any, game: Any, hand: Any) -> Any:
    """Writes the mask of legal moves; returns whether the pool has the numbers for any move, legal or not."""
    legal, allowed, takes = world.legal, world.allowed, world.arrays.takes
    moves, digits = uint64(mask.shape[1]), uint64(counts.shape[1])
    if len(allowed):
        pattern = uint64(0)
        for digit in range(digits):
            pattern |= uint64(counts[game, digit] > 0) << digit
        if world.free:
            for move in range(moves):
                mask[game, move] = allowed[pattern, move]
        else:
            for move in range(moves):
                mask[game, move] = allowed[pattern, move] & legal[hand, move]
        free = world.open[pattern]
    else:
        free = False
        for move in range(moves):
            there = True
            for digit in range(digits):
                there &= counts[game, digit] >= takes[move, digit]
            free |= there
            mask[game, move] = there & legal[hand, move]
    return free


@inline
def index(world: Any, counts: Any, game: Any) -> Any:
    """The index of a pool among all pools."""
    weights = world.arrays.weights
    index = int64(0)
    for digit in range(uint64(counts.shape[1])):
        index += int64(counts[game, digit]) * weights[digit]
    return index


@inline
def ended(finals: Any, table: Any, moving: Any, waiting: Any) -> Any:
    """The result of a game at a table without moves, for the waiting player."""
    tables, scores, by_score, by_hands = finals.tables, finals.scores, finals.by_score, finals.by_hands
    low, high = uint64(0), uint64(len(tables))
    while low < high:
        middle = (low + high) >> uint64(1)
        if tables[middle] < table:
            low = middle + uint64(1)
        else:
            high = middle
    if len(by_hands):
        return int64(by_hands[low, waiting, moving])
    mine, other = scores[waiting], scores[moving]
    return int64(by_score[low, uint64(1) if mine > other else uint64(2) if mine < other else uint64(0)])


@inline
def move_on(world: Any, counts: Any, hands: Any, mask: Any, game: Any, move: Any) -> Any:
    """Plays a legal move and writes the next player's mask; returns 0, or the mover's result if the game ended."""
    own, other, takes, ends = world.arrays.own, world.arrays.other, world.arrays.takes, world.arrays.ends
    mine = uint64(own[uint64(hands[game, 0]), move])
    theirs = uint64(other[uint64(hands[game, 1]), move])
    hands[game, 0], hands[game, 1] = theirs, mine
    for digit in range(uint64(counts.shape[1])):
        counts[game, digit] -= takes[move, digit]
    result = int64(0)
    if mine >= uint64(len(own)):
        result = int64(ends[mine - uint64(len(own))])
    elif permit(world, counts, mask, game, theirs):
        result = int64(world.stuck[theirs])
        # That is the next player's result; the mover's is the opposite.
        if result in (WON, LOST):
            result = WON + LOST - result
    else:
        result = ended(world.finals, index(world, counts, game), theirs, mine)
    return result


@inline
def drawn(world: Any, counts: Any, hands: Any, mask: Any, game: Any, rng: Any) -> Any:
    """Draws a move with the probabilities of the opponent's policy."""
    entries, ways, chances, mine, theirs = (
        world.entries,
        world.arrays.ways,
        world.chances,
        hands[game, 0],
        hands[game, 1],
    )
    legal = 0
    for move in range(uint64(mask.shape[1])):
        if mask[game, move] and ways[mine, move]:
            entries[legal].move, entries[legal].ways = move, ways[mine, move]
            legal += 1
    best = judge_moves(entries, legal, index(world, counts, game), mine, theirs, world.rules)
    weigh(entries, legal, mine, theirs, world.rules)
    if world.kind == PERFECT and best <= 0:
        for entry in range(legal):
            if entries[entry].value == best:
                entries[entry].hope = chances[entries[entry].after] if entries[entry].after >= 0 else 0
    probabilities(entries, legal, best, world.kind, world.sight, world.losing)
    left = float(draw(rng, 1 << 32)) / (1 << 32)
    choice = int64(0)
    for entry in range(legal):
        if entries[entry].likely > 0.0:
            choice = entries[entry].move
            left -= entries[entry].likely
            if left < 0.0:
                break
    return uint64(choice)


@inline
def answer(world: Any, counts: Any, hands: Any, mask: Any, game: Any, rng: Any) -> Any:
    """Plays the opponent's move; returns the same as move_on."""
    move = any_of(mask, game, rng) if world.kind == UNIFORM else drawn(world, counts, hands, mask, game, rng)
    return move_on(world, counts, hands, mask, game, move)


@inline
def begin(world: Any, games: Any, game: Any, alone: Any, seat: Any, rng: Any) -> None:
    """Starts a new game. If the opponent moves first, it does so unless that ends the game in every try."""
    counts, hands, mask, player = games.counts, games.hands, games.mask, games.player
    starts, firsts, openings, movers = world.start_counts, world.start_hands, world.start_masks, world.start_players
    start = uint64(0)
    if len(movers) > 1:
        start = draw(rng, uint64(len(movers)))
    agent = seat
    if seat == 2:
        agent = int64(movers[start]) if alone else int64(draw(rng, 2))
    tries = 0
    if not alone and agent != movers[start]:
        tries = BEGINNINGS
    started = False
    while not started:
        for digit in range(uint64(counts.shape[1])):
            counts[game, digit] = starts[start, digit]
        for move in range(uint64(mask.shape[1])):
            mask[game, move] = openings[start, move]
        hands[game, 0], hands[game, 1] = firsts[start, 0], firsts[start, 1]
        player[game] = movers[start] ^ (tries > 0)
        started = tries == 0 or answer(world, counts, hands, mask, game, rng) == 0
        tries -= 1


@inline
def show(world: Any, counts: Any, game: Any, mine: Any, theirs: Any, rows: Any) -> None:
    """Writes the observation of the player with the hand `mine`."""
    features = world.features
    wide = uint64(features.shape[1])
    for entry in range(wide):
        rows[game, entry] = features[mine, entry]
    for entry in range(wide):
        rows[game, wide + entry] = features[theirs, entry]
    for digit in range(uint64(counts.shape[1])):
        rows[game, wide + wide + digit] = counts[game, digit]


@uncounted
def reset(world: Any, games: Any, results: Any, restart: Any, alone: Any, seat: Any, rng: Any) -> None:
    """Starts a new game wherever `restart` is true."""
    hands = games.hands
    for game in range(uint64(len(hands))):
        if restart[game]:
            results.over[game] = False
            begin(world, games, game, alone, seat, rng)
            show(world, games.counts, game, uint64(hands[game, 0]), uint64(hands[game, 1]), games.rows)


@uncounted
def step(world: Any, games: Any, results: Any, actions: Any, alone: Any, seat: Any, same: Any, rng: Any) -> None:
    """Plays one action in every game, and the opponent's reply.

    When a game ends, a new one starts in the `same` step, or else in the next step, which ignores the action.
    """
    counts, hands, mask, player, rows = games.counts, games.hands, games.mask, games.player, games.rows
    illegal, done, reward, final = results.illegal, results.done, results.reward, results.final
    over, moves = results.over, mask.shape[1]
    for game in range(uint64(len(actions))):
        restart = over[game]
        agent = uint64(0)
        if restart:
            over[game] = illegal[game] = done[game] = False
            reward[game] = 0
        else:
            action = actions[game]
            allowed = 0 <= action < moves and mask[game, uint64(action)] != 0
            sign, result = 1, int64(LOST)
            if allowed:
                result = move_on(world, counts, hands, mask, game, uint64(action))
                if not alone and result == 0:
                    sign = -1
                    result = answer(world, counts, hands, mask, game, rng)
            illegal[game] = not allowed
            done[game] = result != 0
            reward[game] = sign * (int64(result == WON) - int64(result == LOST))
            if result == 0:
                player[game] ^= alone
            else:
                # The final observation is for the agent, or for the player who would move next.
                agent = uint64(not alone and sign > 0 and allowed)
                mine, theirs = uint64(hands[game, agent]), uint64(hands[game, uint64(1) - agent])
                show(world, counts, game, mine, theirs, final)
                restart, over[game] = same, not same
                if not same:
                    player[game] ^= allowed and (alone or sign > 0)  # the player who would move next
                    for move in range(uint64(moves)):
                        mask[game, move] = 0
        if restart:
            begin(world, games, game, alone, seat, rng)
            agent = uint64(0)
        show(world, counts, game, uint64(hands[game, agent]), uint64(hands[game, uint64(1) - agent]), rows)
