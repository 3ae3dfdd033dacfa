"""SIMD operations on 64 codes, for the kernels. Numba does not generate these by itself.

They work on flat arrays, starting at a given element. LLVM compiles them for the processor.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 64
SQUARE = 16


def _pointer(context: Any, builder: Any, kind: Any, array: Any, element: Any, length: int) -> Any:
    """A pointer to a vector: `length` codes of an array, starting at `element`."""
    vector = ir.VectorType(context.get_value_type(kind.dtype), length)
    data = cgutils.create_struct_proxy(kind)(context, builder, value=array).data  # type: ignore[no-untyped-call]
    return builder.bitcast(builder.gep(data, [element]), vector.as_pointer())


def _raise_to(_: Any, into: Any, to: Any, source: Any, start: Any) -> Any:
    """into[to : to + 64] = max of itself and source[start : start + 64]"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        target = _pointer(context, builder, signature.args[0], values[0], values[1], LANES)
        origin = _pointer(context, builder, signature.args[2], values[2], values[3], LANES)
        mine, other = builder.load(target, align=align), builder.load(origin, align=align)
        more = builder.select(builder.icmp_unsigned(">", mine, other), mine, other)
        builder.store(more, target, align=align)
        return context.get_dummy_value()

    return types.void(into, to, source, start), generate


def _raise_some(_: Any, into: Any, to: Any, code: Any, begin: Any, end: Any) -> Any:
    """into[to + begin : to + end] = max of itself and a code; `end` is at most 64"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        into, to, code, begin, end = values
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        target = _pointer(context, builder, signature.args[0], into, to, LANES)
        mine, other = builder.load(target, align=align), _splat(builder, code)
        small = ir.IntType(8)
        first, length = (_splat(builder, builder.trunc(n, small)) for n in (begin, builder.sub(end, begin)))
        indices = ir.Constant(ir.VectorType(small, LANES), list(range(LANES)))
        some = builder.icmp_unsigned("<", builder.sub(indices, first), length)
        more = builder.and_(some, builder.icmp_unsigned(">", other, mine))
        builder.store(builder.select(more, other, mine), target, align=align)
        return context.get_dummy_value()

    return types.void(into, to, code, begin, end), generate


def _splat(builder: Any, value: Any) -> Any:
    """A vector of 64 copies of a value."""
    one = builder.insert_element(
        ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _copy(_: Any, into: Any, to: Any, source: Any, start: Any) -> Any:
    """into[to : to + 64] = source[start : start + 64]"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        target = _pointer(context, builder, signature.args[0], values[0], values[1], LANES)
        origin = _pointer(context, builder, signature.args[2], values[2], values[3], LANES)
        builder.store(builder.load(origin, align=align), target, align=align)
        return context.get_dummy_value()

    return types.void(into, to, source, start), generate


def _turn(_: Any, into: Any, to: Any, source: Any, start: Any) -> Any:
    """Transposes a square of 16 by 16 codes between two tiles whose rows are 64 long."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        align = context.get_abi_sizeof(context.get_value_type(signature.args[0].dtype))
        step = values[3].type

        def row(kind: Any, array: Any, element: Any, number: int) -> Any:
            index = builder.add(element, ir.Constant(step, number * LANES))
            return _pointer(context, builder, kind, array, index, SQUARE)

        rows = [builder.load(row(signature.args[2], values[2], values[3], n), align=align) for n in range(SQUARE)]
        # Interleaving row n with row n + 8 four times turns rows into columns.
        half = SQUARE // 2
        weave = [n // 2 + SQUARE * (n % 2) for n in range(SQUARE)]
        masks = [
            ir.Constant(ir.VectorType(ir.IntType(32), SQUARE), [index + shift for index in weave])
            for shift in (0, half)
        ]
        for _ in range(4):
            rows = [builder.shuffle_vector(rows[n // 2], rows[n // 2 + half], masks[n % 2]) for n in range(SQUARE)]
        for n, column in enumerate(rows):
            builder.store(column, row(signature.args[0], values[0], values[1], n), align=align)
        return context.get_dummy_value()

    return types.void(into, to, source, start), generate


raise_to: Any = intrinsic(_raise_to)
raise_some: Any = intrinsic(_raise_some)
copy: Any = intrinsic(_copy)
turn: Any = intrinsic(_turn)
