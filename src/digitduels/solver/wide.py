"""Wide instructions for the kernels: 64 codes at a time, which Numba does not find by itself.

Each works on flat arrays of codes from a given element on. LLVM turns them into whatever the processor has.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WIDTH = 64
SQUARE = 16


def _pointer(context: Any, builder: Any, kind: Any, array: Any, element: Any, length: int) -> Any:
    """Where `length` codes stand from `element` of an array on, as one vector."""
    vector = ir.VectorType(context.get_value_type(kind.dtype), length)
    data = cgutils.create_struct_proxy(kind)(context, builder, value=array).data  # type: ignore[no-untyped-call]
    return builder.bitcast(builder.gep(data, [element]), vector.as_pointer())


def _raise_to(_: Any, into: Any, to: Any, source: Any, start: Any) -> Any:
    """into[to : to + 64] = max of itself and source[start : start + 64]"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        target = _pointer(context, builder, signature.args[0], values[0], values[1], WIDTH)
        origin = _pointer(context, builder, signature.args[2], values[2], values[3], WIDTH)
        mine, other = builder.load(target, align=align), builder.load(origin, align=align)
        more = builder.select(builder.icmp_unsigned(">", mine, other), mine, other)
        builder.store(more, target, align=align)
        return context.get_dummy_value()

    return types.void(into, to, source, start), generate


def _copy(_: Any, into: Any, to: Any, source: Any, start: Any) -> Any:
    """into[to : to + 64] = source[start : start + 64]"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        target = _pointer(context, builder, signature.args[0], values[0], values[1], WIDTH)
        origin = _pointer(context, builder, signature.args[2], values[2], values[3], WIDTH)
        builder.store(builder.load(origin, align=align), target, align=align)
        return context.get_dummy_value()

    return types.void(into, to, source, start), generate


def _turn(_: Any, into: Any, to: Any, source: Any, start: Any) -> Any:
    """Transposes a square of 16 by 16 codes between two tiles whose rows are 64 long."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        step = values[3].type

        def row(kind: Any, array: Any, element: Any, number: int) -> Any:
            place = builder.add(element, ir.Constant(step, number * WIDTH))
            return _pointer(context, builder, kind, array, place, SQUARE)

        rows = [builder.load(row(signature.args[2], values[2], values[3], n), align=align) for n in range(SQUARE)]
        # Interleaving row n with row n + 8 four times over turns rows into columns.
        half = SQUARE // 2
        weave = [n // 2 + SQUARE * (n % 2) for n in range(SQUARE)]
        masks = [
            ir.Constant(ir.VectorType(ir.IntType(32), SQUARE), [place + shift for place in weave])
            for shift in (0, half)
        ]
        for _ in range(4):
            rows = [builder.shuffle_vector(rows[n // 2], rows[n // 2 + half], masks[n % 2]) for n in range(SQUARE)]
        for n, column in enumerate(rows):
            builder.store(column, row(signature.args[0], values[0], values[1], n), align=align)
        return context.get_dummy_value()

    return types.void(into, to, source, start), generate


raise_to: Any = intrinsic(_raise_to)
copy: Any = intrinsic(_copy)
turn: Any = intrinsic(_turn)
