package abi

import "fmt"

// userErrors are the error classes and codes of the program.
type userErrors struct {
	next  int
	class map[int]int // of each code; a class is its own
	text  map[int]string
}

func (p *Process) useErrhandler(h int64) {
	if e := p.errhandlers.get(h); e != nil {
		e.uses++
	}
}

func (p *Process) unuseErrhandler(h int64) {
	if e := p.errhandlers.get(h); e != nil {
		if e.uses--; e.uses == 0 && e.freed {
			p.errhandlers.remove(h)
		}
	}
}

func (p *Process) errhandlerExists(h int64) bool {
	return h == cErrorsAreFatal || h == cErrorsReturn || h == cErrorsAbort || p.errhandlers.get(h) != nil
}

// errorText returns what has gone wrong last in calls with an error code.
func (p *Process) errorText(code int) string {
	if text := p.errors.text[code]; text != "" {
		return text
	}
	if text := p.lastText[code]; text != "" {
		return text
	}
	if text := classText[code]; text != "" {
		return text
	}
	return fmt.Sprintf("error code %d", code)
}

func init() {
	create := func(c *call) error {
		c.putWord(c.a[1], c.errhandlers.add(&errhandler{function: c.a[0], uses: 0}))
		return nil
	}
	add(map[string]func(c *call) error{
		"MPI_Comm_create_errhandler":    create,
		"MPI_Win_create_errhandler":     create,
		"MPI_File_create_errhandler":    create,
		"MPI_Session_create_errhandler": create,
		"MPI_Errhandler_free": func(c *call) error {
			h := c.word(c.a[0])
			if !c.errhandlerExists(h) {
				return wrong(cErrErrhandler, "%#x is no error handler", h)
			}
			if e := c.errhandlers.get(h); e != nil {
				if e.freed = true; e.uses == 0 {
					c.errhandlers.remove(h)
				}
			}
			c.putWord(c.a[0], cErrhandlerNull)
			return nil
		},
		"MPI_Error_class":  (*call).errorClass,
		"MPI_Error_string": (*call).errorString,
		"MPI_Add_error_class": func(c *call) error {
			c.putInt(c.a[0], c.newError(0))
			return nil
		},
		"MPI_Add_error_code": func(c *call) error {
			if !c.errorExists(c.at(0)) {
				return wrong(cErrArg, "%d is no error class", c.at(0))
			}
			c.putInt(c.a[1], c.newError(c.at(0)))
			return nil
		},
		"MPI_Add_error_string": func(c *call) error {
			if c.at(0) <= cErrLastcode || !c.errorExists(c.at(0)) {
				return wrong(cErrArg, "%d is no error code of the program", c.at(0))
			}
			c.errors.text[c.at(0)] = c.text(c.a[1])
			return nil
		},
		"MPI_Remove_error_class":  func(c *call) error { return c.removeError(c.at(0), true) },
		"MPI_Remove_error_code":   func(c *call) error { return c.removeError(c.at(0), false) },
		"MPI_Remove_error_string": func(c *call) error { delete(c.errors.text, c.at(0)); return nil },
	})
	for _, x := range []struct {
		name string
		find func(c *call) (*handled, error)
	}{
		{"Comm", func(c *call) (*handled, error) {
			m, err := c.comm(0)
			if err != nil {
				return nil, err
			}
			return &m.handled, nil
		}},
		{"Win", func(c *call) (*handled, error) {
			w, err := c.win(0)
			if err != nil {
				return nil, err
			}
			return &w.handled, nil
		}},
		{"Session", func(c *call) (*handled, error) {
			s := c.sessions.get(c.a[0])
			if s == nil {
				return nil, wrong(cErrSession, "%#x is no session", c.a[0])
			}
			return &s.handled, nil
		}},
	} {
		add(map[string]func(c *call) error{
			"MPI_" + x.name + "_set_errhandler": func(c *call) error {
				on, err := x.find(c)
				if err != nil {
					return err
				}
				if !c.errhandlerExists(c.a[1]) {
					return wrong(cErrErrhandler, "%#x is no error handler", c.a[1])
				}
				c.unuseErrhandler(on.errhandler)
				on.errhandler = c.a[1]
				c.useErrhandler(on.errhandler)
				return nil
			},
			"MPI_" + x.name + "_get_errhandler": func(c *call) error {
				on, err := x.find(c)
				if err == nil {
					c.useErrhandler(on.errhandler)
					c.putWord(c.a[1], on.errhandler)
				}
				return err
			},
			"MPI_" + x.name + "_call_errhandler": func(c *call) error {
				on, err := x.find(c)
				if err == nil {
					c.handle(on, c.at(1))
				}
				return err
			},
		})
	}
}

