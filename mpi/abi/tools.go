package abi

import (
	"strings"

	"musubi/mpi/abi/standard"
)

// The tools interface has no variables, categories, events or sources: programs and tools that ask
// learn so. Its functions return codes of their own, which no error handler gets.

// Error codes of the tools interface.
const (
	toolsNotInitialized = 1003
	toolsInvalidIndex   = 1007
	toolsInvalidItem    = 1008
	toolsInvalidSession = 1009
	toolsInvalidHandle  = 1010
	toolsInvalidName    = 1011
)

// tools is the state of the tools interface.
type tools struct {
	uses     int // MPI_T_init_thread without MPI_T_finalize
	sessions map[int64]bool
	last     int64 // session that has been made
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_T_init_thread": func(c *call) error {
			c.tools.uses++
			c.putInt(c.a[1], min(c.at(0), standard.ThreadSerialized))
			return nil
		},
		"MPI_T_finalize": asTool(func(c *call) int {
			c.tools.uses--
			return standard.Success
		}),
		"MPI_T_category_changed": asTool(func(c *call) int {
			c.putInt(c.a[0], 0)
			return standard.Success
		}),
		"MPI_T_pvar_session_create": asTool((*call).createToolSession),
		"MPI_T_pvar_session_free":   asTool((*call).freeToolSession),
	})
	for _, name := range standard.Functions {
		if strings.HasPrefix(name, "MPI_T_") && implemented[name] == nil {
			add(map[string]func(c *call) error{name: asTool(withoutVariables(name))})
		}
	}
}

// asTool returns a function of the tools interface: its result is a code.
func asTool(do func(c *call) int) func(c *call) error {
	return func(c *call) error {
		if c.tools.uses == 0 {
			c.result = toolsNotInitialized
			return nil
		}
		c.result = int64(do(c))
		return nil
	}
}

// withoutVariables returns what a function about variables and the like does where there are none.
func withoutVariables(name string) func(c *call) int {
	code := toolsInvalidHandle
	switch {
	case strings.HasSuffix(name, "_get_num"):
		return func(c *call) int {
			c.putInt(c.a[0], 0)
			return standard.Success
		}
	case strings.HasSuffix(name, "_get_index"):
		code = toolsInvalidName
	case strings.HasPrefix(name, "MPI_T_enum_"):
		code = toolsInvalidItem
	case name == "MPI_T_pvar_handle_alloc":
		return func(c *call) int {
			if !c.tools.sessions[c.a[0]] {
				return toolsInvalidSession
			}
			return toolsInvalidIndex
		}
	case strings.HasPrefix(name, "MPI_T_category_"), strings.HasPrefix(name, "MPI_T_source_"), strings.HasSuffix(name, "_handle_alloc"),
		name == "MPI_T_cvar_get_info", name == "MPI_T_pvar_get_info", name == "MPI_T_event_get_info":
		code = toolsInvalidIndex
	}
	return func(*call) int { return code }
}

func (c *call) createToolSession() int {
	if c.tools.sessions == nil {
		c.tools.sessions = map[int64]bool{}
	}
	c.tools.last++
	c.tools.sessions[c.tools.last] = true
	c.putWord(c.a[0], c.tools.last)
	return standard.Success
}

func (c *call) freeToolSession() int {
	session := c.word(c.a[0])
	if !c.tools.sessions[session] {
		return toolsInvalidSession
	}
	delete(c.tools.sessions, session)
	c.putWord(c.a[0], 0)
	return standard.Success
}
