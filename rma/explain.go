package rma

// Explainer is a Process that reports what its program waits for: to a user who looks for the rank
// on which a job hangs, and in the error when a job has failed. Libraries on top of Process know
// more about that than the process itself.
type Explainer interface {
	// Explain sets a function that says what the program waits for, such as "Receive from rank 3
	// with tag 7", or returns an empty string if it does not know. It is called only if somebody
	// asks, while the program is in a blocking call, on the program's goroutine or while that
	// goroutine stands still; it may not call methods of the process. The last function counts.
	Explain(what func() string)
}
