"""The loops of the vectorised environment, compiled by Numba. They work on the integers of vector.World and Games.

A game in progress is a row of counts (the pool), the hand of the player to move, the hand of the waiting player, and
the player to move. Functions that run in every step are inlined and take the index of a game instead of an array slice,
and Numba's reference counting of arrays is off (`_nrt`). Otherwise calls and counting would take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

from numba import int64, njit, uint64

from digitduels.adapters import BEGINNINGS
from digitduels.solver.compiled import LOST, WON

ASK = -6  # the pool is exhausted, and the result is unknown
DRAWS = 24  # how many random draws to try before counting the legal moves
RANDOM, PERFECT, LEVEL = 1, 2, 3
FAR = 1 << 40  # greater than any distance

_BARE: dict[str, Any] = {"_nrt": False}
kernel: Callable[[Callable[..., Any]], Callable[..., Any]] = njit(
    nogil=True, cache=True, boundscheck=False, error_model="numpy", **_BARE
)
inline: Callable[[Callable[..., Any]], Callable[..., Any]] = njit(
    nogil=True, boundscheck=False, error_model="numpy", inline="always", **_BARE
)


@inline
def draw(rng: Any, below: Any) -> Any:
    """Draws a random integer from 0 to below - 1 and advances the generator (SplitMix64)."""
    rng[0] += uint64(0x9E3779B97F4A7C15)
    mixed = rng[0]
    mixed = (mixed ^ (mixed >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> uint64(27))) * uint64(0x94D049BB133111EB)
    return ((mixed >> uint64(32)) * uint64(below)) >> uint64(32)


@kernel
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


@kernel
def sample(mask: Any, rng: Any, actions: Any) -> None:
    """Writes a random legal move for each game."""
    for game in range(uint64(len(mask))):
        actions[game] = any_of(mask, game, rng)


@inline
def permit(world: Any, counts: Any, mask: Any, game: Any, hand: Any) -> Any:
    """Writes the mask of legal moves; returns whether the pool has the numbers for any move, legal or not."""
    legal, allowed, takes = world.legal, world.allowed, world.takes
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
    weights = world.weights
    index = int64(0)
    for digit in range(uint64(counts.shape[1])):
        index += int64(counts[game, digit]) * weights[digit]
    return index


@kernel
def ended(last: Any, boards: Any, table: Any, mine: Any, theirs: Any) -> Any:
    """The result of a game with an exhausted pool, for the player who would move next; ASK if unknown."""
    low, high = 0, len(last)
    while low < high:
        middle = (low + high) // 2
        if last[middle] < table:
            low = middle + 1
        else:
            high = middle
    if low == len(last) or last[low] != table:
        return int64(ASK)
    known = boards[low, mine, theirs]
    return int64(known if known else ASK)


@inline
def move_on(world: Any, counts: Any, hands: Any, mask: Any, game: Any, move: Any) -> Any:
    """Plays a legal move and writes the next player's mask; returns 0, or the mover's result if the game ended."""
    own, other, takes, stuck, fate = world.own, world.other, world.takes, world.stuck, world.fate
    mine = uint64(own[uint64(hands[game, 0]), move])
    theirs = uint64(other[uint64(hands[game, 1]), move])
    hands[game, 0], hands[game, 1] = theirs, mine
    for digit in range(uint64(counts.shape[1])):
        counts[game, digit] -= takes[move, digit]
    result = int64(0)
    if mine >= uint64(len(own)):
        result = int64(fate[mine - uint64(len(own))])
    else:
        if not permit(world, counts, mask, game, theirs):
            result = ended(world.last, world.boards, index(world, counts, game), theirs, mine)
        else:
            result = int64(stuck[theirs])
        # That was the next player's result; the mover's is the opposite.
        if result in (WON, LOST):
            result = WON + LOST - result
    return result


@kernel
def best(world: Any, counts: Any, hands: Any, mask: Any, game: Any, rng: Any) -> Any:
    """The move of perfect play, as players/perfect.py chooses it; ties are broken at random.

    That is the quickest win. Without one, it is the move that keeps the value and is most likely to be answered
    wrongly, and of several such moves the one that lasts longest.
    """
    own, other, needs, codes, endings = world.own, world.other, world.needs, world.codes, world.endings
    chances, low, high = world.chances, world.low, world.high
    here, highest, ties = index(world, counts, game), int64(-1), uint64(0)
    choice: Any = uint64(0)
    mine, theirs, count = hands[game, 0], hands[game, 1], len(own)
    for move in range(uint64(mask.shape[1])):
        if mask[game, move]:
            hand = own[mine, move]
            chance = int64(0)
            if hand >= count:
                code = int64(endings[hand - count])
            else:
                after = ((here - needs[move]) * count + hand) * count + other[theirs, move]
                code, chance = int64(codes[after]), int64(chances[after])
            merit = code
            if code >= high:
                merit |= int64(2) << 40
            else:
                merit |= (int64(code >= low) << 40) | (chance << 20)
            if merit > highest:
                highest, choice, ties = merit, move, uint64(1)
            elif merit == highest:
                ties += uint64(1)
                if draw(rng, ties) == 0:
                    choice = move
    return choice


@kernel
def sighted(world: Any, counts: Any, hands: Any, mask: Any, game: Any, rng: Any) -> Any:
    """The move of a level: see players/levels.py. It draws a random depth and sees only results within it."""
    own, other, scores, near_own, near_other = world.own, world.other, world.scores, world.near_own, world.near_other
    depth = world.horizon - world.reach * log(1.0 - float(draw(rng, 1 << 32)) / (1 << 32))
    mine, theirs = hands[game, 0], hands[game, 1]
    quickest, slowest, open_moves = int64(FAR), int64(0), False
    for move in range(uint64(mask.shape[1])):
        if mask[game, move]:
            value, distance = result_of(world, counts, hands, game, move)
            if distance > depth or value == 0:
                open_moves = True
            elif value > 0:
                quickest = min(quickest, distance)
            else:
                slowest = max(slowest, distance)
    choice: Any = uint64(0)
    total = 0.0
    for move in range(uint64(mask.shape[1])):
        if mask[game, move]:
            value, distance = result_of(world, counts, hands, game, move)
            if quickest < FAR:
                eligible = value > 0 and distance == quickest
            elif open_moves:
                eligible = distance > depth or value == 0
            else:
                eligible = distance == slowest
            if eligible:
                to, left = own[mine, move], other[theirs, move]
                weight = near_own[to] * near_other[left]
                if scores[to] == scores[mine] and scores[left] == scores[theirs]:
                    weight *= world.wasted
                total += weight
                if float(draw(rng, 1 << 32)) / (1 << 32) * total < weight:
                    choice = move
    return choice


@inline
def result_of(world: Any, counts: Any, hands: Any, game: Any, move: Any) -> Any:
    """The value of a legal move for the player who makes it, and its distance from the end."""
    own, other, needs, codes, endings = world.own, world.other, world.needs, world.codes, world.endings
    count, hand = len(own), own[hands[game, 0], move]
    if hand >= count:
        code = int64(endings[hand - count])
    else:
        code = int64(
            codes[((index(world, counts, game) - needs[move]) * count + hand) * count + other[hands[game, 1], move]]
        )
    value, distance = int64(0), code - world.low + 1
    if code >= world.high:
        value, distance = int64(1), world.top - code + 1
    elif code < world.low:
        value, distance = int64(-1), code + 1
    return value, distance


@kernel
def answer(world: Any, opponent: Any, counts: Any, hands: Any, mask: Any, game: Any, rng: Any) -> Any:
    """Plays the opponent's move; returns the same as move_on."""
    if opponent == LEVEL:
        move = sighted(world, counts, hands, mask, game, rng)
    elif opponent == PERFECT:
        move = best(world, counts, hands, mask, game, rng)
    else:
        move = any_of(mask, game, rng)
    return move_on(world, counts, hands, mask, game, move)


