package abi

import (
	"fmt"

	"musubi/mpi/abi/standard"
)

// userErrors are the error classes and codes of the program.
type userErrors struct {
	next  int
	class map[int]int // of each code; a class is its own
	text  map[int]string
}

func (p *Process) useErrhandler(h int64) {
	if e := p.errhandlers.Get(h); e != nil {
		e.uses++
	}
}

func (p *Process) unuseErrhandler(h int64) {
	if e := p.errhandlers.Get(h); e != nil {
		if e.uses--; e.uses == 0 && e.freed {
			p.errhandlers.Remove(h)
		}
	}
}

func (p *Process) errhandlerExists(h int64) bool {
	return h == standard.ErrorsAreFatal || h == standard.ErrorsReturn || h == standard.ErrorsAbort || p.errhandlers.Get(h) != nil
}

// errorText returns what has gone wrong last in calls with an error code.
func (p *Process) errorText(code int) string {
	if text := p.errors.text[code]; text != "" {
		return text
	}
	if text := p.lastText[code]; text != "" {
		return text
	}
	if text := standard.ErrorTexts[code]; text != "" {
		return text
	}
	return fmt.Sprintf("error code %d", code)
}

func init() {
	create := func(c *call) error {
		c.putWord(c.a[1], c.errhandlers.Add(&errhandler{function: c.a[0], uses: 0}))
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
				return wrong(standard.ErrErrhandler, "%#x is no error handler", h)
			}
			if e := c.errhandlers.Get(h); e != nil {
				if e.freed = true; e.uses == 0 {
					c.errhandlers.Remove(h)
				}
			}
			c.putWord(c.a[0], standard.ErrhandlerNull)
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
				return wrong(standard.ErrArg, "%d is no error class", c.at(0))
			}
			c.putInt(c.a[1], c.newError(c.at(0)))
			return nil
		},
		"MPI_Add_error_string": func(c *call) error {
			if c.at(0) <= standard.ErrLastcode || !c.errorExists(c.at(0)) {
				return wrong(standard.ErrArg, "%d is no error code of the program", c.at(0))
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
			s := c.sessions.Get(c.a[0])
			if s == nil {
				return nil, wrong(standard.ErrSession, "%#x is no session", c.a[0])
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
					return wrong(standard.ErrErrhandler, "%#x is no error handler", c.a[1])
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
	if code <= standard.ErrLastcode {
		return code >= 0 && (code <= standard.ErrAbi || code == standard.ErrLastcode || code >= 1001 && code <= 1018)
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
		return wrong(standard.ErrArg, "%d is no such error of the program", code)
	}
	delete(c.errors.class, code)
	delete(c.errors.text, code)
	return nil
}

func (c *call) errorClass() error {
	code := c.at(0)
	if !c.errorExists(code) {
		return wrong(standard.ErrArg, "%d is no error code", code)
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
		return wrong(standard.ErrArg, "%d is no error code", code)
	}
	text := ""
	if code <= standard.ErrLastcode {
		text = c.errorText(code)
	} else {
		text = c.errors.text[code]
	}
	c.putInt(c.a[2], c.putText(c.a[1], text, standard.MaxErrorString))
	return nil
}
