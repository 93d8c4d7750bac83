package rma

// Tracer is a Process that can write down what a program does, as a timeline.
type Tracer interface {
	// Traced reports whether it does; if not, Enter and Leave do nothing.
	Traced() bool
	// Enter notes that the program enters a call of a library above this contract, and Leave that it
	// leaves the call that it has entered last.
	Enter(call string)
	Leave()
}
