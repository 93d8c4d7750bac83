package abi

import (
	"fmt"
	"strings"
	"sync"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/rma"
)

// Process is one rank of a job of C programs.
type Process struct {
	host      Host
	functions []function // by number
	rma       rma.Process
	leave     func() error
	world     *collective.Comm
	engine    *core.Engine
	state     state
	level     int64 // of threads

	calls [maxDepth]call // those under way: one, and more while the program's own functions make some
	depth int

	comms       table[comm]
	groups      table[group]
	types       table[datatype]
	requests    table[request]
	ops         table[operation]
	errhandlers table[errhandler]
	infos       table[info]
	messages    table[message]
	wins        table[win]
	sessions    table[session]

	worldComm, selfComm *comm
	predefined          [predefinedTypes]*datatype
	keyvals             keyvals
	errors              userErrors
	buffers             attachedBuffers
	tools               tools
	lastText            map[int]string // the last error of each class
	openSessions        int
	nullResult          bool // the call has been given no place for a result
	onlySessions        bool // there are sessions, and MPI_Init has not been called
	scratch             [2]scratch
	shadows             []*shadow // of windows whose memory lies in another process
	spare               []*request
}

type state uint8

const (
	notStarted state = iota
	started
	finalized
)

// MostWords is how many words a function has at most.
const MostWords = 16

const maxDepth = 16

// New returns the process of a host. It has joined nobody yet.
func New(h Host) *Process {
	p := &Process{host: h, functions: bound(), lastText: map[int]string{}}
	p.comms.kind, p.groups.kind, p.types.kind, p.requests.kind, p.ops.kind = commKind, groupKind, typeKind, requestKind, opKind
	p.errhandlers.kind, p.infos.kind, p.messages.kind, p.wins.kind, p.sessions.kind = errhandlerKind, infoKind, messageKind, winKind, sessionKind
	p.makePredefined()
	p.keyvals.next = 1000
	p.errors.next = cErrLastcode + 1
	return p
}

// Running reports whether the program is between MPI_Init and MPI_Finalize.
func (p *Process) Running() bool { return p.state == started }

// function is what carries a function out.
type function struct {
	name  string
	do    func(c *call) error
	large bool // counts are MPI_Count
	early bool // may be called before Init and after Finalize
}

// bound returns them by number. Functions add themselves when the program begins, so it is made after.
var bound = sync.OnceValue(bind)

// bind finds what carries out each function of the standard.
func bind() []function {
	all := make([]function, len(functions))
	for i, f := range functions {
		plain := strings.TrimSuffix(f.name, "_c")
		all[i] = function{name: f.name, large: plain != f.name, do: implemented[f.name]}
		if all[i].do == nil {
			all[i].do = implemented[plain]
		}
		all[i].early = early[plain] || strings.HasPrefix(plain, "MPI_T_") || strings.HasSuffix(plain, "_fromint") || strings.HasSuffix(plain, "_toint") ||
			strings.HasPrefix(plain, "MPI_Info_") || strings.HasPrefix(plain, "MPI_Session_") || strings.HasPrefix(plain, "MPI_Abi_") || strings.Contains(plain, "errhandler") || strings.HasPrefix(plain, "MPI_Aint_") || strings.HasPrefix(plain, "MPI_Status_")
	}
	return all
}

// Name returns the name of a function.
func Name(number int) string { return functions[number].name }

// Implemented returns the names of the functions that are carried out, and of those that are refused.
func Implemented() (done, refused []string) {
	for _, f := range bound() {
		if f.do != nil {
			done = append(done, f.name)
		} else {
			refused = append(refused, f.name)
		}
	}
	return done, refused
}

// Call carries out a function by its number, and returns what it returns to C.
func (p *Process) Call(number int, words []int64) int64 {
	if uint(number) >= uint(len(p.functions)) || p.depth == maxDepth {
		return cErrIntern
	}
	f := &p.functions[number]
	c := &p.calls[p.depth]
	p.depth++
	*c = call{Process: p, a: words, large: f.large, function: f}
	for _, s := range p.shadows {
		p.takeShadow(s)
	}
	err := c.carryOut()
	if err == nil && p.nullResult {
		err = wrong(cErrArg, "a null pointer for a result")
	}
	p.nullResult = false
	result := c.result
	if err != nil {
		result = int64(p.raise(c, err))
	}
	for _, s := range p.shadows {
		p.putShadow(s)
	}
	p.depth--
	return result
}

func (c *call) carryOut() error {
	switch {
	case c.function.do == nil:
		return wrong(cErrUnsupportedOperation, "Musubi does not have %s yet", c.function.name)
	case c.state != started && !c.function.early:
		when := "before MPI_Init"
		if c.state == finalized {
			when = "after MPI_Finalize"
		}
		return wrong(cErrOther, "called %s", when)
	}
	return c.function.do(c)
}

// call is one call of the program.
type call struct {
	*Process
	function *function
	a        []int64 // its words
	large    bool    // its counts are MPI_Count
	result   int64   // what it returns, if it does not fail
	on       *handled
}

// at returns a word that is an int or a count.
func (c *call) at(i int) int { return int(c.a[i]) }

// failure is an error of a call: its class, and why.
type failure struct {
	class int
	text  string
}

func (f *failure) Error() string { return f.text }

func wrong(class int, format string, args ...any) error {
	return &failure{class, fmt.Sprintf(format, args...)}
}