@inline
def begin(world: Any, games: Any, game: Any, opponent: Any, seat: Any, rng: Any) -> None:
    """Starts a new game. If the opponent moves first, it does so unless that ends the game in every try."""
    counts, hands, mask, player = games.counts, games.hands, games.mask, games.player
    starts, firsts, openings, movers = world.start_counts, world.start_hands, world.start_masks, world.start_players
    start = uint64(0)
    if len(movers) > 1:
        start = draw(rng, uint64(len(movers)))
    agent = seat
    if seat == 2:
        agent = int64(draw(rng, 2)) if opponent else int64(movers[start])
    tries = 0
    if opponent and agent != movers[start]:
        tries = BEGINNINGS
    started = False
    while not started:
        for digit in range(uint64(counts.shape[1])):
            counts[game, digit] = starts[start, digit]
        for move in range(uint64(mask.shape[1])):
            mask[game, move] = openings[start, move]
        hands[game, 0], hands[game, 1] = firsts[start, 0], firsts[start, 1]
        player[game] = movers[start] ^ (tries > 0)
        started = tries == 0 or answer(world, opponent, counts, hands, mask, game, rng) == 0
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


@kernel
def reset(world: Any, games: Any, results: Any, restart: Any, opponent: Any, seat: Any, rng: Any) -> None:
    """Starts a new game wherever `restart` is true."""
    hands = games.hands
    for game in range(uint64(len(hands))):
        if restart[game]:
            results.over[game] = False
            begin(world, games, game, opponent, seat, rng)
            show(world, games.counts, game, uint64(hands[game, 0]), uint64(hands[game, 1]), games.rows)


