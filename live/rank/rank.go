package rank

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"musubi/live/health"
	"musubi/live/queue"
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/onesided"
	"musubi/rma"
	"musubi/units"
)

// Packet is the data of the largest packet of a message, and so the smallest receive
// ring, in bytes.
const Packet = 4 << 10

// MaxBOTF is the most bytes that BOTF takes.
const MaxBOTF = Packet

// Rank is a process of a job; it implements rma.Process. It is made of layers, each of which knows
// only what is embedded in it: a member of the job sends, what has come is taken, and the rank itself
// goes round between these while its program waits.
type Rank struct {
	taker
	commands *queue.Queues
	waiter   waiter
	reached  uint64           // windows of others that were
	barriers []*sharedBarrier // that this rank has left, and others perhaps not
	lastPeer *shm.Endpoint    // by which it has sent a message, and not looked since; nil: none
}

// member is a rank as one of its job: who it is, and why it cannot go on.
type member struct {
	job     *shm.Region
	number  int
	control *health.Control // nil if there is no hub
	far     *tcp.Streams    // ranks of other groups; nil if there are none
	near    []int           // ranks of the group
	start   time.Time
	Bound   time.Duration // how long others may be silent; 0: for ever
	lost    error         // why the rank cannot go on, though the job can
	what    func() string // says what the program waits for; nil if it does not
}

// memory is what a rank lets others reach.
type memory struct {
	segments []segment
	withdrew []int // numbers of segments to be used again, the last one first
	arena    shm.Arena
	windows  int    // exposed, in the arena
	pushes   uint64 // changes of memory that others have asked for
}

// sender is the operations of a rank, and the transfers that they need.
type sender struct {
	member
	direct    bool     // long transfers are copied from process to process
	out       []outlet // to each rank
	queued    int      // transfers that wait in outlets
	ops       ops
	failures  map[position]wire.Report // of operations that nobody has waited for yet
	collected uint64                   // failures that it has looked for
	marks     []fenceMark              // that fences wait for
	shared    []rma.Op                 // pulls that this rank and the owner of the data copy
	spares    bufferPool
	change    [2 * onesided.WordSize]byte // that the owner of a word is asked for
	unwanted  [onesided.WordSize]byte     // what words were that nobody asks for
	head      [shm.WordBytes]byte         // of a message over a stream
}

// taker takes what other ranks have sent.
type taker struct {
	sender
	memory
	// started: the program runs. Before, nothing is taken from the rings: others may
	// have begun already, and what the program exposes first is to be there.
	started  bool
	in       []inlet  // from each rank
	sources  []*inlet // from those of the group that have written to this one
	enlisted uint64   // calls after which these are all
	inbox    inbox
	zeroCopy zeroCopy
	found    []byte // what words were that another rank has changed last
}

// position is where an operation ends in the ring to its target.
type position struct {
	target int
	end    uint64
}

type segment struct {
	memory  []byte
	exposed bool
	window  bool // in the arena
	begin   int  // there
}

// New returns a rank of a job, which shares some memory.
func New(job *shm.Region, number int) *Rank {
	r := &Rank{}
	r.job, r.number, r.near = job, number, job.Locals()
	r.failures, r.arena = map[position]wire.Report{}, shm.NewArena(job, number)
	r.out, r.in = make([]outlet, job.Size()), make([]inlet, job.Size())
	for other := range r.out {
		r.in[other].rank, r.in[other].from, r.in[other].out = &r.taker, other, &r.out[other]
	}
	for _, other := range r.near {
		ring := shm.NewEndpoint(job, number, other, r.in[other].Nacked)
		r.out[other].way, r.out[other].ring, r.in[other].ring = ring, ring, ring
	}
	r.commands = queue.New(job, number, r.near, (*queueHost)(r), &r.pushes)
	return r
}

func (r *member) Rank() int { return r.number }

func (r *member) Size() int { return r.job.Size() }

// Oversubscribed reports whether ranks share processors, if all see the same memory: of other
// hosts a rank does not know.
func (r *member) Oversubscribed() bool { return r.job.Header.Sleeps == 1 && r.job.IsWhole() }

// EagerBytes implements rma.Messenger.
func (r *sender) EagerBytes(other int) int { return r.out[other].way.EagerBytes() }

func (r *member) Now() units.Time {
	return units.Time(time.Since(r.start).Nanoseconds()) * units.Nanosecond
}

// Compute spins, and takes records meanwhile.
func (r *Rank) Compute(d units.Time) {
	for end := r.Now() + d; r.Now() < end; {
		r.poll()
	}
	r.depart()
}

func (r *Rank) Expose(memory []byte) int { return r.expose(segment{memory: memory, exposed: true}) }

// expose enters a segment, and returns its number.
func (r *Rank) expose(s segment) int {
	number := len(r.segments)
	if n := len(r.withdrew); n > 0 {
		number = r.withdrew[n-1]
		r.withdrew = r.withdrew[:n-1]
		r.segments[number] = s
	} else {
		r.segments = append(r.segments, s)
	}
	begin := queue.OutsideArenas
	if s.window {
		begin = r.arena.Begin + s.begin
	}
	r.commands.Publish(number, s.memory, begin)
	return number
}

