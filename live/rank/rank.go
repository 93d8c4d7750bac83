package rank

import (
	"errors"
	"fmt"
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
	rma.Tuning
	rma.Recordable
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
	Parent  int           // process that has started all ranks of the group; 0: it is not known
	lost    error         // why the rank cannot go on, though the job can
	what    func() string // says what the program waits for; nil if it does not
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
	pulls     pulling
	shared    []rma.Op // pulls that this rank and the owner of the data copy
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
	r.beside = &beside{commands: r.commands}
	for other := range r.in {
		r.in[other].beside = r.beside
	}
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

// Windows refuses to choose, as there are no windows.
func (r *Rank) Windows(n int) error {
	if n != 0 {
		return fmt.Errorf("rma: %d windows; this world has none to choose from, expected 0", n)
	}
	return nil
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
