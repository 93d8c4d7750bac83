package abi

import (
	"reflect"

	"musubi/mpi/internal/reduction"
)

// basicTypes are the types of one element; 0 is one that no reduction but a program's own is for.
var basicTypes = []basicType{
	{cAint, "MPI_AINT", kindOf(reflect.Int64), 8},
	{cCount, "MPI_COUNT", kindOf(reflect.Int64), 8},
	{cOffset, "MPI_OFFSET", kindOf(reflect.Int64), 8},
	{cPacked, "MPI_PACKED", 0, 1},
	{cShort, "MPI_SHORT", kindOf(reflect.Int16), 2},
	{cInt, "MPI_INT", kindOf(reflect.Int32), 4},
	{cLong, "MPI_LONG", kindOf(reflect.Int64), 8},
	{cLongLong, "MPI_LONG_LONG", kindOf(reflect.Int64), 8},
	{cUnsignedShort, "MPI_UNSIGNED_SHORT", kindOf(reflect.Uint16), 2},
	{cUnsigned, "MPI_UNSIGNED", kindOf(reflect.Uint32), 4},
	{cUnsignedLong, "MPI_UNSIGNED_LONG", kindOf(reflect.Uint64), 8},
	{cUnsignedLongLong, "MPI_UNSIGNED_LONG_LONG", kindOf(reflect.Uint64), 8},
	{cFloat, "MPI_FLOAT", kindOf(reflect.Float32), 4},
	{cCFloatComplex, "MPI_C_FLOAT_COMPLEX", kindOf(reflect.Complex64), 8},
	{cCxxFloatComplex, "MPI_CXX_FLOAT_COMPLEX", kindOf(reflect.Complex64), 8},
	{cDouble, "MPI_DOUBLE", kindOf(reflect.Float64), 8},
	{cCDoubleComplex, "MPI_C_DOUBLE_COMPLEX", kindOf(reflect.Complex128), 16},
	{cCxxDoubleComplex, "MPI_CXX_DOUBLE_COMPLEX", kindOf(reflect.Complex128), 16},
	{cLogical, "MPI_LOGICAL", kindOf(reflect.Int32), 4},
	{cInteger, "MPI_INTEGER", kindOf(reflect.Int32), 4},
	{cReal, "MPI_REAL", kindOf(reflect.Float32), 4},
	{cComplex, "MPI_COMPLEX", kindOf(reflect.Complex64), 8},
	{cDoublePrecision, "MPI_DOUBLE_PRECISION", kindOf(reflect.Float64), 8},
	{cDoubleComplex, "MPI_DOUBLE_COMPLEX", kindOf(reflect.Complex128), 16},
	{cCharacter, "MPI_CHARACTER", 0, 1},
	{cLongDouble, "MPI_LONG_DOUBLE", 0, 16},
	{cCLongDoubleComplex, "MPI_C_LONG_DOUBLE_COMPLEX", 0, 32},
	{cCxxLongDoubleComplex, "MPI_CXX_LONG_DOUBLE_COMPLEX", 0, 32},
	{c2real, "MPI_2REAL", reduction.TwoReals, 8},
	{c2doublePrecision, "MPI_2DOUBLE_PRECISION", reduction.TwoDoubles, 16},
	{c2integer, "MPI_2INTEGER", reduction.IntInt, 8},
	{cCBool, "MPI_C_BOOL", kindOf(reflect.Uint8), 1},
	{cCxxBool, "MPI_CXX_BOOL", kindOf(reflect.Uint8), 1},
	{cWchar, "MPI_WCHAR", kindOf(reflect.Int32), 4},
	{cInt8T, "MPI_INT8_T", kindOf(reflect.Int8), 1},
	{cUint8T, "MPI_UINT8_T", kindOf(reflect.Uint8), 1},
	{cChar, "MPI_CHAR", kindOf(reflect.Int8), 1},
	{cSignedChar, "MPI_SIGNED_CHAR", kindOf(reflect.Int8), 1},
	{cUnsignedChar, "MPI_UNSIGNED_CHAR", kindOf(reflect.Uint8), 1},
	{cByte, "MPI_BYTE", kindOf(reflect.Uint8), 1},
	{cInt16T, "MPI_INT16_T", kindOf(reflect.Int16), 2},
	{cUint16T, "MPI_UINT16_T", kindOf(reflect.Uint16), 2},
	{cInt32T, "MPI_INT32_T", kindOf(reflect.Int32), 4},
	{cUint32T, "MPI_UINT32_T", kindOf(reflect.Uint32), 4},
	{cInt64T, "MPI_INT64_T", kindOf(reflect.Int64), 8},
	{cUint64T, "MPI_UINT64_T", kindOf(reflect.Uint64), 8},
	{cLogical1, "MPI_LOGICAL1", kindOf(reflect.Int8), 1},
	{cInteger1, "MPI_INTEGER1", kindOf(reflect.Int8), 1},
	{cLogical2, "MPI_LOGICAL2", kindOf(reflect.Int16), 2},
	{cInteger2, "MPI_INTEGER2", kindOf(reflect.Int16), 2},
	{cLogical4, "MPI_LOGICAL4", kindOf(reflect.Int32), 4},
	{cInteger4, "MPI_INTEGER4", kindOf(reflect.Int32), 4},
	{cReal4, "MPI_REAL4", kindOf(reflect.Float32), 4},
	{cLogical8, "MPI_LOGICAL8", kindOf(reflect.Int64), 8},
	{cInteger8, "MPI_INTEGER8", kindOf(reflect.Int64), 8},
	{cReal8, "MPI_REAL8", kindOf(reflect.Float64), 8},
	{cComplex8, "MPI_COMPLEX8", kindOf(reflect.Complex64), 8},
	{cComplex16, "MPI_COMPLEX16", kindOf(reflect.Complex128), 16},
	{c2int, "MPI_2INT", reduction.IntInt, 8},
}

// pairTypes are the types of a value and an int behind it.
var pairTypes = []struct {
	handle int64
	name   string
	value  int
	kind   reduction.Kind
}{
	{cFloatInt, "MPI_FLOAT_INT", 4, reduction.FloatInt},
	{cDoubleInt, "MPI_DOUBLE_INT", 8, reduction.DoubleInt},
	{cLongInt, "MPI_LONG_INT", 8, reduction.LongInt},
	{c2int, "MPI_2INT", 4, reduction.IntInt},
	{cShortInt, "MPI_SHORT_INT", 2, reduction.ShortInt},
	{cLongDoubleInt, "MPI_LONG_DOUBLE_INT", 16, reduction.LongDoubleInt},
}
