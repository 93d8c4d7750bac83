package abi

import (
	"errors"
	"fmt"

	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/fault"
)

// classes are the error classes of the standard for those of package mpi.
var classes = [...]int{
	fault.Other: standard.ErrOther, fault.Count: standard.ErrCount, fault.Type: standard.ErrType, fault.Tag: standard.ErrTag, fault.Comm: standard.ErrComm, fault.Rank: standard.ErrRank, fault.Root: standard.ErrRoot,
	fault.Group: standard.ErrGroup, fault.Op: standard.ErrOp, fault.Topology: standard.ErrTopology, fault.Dims: standard.ErrDims, fault.Argument: standard.ErrArg, fault.Truncate: standard.ErrTruncate,
	fault.Request: standard.ErrRequest, fault.Window: standard.ErrWin, fault.RMARange: standard.ErrRmaRange, fault.RMASync: standard.ErrRmaSync,
	fault.RMAShared: standard.ErrRmaShared, fault.RMAAttach: standard.ErrRmaAttach, fault.Interrupted: standard.ErrOther,
}

// CodeOf returns the error code of an error.
func CodeOf(err error) int {
	if err == nil {
		return standard.Success
	}
	if own, is := errors.AsType[*Failure](err); is {
		return own.Class
	}
	if inner, is := errors.AsType[*fault.Error](err); is {
		return classes[inner.Class]
	}
	return standard.ErrOther
}

// Handled is something that has an error handler.
type Handled struct {
	Handle     int64
	Errhandler int64
}

// Errhandler is an error handler of the program.
type Errhandler struct {
	Function int64
	Uses     int
	Freed    bool
}

// raise lets the error handler of what a call was about deal with an error, and returns the code.
func (p *Process) raise(c *Call, err error) int {
	code := CodeOf(err)
	p.LastText[code] = fmt.Sprintf("%s: %v", c.Function.Name, err)
	on := c.On
	if on == nil {
		if p.SelfComm == nil {
			on = &Handled{Errhandler: standard.ErrorsAreFatal}
			if p.State != NotStarted {
				on.Errhandler = standard.ErrorsReturn
			}
		} else {
			on = &p.SelfComm.Handled
			if on.Errhandler == standard.ErrorsAreFatal && p.WorldComm != nil {
				on = &p.WorldComm.Handled
			}
		}
	}
	return p.Handle(on, code)
}

// Handle calls an error handler, and returns the code if that returns, or what the program's own has made of it.
func (p *Process) Handle(on *Handled, code int) int {
	switch on.Errhandler {
	case standard.ErrorsReturn:
		return code
	case standard.ErrorsAreFatal, standard.ErrorsAbort, 0:
		p.AbortWith(p.ErrorText(code), 1)
		return code
	}
	if h := p.Errhandlers.Get(on.Errhandler); h != nil {
		_, words := p.Ask(HandleError, h.Function, on.Handle, int64(code))
		return int(int32(words[0]))
	}
	return code
}

// Abort ends the process, as a call has gone wrong in a way that no error handler can deal with.
func (p *Process) Abort(text string) { p.AbortWith(text, 1) }

// AbortWith ends the process, and so its job.
func (p *Process) AbortWith(text string, status int) {
	p.Host.Tell(text)
	p.Ask(Exit, int64(status))
}

// userErrors are the error classes and codes of the program.
type userErrors struct {
	Next  int
	Class map[int]int // of each code; a class is its own
	Text  map[int]string
}

// UseErrhandler counts one more use of an error handler.
func (p *Process) UseErrhandler(h int64) {
	if e := p.Errhandlers.Get(h); e != nil {
		e.Uses++
	}
}

// UnuseErrhandler ends a use of an error handler.
func (p *Process) UnuseErrhandler(h int64) {
	if e := p.Errhandlers.Get(h); e != nil {
		if e.Uses--; e.Uses == 0 && e.Freed {
			p.Errhandlers.Remove(h)
		}
	}
}

// ErrhandlerExists reports whether a handle is that of an error handler.
func (p *Process) ErrhandlerExists(h int64) bool {
	return h == standard.ErrorsAreFatal || h == standard.ErrorsReturn || h == standard.ErrorsAbort || p.Errhandlers.Get(h) != nil
}

// ErrorText returns what has gone wrong last in calls with an error code.
func (p *Process) ErrorText(code int) string {
	if text := p.Errors.Text[code]; text != "" {
		return text
	}
	if text := p.LastText[code]; text != "" {
		return text
	}
	if text := standard.ErrorTexts[code]; text != "" {
		return text
	}
	return fmt.Sprintf("error code %d", code)
}
