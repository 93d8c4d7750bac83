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

// codeOf returns the error code of an error.
func codeOf(err error) int {
	var (
		own   *failure
		inner *fault.Error
	)
	switch {
	case err == nil:
		return standard.Success
	case errors.As(err, &own):
		return own.class
	case errors.As(err, &inner):
		return classes[inner.Class]
	}
	return standard.ErrOther
}

// handled is something that has an error handler.
type handled struct {
	handle     int64
	errhandler int64
}

// errhandler is an error handler of the program.
type errhandler struct {
	function int64
	uses     int
	freed    bool
}

// raise lets the error handler of what a call was about deal with an error, and returns the code.
func (p *Process) raise(c *call, err error) int {
	code := codeOf(err)
	p.lastText[code] = fmt.Sprintf("%s: %v", c.function.name, err)
	on := c.on
	if on == nil {
		if p.selfComm == nil {
			on = &handled{errhandler: standard.ErrorsAreFatal}
			if p.state != notStarted {
				on.errhandler = standard.ErrorsReturn
			}
		} else {
			on = &p.selfComm.handled
			if on.errhandler == standard.ErrorsAreFatal && p.worldComm != nil {
				on = &p.worldComm.handled
			}
		}
	}
	return p.handle(on, code)
}

func (p *Process) handle(on *handled, code int) int {
	switch on.errhandler {
	case standard.ErrorsReturn:
		return code
	case standard.ErrorsAreFatal, standard.ErrorsAbort, 0:
		p.abort(p.errorText(code), 1)
		return code
	}
	if h := p.errhandlers.Get(on.errhandler); h != nil {
		p.ask(HandleError, h.function, on.handle, int64(code))
	}
	return code
}

// Abort ends the process, as a call has gone wrong in a way that no error handler can deal with.
func (p *Process) Abort(text string) { p.abort(text, 1) }

// abort ends the process, and so its job.
func (p *Process) abort(text string, status int) {
	p.host.Tell(text)
	p.ask(Exit, int64(status))
}
