package abi

import (
	"reflect"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/reduction"
)

// basicTypes are the types of one element; 0 is one that no reduction but a program's own is for.
var basicTypes = []basicType{
	{standard.Aint, "MPI_AINT", KindOf(reflect.Int64), 8},
	{standard.Count, "MPI_COUNT", KindOf(reflect.Int64), 8},
	{standard.Offset, "MPI_OFFSET", KindOf(reflect.Int64), 8},
	{standard.Packed, "MPI_PACKED", 0, 1},
	{standard.Short, "MPI_SHORT", KindOf(reflect.Int16), 2},
	{standard.Int, "MPI_INT", KindOf(reflect.Int32), 4},
	{standard.Long, "MPI_LONG", KindOf(reflect.Int64), 8},
	{standard.LongLong, "MPI_LONG_LONG_INT", KindOf(reflect.Int64), 8},
	{standard.UnsignedShort, "MPI_UNSIGNED_SHORT", KindOf(reflect.Uint16), 2},
	{standard.Unsigned, "MPI_UNSIGNED", KindOf(reflect.Uint32), 4},
	{standard.UnsignedLong, "MPI_UNSIGNED_LONG", KindOf(reflect.Uint64), 8},
	{standard.UnsignedLongLong, "MPI_UNSIGNED_LONG_LONG", KindOf(reflect.Uint64), 8},
	{standard.Float, "MPI_FLOAT", KindOf(reflect.Float32), 4},
	{standard.CFloatComplex, "MPI_C_COMPLEX", KindOf(reflect.Complex64), 8},
	{standard.CxxFloatComplex, "MPI_CXX_FLOAT_COMPLEX", KindOf(reflect.Complex64), 8},
	{standard.Double, "MPI_DOUBLE", KindOf(reflect.Float64), 8},
	{standard.CDoubleComplex, "MPI_C_DOUBLE_COMPLEX", KindOf(reflect.Complex128), 16},
	{standard.CxxDoubleComplex, "MPI_CXX_DOUBLE_COMPLEX", KindOf(reflect.Complex128), 16},
	{standard.Logical, "MPI_LOGICAL", KindOf(reflect.Int32), 4},
	{standard.Integer, "MPI_INTEGER", KindOf(reflect.Int32), 4},
	{standard.Real, "MPI_REAL", KindOf(reflect.Float32), 4},
	{standard.Complex, "MPI_COMPLEX", KindOf(reflect.Complex64), 8},
	{standard.DoublePrecision, "MPI_DOUBLE_PRECISION", KindOf(reflect.Float64), 8},
	{standard.DoubleComplex, "MPI_DOUBLE_COMPLEX", KindOf(reflect.Complex128), 16},
	{standard.Character, "MPI_CHARACTER", 0, 1},
	{standard.LongDouble, "MPI_LONG_DOUBLE", reduction.LongDouble, 16},
	{standard.CLongDoubleComplex, "MPI_C_LONG_DOUBLE_COMPLEX", reduction.LongDoubleComplex, 32},
	{standard.CxxLongDoubleComplex, "MPI_CXX_LONG_DOUBLE_COMPLEX", reduction.LongDoubleComplex, 32},
	{standard.TwoReal, "MPI_2REAL", reduction.TwoReals, 8},
	{standard.TwoDoublePrecision, "MPI_2DOUBLE_PRECISION", reduction.TwoDoubles, 16},
	{standard.TwoInteger, "MPI_2INTEGER", reduction.IntInt, 8},
	{standard.CBool, "MPI_C_BOOL", KindOf(reflect.Uint8), 1},
	{standard.CxxBool, "MPI_CXX_BOOL", KindOf(reflect.Uint8), 1},
	{standard.Wchar, "MPI_WCHAR", KindOf(reflect.Int32), 4},
	{standard.Int8T, "MPI_INT8_T", KindOf(reflect.Int8), 1},
	{standard.Uint8T, "MPI_UINT8_T", KindOf(reflect.Uint8), 1},
	{standard.Char, "MPI_CHAR", KindOf(reflect.Int8), 1},
	{standard.SignedChar, "MPI_SIGNED_CHAR", KindOf(reflect.Int8), 1},
	{standard.UnsignedChar, "MPI_UNSIGNED_CHAR", KindOf(reflect.Uint8), 1},
	{standard.Byte, "MPI_BYTE", KindOf(reflect.Uint8), 1},
	{standard.Int16T, "MPI_INT16_T", KindOf(reflect.Int16), 2},
	{standard.Uint16T, "MPI_UINT16_T", KindOf(reflect.Uint16), 2},
	{standard.Int32T, "MPI_INT32_T", KindOf(reflect.Int32), 4},
	{standard.Uint32T, "MPI_UINT32_T", KindOf(reflect.Uint32), 4},
	{standard.Int64T, "MPI_INT64_T", KindOf(reflect.Int64), 8},
	{standard.Uint64T, "MPI_UINT64_T", KindOf(reflect.Uint64), 8},
	{standard.Logical1, "MPI_LOGICAL1", KindOf(reflect.Int8), 1},
	{standard.Integer1, "MPI_INTEGER1", KindOf(reflect.Int8), 1},
	{standard.Logical2, "MPI_LOGICAL2", KindOf(reflect.Int16), 2},
	{standard.Integer2, "MPI_INTEGER2", KindOf(reflect.Int16), 2},
	{standard.Logical4, "MPI_LOGICAL4", KindOf(reflect.Int32), 4},
	{standard.Integer4, "MPI_INTEGER4", KindOf(reflect.Int32), 4},
	{standard.Real4, "MPI_REAL4", KindOf(reflect.Float32), 4},
	{standard.Logical8, "MPI_LOGICAL8", KindOf(reflect.Int64), 8},
	{standard.Integer8, "MPI_INTEGER8", KindOf(reflect.Int64), 8},
	{standard.Real8, "MPI_REAL8", KindOf(reflect.Float64), 8},
	{standard.Complex8, "MPI_COMPLEX8", KindOf(reflect.Complex64), 8},
	{standard.Complex16, "MPI_COMPLEX16", KindOf(reflect.Complex128), 16},
	{standard.Logical16, "MPI_LOGICAL16", 0, 16},
	{standard.Integer16, "MPI_INTEGER16", 0, 16},
	{standard.Real16, "MPI_REAL16", 0, 16},
	{standard.Complex32, "MPI_COMPLEX32", 0, 32},
	{standard.TwoInt, "MPI_2INT", reduction.IntInt, 8},
}

// pairTypes are the types of a value and an int behind it.
var pairTypes = []struct {
	handle int64
	name   string
	value  int
	kind   reduction.Kind
}{
	{standard.FloatInt, "MPI_FLOAT_INT", 4, reduction.FloatInt},
	{standard.DoubleInt, "MPI_DOUBLE_INT", 8, reduction.DoubleInt},
	{standard.LongInt, "MPI_LONG_INT", 8, reduction.LongInt},
	{standard.ShortInt, "MPI_SHORT_INT", 2, reduction.ShortInt},
	{standard.LongDoubleInt, "MPI_LONG_DOUBLE_INT", 16, reduction.LongDoubleInt},
}
