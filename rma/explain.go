package rma

// Explainer is a Process that tells others what its program waits for: those who look
// for the rank that a job hangs on, and those who read why it has failed. Libraries
// on Process know more of that than the process itself.
type Explainer interface {
	// Explain gives a function that says what the program waits for, such as "Receive
	// from rank 3 with tag 7", or nothing if it does not know. It is called only if
	// somebody asks, while the program is in a call that blocks, on its goroutine or while
	// that stands still; it may not call methods of the process. The last function counts.
	Explain(what func() string)
}