// ExposeWindow exposes memory of the arena, or if that is full, other memory.
func (r *Rank) ExposeWindow(bytes int) (int, []byte, error) {
	if bytes < 0 {
		return 0, nil, fmt.Errorf("rma: window of %d bytes; expected at least 0", bytes)
	}
	begin := r.arena.Take(bytes)
	if begin < 0 {
		memory := make([]byte, bytes)
		return r.Expose(memory), memory, nil
	}
	memory := r.arena.Memory[begin:][:bytes:bytes]
	number := r.expose(segment{memory: memory, exposed: true, window: true, begin: begin})
	r.windows++
	if number < shm.MaxWindows {
		place := r.place(number)
		place.Bytes = uint64(bytes)
		place.Begin.Store(uint64(r.arena.Begin+begin) + 1)
	}
	return number, memory, nil
}

// place is where a window of this rank is, as others see it.
func (r *Rank) place(number int) *shm.WindowPlace { return &r.job.Tables[r.number].Windows[number] }

func (r *Rank) Withdraw(number int) error {
	if !r.isExposed(number) {
		return fmt.Errorf("rma: Withdraw of segment %d, which rank %d does not expose", number, r.number)
	}
	s := r.segments[number]
	if s.window && number < shm.MaxWindows {
		r.place(number).Begin.Store(0)
	}
	r.commands.Unpublish(number)
	if err := r.await(shm.InWithdraw, func() bool { return !r.isUsed(number) && !r.isReached(number) }); err != nil {
		return err
	}
	if s.window {
		r.windows--
		r.arena.GiveBack(s.begin, len(s.memory))
	}
	r.segments[number] = segment{}
	r.withdrew = append(r.withdrew, number)
	return nil
}

func (r *memory) isExposed(number int) bool {
	return number >= 0 && number < len(r.segments) && r.segments[number].exposed
}

// isUsed reports whether a push to a segment, a change of its words, or a pull or an answer
// from it, is under way.
func (r *Rank) isUsed(number int) bool {
	for i := range r.in {
		push, pull, change := &r.in[i].push, &r.in[i].pull, &r.in[i].accumulation
		if push.open && push.segment == number || pull.open && pull.segment == number || change.open && change.segment == number {
			return true
		}
	}
	for i := range r.out {
		if slices.ContainsFunc(r.out[i].queue.all(), func(t wire.Transfer) bool { return t.Kind == wire.Answer && t.Segment == number }) {
			return true
		}
		if r.out[i].way.IsReading(number) {
			return true
		}
	}
	return false
}

// Windows refuses to choose, as there are no windows.
func (r *Rank) Windows(n int) error {
	if n != 0 {
		return fmt.Errorf("rma: %d windows; this world has none to choose from, expected 0", n)
	}
	return nil
}

func (r *Rank) Load(number, offset int, gather rma.Layout, into []byte, _ rma.Caching) error {
	access := gather
	n := access.Bytes()
	if access.IsContiguous() {
		n = len(into)
	}
	if n > len(into) {
		return fmt.Errorf("rma: Load of %d bytes into %d", n, len(into))
	}
	memory, problem := r.reach(number, uint64(offset), uint64(n), &access)
	if problem.Code != 0 {
		return problem.Explain(rma.Address{Rank: r.number, Segment: number, Offset: offset}, n)
	}
	access.Gather(into[:n], memory, 0)
	return nil
}

// reach returns the memory of a segment from an offset on, if an access to n bytes
// stays inside.
func (r *memory) reach(number int, offset, n uint64, access *onesided.Layout) ([]byte, wire.Report) {
	if !r.isExposed(number) {
		return nil, wire.Report{Code: wire.NotExposed}
	}
	return within(r.segments[number].memory, offset, n, access)
}

// within returns memory from an offset on, if an access to n bytes stays inside.
func within(memory []byte, offset, n uint64, access *onesided.Layout) ([]byte, wire.Report) {
	if offset > uint64(len(memory)) {
		return nil, wire.Report{Code: wire.Outside, Hint: uint64(len(memory))}
	}
	rest := memory[offset:]
	if access.IsContiguous() {
		if n > uint64(len(rest)) {
			return nil, wire.Report{Code: wire.Outside, Hint: uint64(len(memory))}
		}
		return rest[:n], wire.Report{}
	}
	if access.Check(len(rest)) != nil {
		return nil, wire.Report{Code: wire.Outside, Hint: uint64(len(memory))}
	}
	return rest, wire.Report{}
}

// checkRank fails if there is no such rank.
func (r *member) checkRank(number int) error {
	if number < 0 || number >= r.Size() {
		return fmt.Errorf("rma: no rank %d; there are ranks 0 to %d", number, r.Size()-1)
	}
	return nil
}

var errMechanism = errors.New("expected dma or botf")

func checkMechanism(by rma.Mechanism, n int) error {
	switch {
	case by > rma.BOTF:
		return fmt.Errorf("rma: %v; %w", by, errMechanism)
	case by == rma.BOTF && n > MaxBOTF:
		return fmt.Errorf("rma: %d bytes by BOTF; expected at most %d", n, MaxBOTF)
	}
	return nil
}
