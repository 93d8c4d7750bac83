package mpi

// opID names an operation of this package in messages.
type opID uint8

const (
	userOp opID = iota // any other one
	sumOp
	productOp
	maxOp
	minOp
	andOp
	orOp
	xorOp
	logicalAndOp
	logicalOrOp
	logicalXorOp
	maxLocationOp
	minLocationOp
)
