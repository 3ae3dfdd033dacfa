"""Solves games in a browser's Python, where there is no NumPy: a WebAssembly kernel fills the table.

kernel.c is its source. It reads the maps that the other solver reads, and writes the same codes. The table stays in the
memory of the kernel, and Python looks positions up there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from importlib import import_module, resources
from itertools import chain, pairwise
from typing import Any

from digitduels.core import TooLarge
from digitduels.solver.compiled import Compiled
from digitduels.solver.endings import endings
from digitduels.solver.lookup import Lookup, Scale
from digitduels.solver.solution import Progress
from digitduels.solver.verdict import Verdict

_PAGE = 1 << 16  # bytes
_TILE = 64  # codes that the kernel reads at once
_STEPS = 20  # calls of the kernel, between which progress is reported


class Wasm(Lookup):
    """A solution whose table is in the memory of a WebAssembly kernel."""

    def __init__(self, compiled: Compiled, fits: Callable[[int], None], progress: Progress | None = None) -> None:
        """Fills the table. `fits` is called with its size in bytes, and raises TooLarge if that is too much."""
        final = endings(compiled)
        scale = Scale.for_game(compiled, final)
        table = (compiled.positions + _TILE) * scale.size
        fits(table)
        kernel = _Kernel(scale.size)
        numbers, self._totals, codes = _lay_out(compiled, scale, final.scores, kernel.start)
        if not kernel.grow(codes + table):
            raise TooLarge(f"This device has too little memory to solve {compiled.game.title} with these options.")
        kernel.write(kernel.start, numbers)
        kernel.call("prepare")
        board = len(compiled.hands) ** 2
        for index, results in final.by_score.items():
            kernel.call("finish", index, *map(scale.end, results))
        for index, rows in final.by_hands.items():
            ended = array("BH"[scale.size - 1], map(scale.end, chain(*rows)))
            kernel.write(codes + index * board * scale.size, ended)
        for first, last in pairwise(compiled.tables * step // _STEPS for step in range(_STEPS + 1)):
            kernel.call("fill", first, last)
            if progress is not None:
                progress("solving", last / compiled.tables)
        super().__init__(compiled, kernel.codes(codes, compiled.positions), scale)
        self._kernel = kernel

    def by_distance(self) -> dict[Verdict, int]:
        kernel, compiled, size = self._kernel, self.compiled, 4 * (self.scale.top + 1)
        movers, waiters = self._totals + size, self._totals + size + self._hands
        kernel.write(self._totals, bytes(size))
        step = compiled.tables if compiled.maps.depth is None else 1
        for first in range(0, compiled.tables, step):
            for address, known in zip((movers, waiters), compiled.known(first), strict=True):
                kernel.write(address, bytes(known))
            kernel.call("count", first, first + step, movers, waiters, self._totals)
        totals = array("I", kernel.read(self._totals, size))
        return {self.scale.verdict(code): count for code, count in enumerate(totals) if count}


def _lay_out(compiled: Compiled, scale: Scale, scores: array[int], start: int) -> tuple[array[int], int, int]:
    """What the kernel reads, to be written at `start`, and the addresses of room for totals, and of the table."""
    maps, hands, moves = compiled.maps, len(compiled.hands), len(compiled.maps.own)
    takes, which_take = compiled.distinct_takes
    others, which_map = compiled.distinct_others
    ranks = [0] * hands if compiled.always_takes else maps.rank
    sections = [
        array("i", b"".join(map(bytes, maps.own))),
        array("i", which_take),
        array("i", which_map),
        array("i", b"".join(map(bytes, others))),
        array("i", chain(*takes)),
        array("i", map(compiled.ordinal, takes)),
        array("i", scale.stuck(compiled)),
        array("i", [bisect_left(ranks, rank) for rank in range(ranks[-1] + 2)]),
        scores,
    ]
    head = [hands, moves, len(takes), compiled.digits, compiled.base, ranks[-1] + 1, *scale]
    # Room for steps, starts and endings, as `prepare` writes them, and for totals and the hands that `count` reads
    steps = len(takes) * hands
    room = [8 * moves * hands, 4 * (steps + 1), steps * scale.size, 4 * (scale.top + 1) + 2 * hands]
    at = start + 4 * (len(head) + len(sections) + len(room))
    for section in sections:
        head.append(at)
        at += 4 * len(section)
    for size in room:
        at += -at % _TILE
        head.append(at)
        at += size
    totals, codes = head.pop(), at + -at % _TILE
    return array("i", chain((*head, codes), *sections)), totals, codes


class _Kernel:
    """A running kernel, in Pyodide."""

    def __init__(self, size: int) -> None:
        """Starts the kernel for codes of this size in bytes."""
        js: Any = import_module("js")  # the names of JavaScript
        from pyodide.ffi import to_js  # type: ignore[import-not-found]

        def plain(value: Any) -> Any:
            return to_js(value, dict_converter=js.Object.fromEntries)

        program = resources.files(__package__).joinpath(f"kernel{8 * size}.wasm").read_bytes()
        self._memory = js.WebAssembly.Memory.new(plain({"initial": 2}))
        imports = plain({"env": {"memory": self._memory}})
        self._exports = js.WebAssembly.Instance.new(js.WebAssembly.Module.new(plain(program)), imports).exports
        self._bytes, self._codes = js.Uint8Array, js.Uint8Array if size == 1 else js.Uint16Array
        unused = getattr(self._exports, "__heap_base").value
        self.start = unused + -unused % _TILE
        """The first address that the kernel does not use itself: that of its `game`."""

    def grow(self, size: int) -> bool:
        """Enlarges the memory to this size in bytes; returns whether the device has so much."""
        from pyodide.ffi import JsException

        try:
            self._memory.grow(-(-size // _PAGE) - self._memory.buffer.byteLength // _PAGE)
        except JsException:
            return False
        return True

    def call(self, name: str, *numbers: int) -> None:
        """Calls a function of the kernel."""
        getattr(self._exports, name)(self.start, *numbers)

    def write(self, address: int, numbers: bytes | array[int]) -> None:
        content = bytes(numbers)
        self._bytes.new(self._memory.buffer, address, len(content)).assign(content)

    def read(self, address: int, size: int) -> bytes:
        content: bytes = self._bytes.new(self._memory.buffer, address, size).to_bytes()
        return content

    def codes(self, address: int, count: int) -> Any:
        """The codes at an address, which can be looked up by index."""
        return self._codes.new(self._memory.buffer, address, count)
