package abi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"musubi/mpi/abi/handle"
	"musubi/mpi/abi/shadow"
	"musubi/mpi/abi/standard"
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

	comms       handle.Table[comm]
	groups      handle.Table[group]
	types       handle.Table[datatype]
	requests    handle.Table[request]
	ops         handle.Table[operation]
	errhandlers handle.Table[errhandler]
	infos       handle.Table[info]
	messages    handle.Table[message]
	wins        handle.Table[win]
	sessions    handle.Table[session]

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
	shadows             shadow.All // of windows whose memory lies in another process
	written             bool       // the call may have written to the program's memory that has a copy
	spare               []*request
	threads             *threads // nil: those of the program do not call at once
}

type state uint8

const (
	notStarted state = iota
	started
	finalized
)

// FrontVersion changes with the calls and requests that the front in C and this package hand over.
const FrontVersion = 3

// MostWords is how many words a function has at most.
const MostWords = 16

const maxDepth = 16

// New returns the process of a host. It has joined nobody yet.
func New(h Host) *Process {
	p := &Process{host: h, functions: bound(), lastText: map[int]string{}}
	p.comms.Kind, p.groups.Kind, p.types.Kind, p.requests.Kind, p.ops.Kind = handle.Comm, handle.Group, handle.Datatype, handle.Request, handle.Op
	p.errhandlers.Kind, p.infos.Kind, p.messages.Kind, p.wins.Kind, p.sessions.Kind = handle.Errhandler, handle.Info, handle.Message, handle.Win, handle.Session
	p.makePredefined()
	p.keyvals.next = 1000
	p.errors.next = standard.ErrLastcode + 1
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
	local bool // neither communicates nor takes time
}

// bound returns them by number. Functions add themselves when the program begins, so it is made after.
var bound = sync.OnceValue(bind)

// bind finds what carries out each function of the standard.
func bind() []function {
	all := make([]function, len(standard.Functions))
	for i, name := range standard.Functions {
		plain := strings.TrimSuffix(name, "_c")
		all[i] = function{name: name, large: plain != name, do: implemented[name]}
		if all[i].do == nil {
			all[i].do = implemented[plain]
		}
		all[i].early = early[plain] || earlyFamily.MatchString(plain)
		all[i].local = localFamily.MatchString(plain)
	}
	return all
}

// earlyFamily matches functions that may be called before MPI_Init and after MPI_Finalize.
var earlyFamily = regexp.MustCompile(`^MPI_(T|Info|Session|Abi|Aint|Status)_|errhandler|_(fromint|toint)$`)

// localFamily matches functions in which nothing happens but at the process that calls them.
var localFamily = regexp.MustCompile(`^MPI_(Type|Group|Info|Op|Errhandler|Error|Status|Aint|T)_|^MPI_(Get_address|Get_count|Get_elements\w*|Pack\w*|Unpack\w*|Initialized|Finalized|Comm_(rank|size|remote_size|test_inter|[gs]et_\w+)|Win_[gs]et_\w+|\w+_(fromint|toint))$`)

// Name returns the name of a function.
func Name(number int) string { return standard.Functions[number] }

// Number returns the number of a function, -1 if there is none.
func Number(name string) int { return slices.Index(standard.Functions[:], name) }

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
		return standard.ErrIntern
	}
	f := &p.functions[number]
	threads := p.threads
	c := &p.calls[p.depth]
	if threads != nil {
		threads.lock(p.host.Thread())
		defer threads.unlock()
		c = new(call)
	} else {
		p.depth++
	}
	*c = call{Process: p, a: words, large: f.large, function: f}
	if !f.local {
		p.takeShadows()
	}
	err := p.engine.Enter(f.name).Returns(c.carryOut())
	if err == nil && p.nullResult {
		err = c.withoutResult()
	}
	p.nullResult = false
	result := c.result
	if err != nil {
		result = int64(p.raise(c, err))
	}
	if !f.local {
		p.putShadows()
	}
	if threads == nil {
		p.depth--
	}
	return result
}

// withoutResult returns the error of a call that has been given no place for its result.
func (c *call) withoutResult() error {
	if !c.onlySessions {
		c.on = nil // as MPICH has it, no object is to blame
	}
	return wrong(standard.ErrArg, "a null pointer for a result")
}

func (c *call) carryOut() error {
	switch {
	case c.function.do == nil:
		return wrong(standard.ErrUnsupportedOperation, "Musubi does not have %s yet", c.function.name)
	case c.state != started && !c.function.early:
		when := "before MPI_Init"
		if c.state == finalized {
			when = "after MPI_Finalize"
		}
		return wrong(standard.ErrOther, "called %s", when)
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
