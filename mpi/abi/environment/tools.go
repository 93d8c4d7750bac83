package environment

import (
	"strings"

	"musubi/mpi/abi"
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

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_T_init_thread": func(c *abi.Call) error {
			c.Tools.Uses++
			c.PutInt(c.Words[1], min(c.At(0), standard.ThreadSerialized))
			return nil
		},
		"MPI_T_finalize": asTool(func(c *abi.Call) int {
			c.Tools.Uses--
			return standard.Success
		}),
		"MPI_T_category_changed": asTool(func(c *abi.Call) int {
			c.PutInt(c.Words[0], 0)
			return standard.Success
		}),
		"MPI_T_pvar_session_create": asTool(createToolSession),
		"MPI_T_pvar_session_free":   asTool(freeToolSession),
	})
	for _, name := range standard.Functions {
		if strings.HasPrefix(name, "MPI_T_") && abi.Registered[name] == nil {
			abi.Add(map[string]func(c *abi.Call) error{name: asTool(withoutVariables(name))})
		}
	}
}

// asTool returns a function of the tools interface: its result is a code.
func asTool(do func(c *abi.Call) int) func(c *abi.Call) error {
	return func(c *abi.Call) error {
		if c.Tools.Uses == 0 {
			c.Result = toolsNotInitialized
			return nil
		}
		c.Result = int64(do(c))
		return nil
	}
}

// withoutVariables returns what a function about variables and the like does where there are none.
func withoutVariables(name string) func(c *abi.Call) int {
	code := toolsInvalidHandle
	switch {
	case strings.HasSuffix(name, "_get_num"):
		return func(c *abi.Call) int {
			c.PutInt(c.Words[0], 0)
			return standard.Success
		}
	case strings.HasSuffix(name, "_get_index"):
		code = toolsInvalidName
	case strings.HasPrefix(name, "MPI_T_enum_"):
		code = toolsInvalidItem
	case name == "MPI_T_pvar_handle_alloc":
		return func(c *abi.Call) int {
			if !c.Tools.Sessions[c.Words[0]] {
				return toolsInvalidSession
			}
			return toolsInvalidIndex
		}
	case strings.HasPrefix(name, "MPI_T_category_"), strings.HasPrefix(name, "MPI_T_source_"), strings.HasSuffix(name, "_handle_alloc"),
		name == "MPI_T_cvar_get_info", name == "MPI_T_pvar_get_info", name == "MPI_T_event_get_info":
		code = toolsInvalidIndex
	}
	return func(*abi.Call) int { return code }
}

func createToolSession(c *abi.Call) int {
	if c.Tools.Sessions == nil {
		c.Tools.Sessions = map[int64]bool{}
	}
	c.Tools.Last++
	c.Tools.Sessions[c.Tools.Last] = true
	c.PutWord(c.Words[0], c.Tools.Last)
	return standard.Success
}

func freeToolSession(c *abi.Call) int {
	session := c.Word(c.Words[0])
	if !c.Tools.Sessions[session] {
		return toolsInvalidSession
	}
	delete(c.Tools.Sessions, session)
	c.PutWord(c.Words[0], 0)
	return standard.Success
}
