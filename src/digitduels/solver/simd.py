"""SIMD operations on 64 codes or words, for the kernels. Numba does not generate these by itself.

They work on flat arrays, starting at a given element, or on Rows. LLVM compiles them for the processor.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 64
SQUARE = 16
OCTET = 8
_WORDS = ir.VectorType(ir.IntType(64), LANES)
_NO_WORDS = ir.Constant(_WORDS, [0] * LANES)


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


class Rows(types.Type):
    """64 words of bits as one value, so that the processor keeps them in registers."""


_ROWS = Rows("Rows")


@register_model(Rows)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORDS)  # type: ignore[no-untyped-call]


def _no_bits(_: Any) -> Any:
    """Words with no bits set."""
    return _ROWS(), lambda *_: _NO_WORDS


def _join(_: Any, rows: Any, which: Any, source: Any, start: Any) -> Any:
    """rows[n] |= source[start + n], for every bit n of `which`"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        rows, which, source, start = values
        origin = _pointer(context, builder, signature.args[2], source, start, LANES)
        return _add(builder, rows, which, builder.load(origin, align=8))

    return _ROWS(rows, which, source, start), generate


def _spread(_: Any, rows: Any, which: Any, word: Any) -> Any:
    """rows[n] |= word, for every bit n of `which`"""

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        rows, which, word = values
        return _add(builder, rows, which, _splat(builder, word))

    return _ROWS(rows, which, word), generate


def _add(builder: Any, rows: Any, which: Any, more: Any) -> Any:
    """Adds bits to some of the rows."""
    some = builder.bitcast(which, ir.VectorType(ir.IntType(1), LANES))
    return builder.or_(rows, builder.select(some, more, _NO_WORDS))


def _put(_: Any, into: Any, rows: Any) -> Any:
    """into[:64] = rows"""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        target = _pointer(context, builder, signature.args[0], values[0], ir.Constant(ir.IntType(64), 0), LANES)
        builder.store(values[1], target, align=8)
        return context.get_dummy_value()

    return types.void(into, rows), generate


def _turn_bits(_: Any, rows: Any) -> Any:
    """Transposes 64 words of 64 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        words, octets = ir.VectorType(ir.IntType(64), OCTET), ir.VectorType(ir.IntType(8), LANES)

        def pick(one: Any, other: Any, indices: Any) -> Any:
            mask = ir.Constant(ir.VectorType(ir.IntType(32), len(indices)), list(indices))
            return builder.shuffle_vector(one, other, mask)

        groups = [pick(values[0], values[0], range(n, n + OCTET)) for n in range(0, LANES, OCTET)]
        # Splitting the bytes into even and odd ones three times puts the n-th bytes of all words into group n.
        groups = [builder.bitcast(group, octets) for group in groups]
        half = OCTET // 2
        for _ in range(3):
            groups = [
                pick(groups[n % half * 2], groups[n % half * 2 + 1], range(n // half, 2 * LANES, 2))
                for n in range(OCTET)
            ]
        # Every eight bytes are a square of bits. Swapping corners of 1, 2 and 4 bits transposes it.
        groups = [builder.bitcast(group, words) for group in groups]
        for shift, mask in ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0)):
            by, corner = (ir.Constant(words, [number] * OCTET) for number in (shift, mask))
            for n, group in enumerate(groups):
                swap = builder.and_(builder.xor(group, builder.lshr(group, by)), corner)
                groups[n] = builder.xor(builder.xor(group, swap), builder.shl(swap, by))
        # The bytes of a word are now eight apart.
        groups = [builder.bitcast(group, octets) for group in groups]
        groups = [pick(group, group, [n % 8 * 8 + n // 8 for n in range(LANES)]) for group in groups]
        groups = [builder.bitcast(group, words) for group in groups]
        while len(groups) > 1:
            groups = [pick(groups[n], groups[n + 1], range(2 * groups[n].type.count)) for n in range(0, len(groups), 2)]
        return groups[0]

    return _ROWS(rows), generate


raise_to: Any = intrinsic(_raise_to)
raise_some: Any = intrinsic(_raise_some)
copy: Any = intrinsic(_copy)
turn: Any = intrinsic(_turn)
no_bits: Any = intrinsic(_no_bits)
join: Any = intrinsic(_join)
spread: Any = intrinsic(_spread)
put: Any = intrinsic(_put)
turn_bits: Any = intrinsic(_turn_bits)
