package rma

import "musubi/units"

// Tracer is told which calls of a library above this contract a program is in.
type Tracer interface {
	// Enter tells that the library works from now on, in a call that has a name; Leave, that the program does.
	Enter(call string, now units.Time)
	Leave(now units.Time)
}

// Traced is a Process whose world may want to know that.
type Traced interface {
	// Tracer returns whom to tell, nil if nobody asks.
	Tracer() Tracer
}
