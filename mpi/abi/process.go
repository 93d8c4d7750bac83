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
	Host      Host
	Functions []function // by number
	RMA       rma.Process
	LeaveJob  func() error
	World     *collective.Comm
	Engine    *core.Engine
	State     state
	Level     int64 // of threads

	frames [maxDepth]frame // of calls under way: one, and more while the program's own functions make some
	depth  int
	spare  []*frame // of calls by threads, in no order

	comms       handle.Table[Comm]
	Groups      handle.Table[Group]
	Types       handle.Table[Datatype]
	Requests    handle.Table[Request]
	Ops         handle.Table[Operation]
	Errhandlers handle.Table[Errhandler]
	Infos       handle.Table[Info]
	Messages    handle.Table[Message]
	Wins        handle.Table[Win]
	Sessions    handle.Table[Session]
	Files       handle.Table[File]

	NoFile          Handled  // MPI_FILE_NULL, whose error handler files begin with
	Representations []string // of data in files, by the program

	WorldComm, SelfComm *Comm
	predefined          [predefinedTypes]*Datatype
	Keyvals             keyvals
	Errors              userErrors
	Buffers             AttachedBuffers
	Tools               tools
	LastText            map[int]string // the last error of each class
	OpenSessions        int
	result              [StatusBytes]byte // that is being stored: an array of each function's own would be allocated, as a Host may keep it
	integers            []byte            // likewise
	nullResult          bool              // the call has been given no place for a result
	OnlySessions        bool              // there are sessions, and MPI_Init has not been called
	scratch             [2]scratch
	shadows             shadow.All // of windows whose memory lies in another process
	written             bool       // the call may have written to the program's memory that has a copy
	spareRequests       []*Request
	sent                *SentLog
	Threads             *threads // nil: those of the program do not call at once
	Lanes               Lanes    // nil: there are none
	Reached             Reached  // nil: there are none
}

type state uint8

const (
	NotStarted state = iota
	Started
	Finalized
)

// FrontVersion changes with the calls and requests that the front in C and this package hand over.
const FrontVersion = 20

// MostWords is how many words a function has at most.
const MostWords = 16

const maxDepth = 16

// New returns the process of a host. It has joined nobody yet.
func New(h Host) *Process {
	p := &Process{Host: h, Functions: bound(), LastText: map[int]string{}, sent: new(SentLog)}
	p.comms.Kind, p.Groups.Kind, p.Types.Kind, p.Requests.Kind, p.Ops.Kind = handle.Comm, handle.Group, handle.Datatype, handle.Request, handle.Op
	p.Errhandlers.Kind, p.Infos.Kind, p.Messages.Kind, p.Wins.Kind, p.Sessions.Kind, p.Files.Kind = handle.Errhandler, handle.Info, handle.Message, handle.Win, handle.Session, handle.File
	p.NoFile = Handled{Handle: standard.FileNull, Errhandler: standard.ErrorsReturn}
	p.makePredefined()
	p.Keyvals.Next = 1000
	p.Errors.Next = standard.ErrLastcode + 1
	return p
}

// Running reports whether the program is between MPI_Init and MPI_Finalize.
func (p *Process) Running() bool { return p.State == Started }

// function is what carries a function out.
type function struct {
	Name  string
	do    func(c *Call) error
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
		all[i] = function{Name: name, large: plain != name, do: Registered[name]}
		if all[i].do == nil {
			all[i].do = Registered[plain]
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
			done = append(done, f.Name)
		} else {
			refused = append(refused, f.Name)
		}
	}
	return done, refused
}

// Call carries out a function by its number, and returns what it returns to C.
func (p *Process) Call(number int, words []int64) int64 {
	if uint(number) >= uint(len(p.Functions)) || p.depth == maxDepth {
		return standard.ErrIntern
	}
	f := &p.Functions[number]
	threads := p.Threads
	if threads != nil {
		threads.lock(p.Host.Thread())
		defer threads.unlock()
	}
	frame := p.enter()
	c := &frame.call
	if threads != nil && !f.local {
		p.takeLanes()
	}
	c.begin(p, f, words, &frame.lists)
	if !f.local {
		p.takeShadows()
	}
	err := p.Engine.Enter(f.Name).Returns(c.carryOut())
	if err == nil {
		err = p.reapSends(c)
	}
	if err == nil && p.nullResult {
		err = c.WithoutResult()
	}
	p.nullResult = false
	result := c.Result
	if err != nil {
		result = int64(p.raise(c, err))
	}
	if !f.local {
		p.putShadows()
		p.openLanes(c)
	}
	p.leave(frame)
	return result
}