func (c *call) errorExists(code int) bool {
	if code <= cErrLastcode {
		return code >= 0 && (code <= cErrAbi || code == cErrLastcode || code >= 1001 && code <= 1018)
	}
	_, known := c.errors.class[code]
	return known
}

func (c *call) newError(class int) int {
	if c.errors.class == nil {
		c.errors.class, c.errors.text = map[int]int{}, map[int]string{}
	}
	code := c.errors.next
	c.errors.next++
	if class == 0 {
		class = code
	}
	c.errors.class[code] = class
	return code
}

func (c *call) removeError(code int, class bool) error {
	of, known := c.errors.class[code]
	if !known || (of == code) != class {
		return wrong(cErrArg, "%d is no such error of the program", code)
	}
	delete(c.errors.class, code)
	delete(c.errors.text, code)
	return nil
}

func (c *call) errorClass() error {
	code := c.at(0)
	if !c.errorExists(code) {
		return wrong(cErrArg, "%d is no error code", code)
	}
	if class, own := c.errors.class[code]; own {
		code = class
	}
	c.putInt(c.a[1], code)
	return nil
}

func (c *call) errorString() error {
	code := c.at(0)
	if !c.errorExists(code) {
		return wrong(cErrArg, "%d is no error code", code)
	}
	text := ""
	if code <= cErrLastcode {
		text = c.errorText(code)
	} else {
		text = c.errors.text[code]
	}
	c.putInt(c.a[2], c.putText(c.a[1], text, cMaxErrorString))
	return nil
}

// classText says what each error class is about.
var classText = map[int]string{
	cSuccess: "no error", cErrBuffer: "wrong buffer", cErrCount: "wrong count", cErrType: "wrong datatype", cErrTag: "wrong tag", cErrComm: "wrong communicator", cErrRank: "wrong rank",
	cErrRequest: "wrong request", cErrRoot: "wrong root", cErrGroup: "wrong group", cErrOp: "wrong operation", cErrTopology: "wrong topology", cErrDims: "wrong dimensions", cErrArg: "wrong argument",
	cErrUnknown: "unknown error", cErrTruncate: "message truncated", cErrOther: "another error", cErrIntern: "error within the library", cErrPending: "pending request", cErrInStatus: "the error is in the status",
	cErrAccess: "permission denied", cErrAmode: "wrong mode of access", cErrAssert: "wrong assertion", cErrBadFile: "wrong file name", cErrBase: "wrong base address", cErrConversion: "error in a conversion",
	cErrDisp: "wrong displacement", cErrDupDatarep: "data representation defined twice", cErrFileExists: "the file exists", cErrFileInUse: "the file is in use", cErrFile: "wrong file", cErrInfoKey: "wrong key of an info",
	cErrInfoNokey: "no such key in an info", cErrInfoValue: "wrong value of an info", cErrInfo: "wrong info", cErrIo: "error of input or output", cErrKeyval: "wrong attribute key", cErrLocktype: "wrong type of lock",
	cErrName: "no such name", cErrNoMem: "out of memory", cErrNotSame: "arguments differ between ranks", cErrNoSpace: "no space left", cErrNoSuchFile: "no such file", cErrPort: "wrong port", cErrQuota: "quota exceeded",
	cErrReadOnly: "read-only file", cErrRmaAttach: "memory cannot be attached", cErrRmaConflict: "conflicting accesses to a window", cErrRmaRange: "outside the window", cErrRmaShared: "memory cannot be shared",
	cErrRmaSync: "wrong synchronisation", cErrService: "wrong service", cErrSize: "wrong size", cErrSpawn: "processes could not be spawned", cErrUnsupportedDatarep: "unsupported data representation",
	cErrUnsupportedOperation: "unsupported operation", cErrWin: "wrong window", cErrRmaFlavor: "wrong flavor of window", cErrProcAborted: "a process has failed", cErrValueTooLarge: "value too large",
	cErrSession: "wrong session", cErrErrhandler: "wrong error handler", cErrAbi: "wrong ABI", cErrLastcode: "last error code",
}
