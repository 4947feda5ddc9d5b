"""The bits of a floating-point number as an integer, and back, inside compiled functions."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _bitcast(name: str, source: types.Type, target: types.Type, kind: ir.Type) -> object:
    """A numba function that reads the same bits as another type."""

    def typed(typingctx: object, x: object) -> object:
        def codegen(context: object, builder: ir.IRBuilder, signature: object, args: list[ir.Value]) -> ir.Value:
            return builder.bitcast(args[0], kind)

        return target(source), codegen

    typed.__name__ = name
    return intrinsic(typed)


bits64 = _bitcast("bits64", types.float64, types.int64, ir.IntType(64))
float_of_bits64 = _bitcast("float_of_bits64", types.int64, types.float64, ir.DoubleType())
bits32 = _bitcast("bits32", types.float32, types.int32, ir.IntType(32))
float_of_bits32 = _bitcast("float_of_bits32", types.int32, types.float32, ir.FloatType())