@kernel
def step(world: Any, games: Any, results: Any, actions: Any, opponent: Any, seat: Any, same: Any, rng: Any) -> Any:
    """Plays one action in every game, and the opponent's reply.

    When a game ends, a new one starts in the `same` step, or else in the next step, which ignores the action.
    Returns the number of games with an unknown result, which results.ask lists.
    """
    counts, hands, mask, player, rows = games.counts, games.hands, games.mask, games.player, games.rows
    illegal, done, reward, final, ask = results.illegal, results.done, results.reward, results.final, results.ask
    over = results.over
    unknown, moves = uint64(0), mask.shape[1]
    for game in range(uint64(len(actions))):
        if over[game]:
            over[game] = illegal[game] = done[game] = False
            reward[game] = 0
            begin(world, games, game, opponent, seat, rng)
            show(world, counts, game, uint64(hands[game, 0]), uint64(hands[game, 1]), rows)
            continue
        action = actions[game]
        allowed = 0 <= action < moves and mask[game, uint64(action)] != 0
        sign, result = 1, int64(LOST)
        if allowed:
            result = move_on(world, counts, hands, mask, game, uint64(action))
            if opponent and result == 0:
                sign = -1
                result = answer(world, opponent, counts, hands, mask, game, rng)
        illegal[game] = not allowed
        done[game] = result != 0
        reward[game] = sign * (int64(result == WON) - int64(result == LOST))
        if result == 0:
            player[game] ^= opponent == 0
            show(world, counts, game, uint64(hands[game, 0]), uint64(hands[game, 1]), rows)
            continue
        # The final observation is for the agent, or for the player who would move next.
        agent = uint64(opponent != 0 and sign > 0 and allowed)
        mine, theirs = uint64(hands[game, agent]), uint64(hands[game, uint64(1) - agent])
        show(world, counts, game, mine, theirs, final)
        if result == ASK:
            ask[unknown, 0], ask[unknown, 1], ask[unknown, 2] = game, index(world, counts, game), hands[game, 0]
            ask[unknown, 3], ask[unknown, 4] = hands[game, 1], sign
            unknown += uint64(1)
        if same:
            begin(world, games, game, opponent, seat, rng)
            show(world, counts, game, uint64(hands[game, 0]), uint64(hands[game, 1]), rows)
        else:
            over[game] = True
            player[game] ^= allowed and (opponent == 0 or sign > 0)  # the player who would move next
            show(world, counts, game, mine, theirs, rows)
            for move in range(uint64(moves)):
                mask[game, move] = 0
    return unknown
