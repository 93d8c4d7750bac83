package cli

import (
	"errors"

	"musubi/report/files"
)

// Exit statuses, beside 0 for success.
const (
	StatusNo          = 1 // the answer is "no"
	StatusUsage       = 2 // the command line or an input file is wrong
	StatusInterrupted = 3
)

// ExitError is an error with an exit status of its own.
type ExitError struct {
	Status int
	Err    error
}

func (e *ExitError) Error() string { return e.Err.Error() }
func (e *ExitError) Unwrap() error { return e.Err }

// TidyUp removes the files that a command which was interrupted is still writing. The process ends then.
func TidyUp() { files.Abandon() }

// EndsByItself is the annotation of commands that end in good time after an interrupt,
// and say so in their help.
const EndsByItself = "ends by itself"

// ErrNo is returned by commands whose answer is "no" and that have said so in
// their results.
var ErrNo = errors.New(`the answer is "no"`)

// Answer turns the answer to the user's question into what a command returns.
func Answer(yes bool) error {
	if !yes {
		return ErrNo
	}
	return nil
}