// frame is a call and its lists.
type frame struct {
	call  Call
	lists Lists
}

// enter returns the frame of a call that begins.
func (p *Process) enter() *frame {
	if p.Threads == nil {
		p.depth++
		return &p.frames[p.depth-1]
	}
	last := len(p.spare) - 1
	if last < 0 {
		return new(frame)
	}
	f := p.spare[last]
	p.spare = p.spare[:last]
	return f
}

// leave takes the frame of a call back that is over.
func (p *Process) leave(f *frame) {
	if p.depth > 0 && f == &p.frames[p.depth-1] {
		p.depth--
	} else {
		p.spare = append(p.spare, f)
	}
}

// WithoutResult returns the error of a call that has been given no place for its result.
func (c *Call) WithoutResult() error {
	if !c.OnlySessions {
		c.On = nil // as MPICH has it, no object is to blame
	}
	return Wrong(standard.ErrArg, "a null pointer for a result")
}

func (c *Call) carryOut() error {
	switch {
	case c.Function.do == nil:
		return Wrong(standard.ErrUnsupportedOperation, "Musubi does not have %s yet", c.Function.Name)
	case c.State != Started && !c.Function.early:
		when := "before MPI_Init"
		if c.State == Finalized {
			when = "after MPI_Finalize"
		}
		return Wrong(standard.ErrOther, "called %s", when)
	}
	return c.Function.do(c)
}

// Call is one call of the program.
type Call struct {
	*Process
	Function *function
	Words    []int64 // its words
	Large    bool    // its counts are MPI_Count
	Result   int64   // what it returns, if it does not fail
	On       *Handled
	Lists    *Lists
	Kept     *Kept // what an earlier call with these words has read; nil: none
	used     *Comm // that the call was about; nil: none
	reopens  bool  // it was about a window or requests, and leaves the lanes as they were
}

// begin sets a call that begins, field by field: a whole one would be written word by word and copied by two at once, for
// which processors wait.
func (c *Call) begin(p *Process, f *function, words []int64, lists *Lists) {
	c.Process, c.Function, c.Words, c.Large, c.Lists = p, f, words, f.large, lists
	c.Result, c.On, c.Kept, c.used, c.reopens = 0, nil, nil, nil, false
}

// Lists is room for what calls make of arrays of the program. The next call uses it again: fresh memory
// is the slowest part of a short call, as its pages are touched for the first time.
type Lists struct {
	Ints     []int
	Requests []*Request
	Codes    []int
	Statuses []core.Status
}

// At returns a word that is an int or a count.
func (c *Call) At(i int) int { return int(c.Words[i]) }

// Failure is an error of a call: its class, and why.
type Failure struct {
	Class int
	Text  string
}

// Error returns why a call has failed.
func (f *Failure) Error() string { return f.Text }

// Wrong returns an error of a class, which the error handler of the call gets.
func Wrong(class int, format string, args ...any) error {
	return &Failure{Class: class, Text: fmt.Sprintf(format, args...)}
}

// Registered are the functions that this package carries out, by name. Those for large counts are
// under the name of the others.
var Registered = map[string]func(c *Call) error{}

// Add adds functions of the standard by their names, when the program begins.
func Add(functions map[string]func(c *Call) error) {
	for name, do := range functions {
		Registered[name] = do
	}
}

// early are functions that may be called at any time, beside those that bind knows by their names.
var early = map[string]bool{
	"MPI_Init": true, "MPI_Init_thread": true, "MPI_Initialized": true, "MPI_Finalized": true, "MPI_Get_version": true, "MPI_Get_library_version": true, "MPI_Wtime": true, "MPI_Wtick": true,
	"MPI_Error_class": true, "MPI_Error_string": true, "MPI_Add_error_class": true, "MPI_Add_error_code": true, "MPI_Add_error_string": true,
	"MPI_Remove_error_class": true, "MPI_Remove_error_code": true, "MPI_Remove_error_string": true,
	"MPI_Group_from_session_pset": true, "MPI_Comm_create_from_group": true, "MPI_Abort": true, "MPI_Pcontrol": true, "MPI_Alloc_mem": true, "MPI_Free_mem": true, "MPI_Get_address": true,
}

// tools is the state of the tools interface.
type tools struct {
	Uses     int // MPI_T_init_thread without MPI_T_finalize
	Sessions map[int64]bool
	Last     int64 // session that has been made
}
