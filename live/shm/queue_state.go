package shm

import (
	"sync/atomic"

	"musubi/live/wire"
	"musubi/nic/cmdq"
	"musubi/rma"
)

// Command queues (rma.Commander) lie in the shared memory of a group. There is no
// interface behind them: whoever releases a command carries it out, be it the owner of
// the queue, who posts it, or another process, whose put moves the scheduling pointer. So
// an exchange needs no thread beside those of the ranks: its data moves when the last of
// those that take part starts it. See runner for how, and progress goroutine for the cases in which a
// process that computes is needed.

const (
	MaxEntries  = 256      // commands of a queue
	maxNotices  = 256      // of a queue that have not been taken; a power of two
	stageBytes  = 16 << 10 // of a queue, for data on the way between processes that cannot copy
	MaxSegments = 8 << 10  // of a rank that commands can reach: those with a smaller number
	mostQueues  = 64       // of a rank
	allQueues   = 32 * 64  // of all ranks, if
	leastQueues = 16       // of each are not fewer
)

// QueuesFor returns how many queues each rank of a job may have.
func QueuesFor(ranks int) int { return max(leastQueues, min(mostQueues, allQueues/max(1, ranks))) }

// Progress is what a rank and others of its group tell each other about its queues.
type Progress struct {
	Events atomic.Uint64 // goes up when a put has come, a command is complete, or somebody asks for something
	_      [56]byte

	Open      atomic.Uint64 // queues of the rank, a bit each
	RankLooks atomic.Uint32 // 1 while the rank is in a call that waits, and so looks at events by itself
	Sleeps    atomic.Uint32 // futex: 1 if the progress goroutine of the rank sleeps or is about to
	Reached   atomic.Uint64 // segment that the progress goroutine copies from or to; as windowTable.reaching
	_         [40]byte

	Asked    [wire.MaxRanks]atomic.Uint64 // by owner: queues of which this process is to go on with the commands
	Segments [MaxSegments]segmentPlace
}

// segmentPlace is where an exposed segment is. It does not change while others copy from
// or to it.
type segmentPlace struct {
	Where atomic.Uint64 // address in its process << 1, or place in all arenas << 1 | 1; 0: there is none
	Bytes uint64        // valid while where is not 0
}

// Queue is a command queue in shared memory, with the pointers that cmdq.Pointers describes.
type Queue struct {
	lock atomic.Uint32 // of who carries out commands: see below
	_    [4]byte
	Read atomic.Uint64
	Done atomic.Uint64
	Step Step // of the command at read
	_    [24]byte

	Write   atomic.Uint64
	Taken   atomic.Uint64
	entries uint64
	_       [40]byte

	Scheduled atomic.Uint64
	_         [56]byte

	admitted atomic.Uint64 // notices that have got a place
	released atomic.Uint64 // notices whose place is free again
	noticed  atomic.Uint64 // places that are being written or have been
	starving atomic.Uint32 // 1 if a put waits for a place
	_        [36]byte

	commands [MaxEntries]Command
	notices  [maxNotices]noticePlace
	Stage    [stageBytes]byte
}

// Step is how far whoever carries out commands has come with one.
type Step struct {
	Admitted bool   // its notice has a place
	Staged   uint64 // bytes that have been written to the stage
	Placed   uint64 // of these, bytes that have been taken off it
}

// Command is an entry of a queue.
type Command struct {
	Address uint64 // of the data: in the memory of its owner, or in all arenas
	Bytes   uint64
	Offset  uint64 // at the target
	Word    uint64
	Hint    uint64 // with code
	Segment int32
	Advance uint32
	To      uint16 // rank that it goes to
	Taker   uint16 // queue there; 0: none
	Flags   CommandFlags
	Code    uint8 // why it has failed
}

type CommandFlags uint8

const (
	IsPut      CommandFlags = 1 << iota
	InArena                 // the data lies in the arena of its owner
	WithNotice              // to the owner of taker
)

// noticePlace is a place for a notice. Several processes may write to different ones at
// the same time.
type noticePlace struct {
	full atomic.Uint64 // number of the notice plus one, when it is there
	word uint64
	from uint64
	_    [8]byte
}

// Pointers returns the positions of the queue. Who may change a position sees it as it is;
// others may have moved on since.
func (q *Queue) Pointers() cmdq.Pointers {
	return cmdq.Pointers{
		Taken: q.Taken.Load(), Done: q.Done.Load(), Read: q.Read.Load(), Write: q.Write.Load(), Scheduled: q.Scheduled.Load(),
	}
}

func (q *Queue) Command(position uint64) *Command { return &q.commands[position%q.entries] }

// Format prepares a queue that is not open.
func (q *Queue) Format(entries int, p cmdq.Pointers) {
	q.entries = uint64(entries)
	q.Read.Store(p.Read)
	q.Done.Store(p.Done)
	q.Write.Store(p.Write)
	q.Taken.Store(p.Taken)
	q.Scheduled.Store(p.Scheduled)
	q.Step = Step{}
	q.admitted.Store(0)
	q.released.Store(0)
	q.noticed.Store(0)
	q.starving.Store(0)
	for i := range q.notices {
		q.notices[i].full.Store(0)
	}
}

// States of a lock. It is never waited for: who finds it busy lets its holder look again.
const (
	unlocked uint32 = iota
	locked
	lockedAgain
)

// Enter takes the lock. If it fails, its holder will look at the queue again.
func (q *Queue) Enter() bool {
	for {
		switch {
		case q.lock.CompareAndSwap(unlocked, locked):
			return true
		case q.lock.Load() == lockedAgain || q.lock.CompareAndSwap(locked, lockedAgain):
			return false
		}
	}
}

// Leave gives the lock back, unless it reports that the holder is to look again.
func (q *Queue) Leave() (lookAgain bool) {
	if q.lock.CompareAndSwap(locked, unlocked) {
		return false
	}
	q.lock.Store(locked)
	return true
}

// Admit gets a place for a notice. It reports false if all are taken; who gives one back
// then lets the queues go on that wait.
func (q *Queue) Admit() bool {
	for {
		n := q.admitted.Load()
		if n-q.released.Load() < maxNotices {
			if q.admitted.CompareAndSwap(n, n+1) {
				return true
			}
			continue
		}
		q.starving.Store(1)
		if q.admitted.Load()-q.released.Load() >= maxNotices {
			return false
		}
	}
}

// Forgo gives back the place of a notice that will not come. It reports whether somebody
// waits for it.
func (q *Queue) Forgo() (wanted bool) {
	q.admitted.Add(^uint64(0))
	return q.starving.Swap(0) == 1
}

// Notify writes a notice that has been admitted.
func (q *Queue) Notify(from int, word uint64) {
	n := q.noticed.Add(1) - 1
	p := &q.notices[n%maxNotices]
	p.word, p.from = word, uint64(from)
	p.full.Store(n + 1)
}

// HasNotice reports whether there is a notice.
func (q *Queue) HasNotice() bool {
	n := q.released.Load()
	return q.notices[n%maxNotices].full.Load() == n+1
}

// TakeNotice takes the oldest notice, which is there, and reports whether somebody waits
// for its place.
func (q *Queue) TakeNotice() (n rma.Notice, wanted bool) {
	at := q.released.Load()
	p := &q.notices[at%maxNotices]
	n = rma.Notice{From: int(p.from), Word: p.word}
	q.released.Store(at + 1)
	return n, q.starving.Swap(0) == 1
}

func (g *Region) QueueOf(n QueueName) *Queue {
	return &g.queues[n.Rank*QueuesFor(g.Size())+n.Number-1]
}

// IsOpen reports whether there is such a queue, and it is open.
func (g *Region) IsOpen(n QueueName) bool {
	return n.Number <= mostQueues && g.Progress[n.Rank].Open.Load()&n.Bit() != 0
}

// Tell counts an event of the command queues of a rank, and wakes it.
func (g *Region) Tell(rank int) {
	g.Progress[rank].Events.Add(1)
	g.Wake(rank)
}

// WakeProgress lets the progress goroutine of a rank look, if it sleeps and the rank does not look itself.
func (d *Progress) WakeProgress() {
	if d.RankLooks.Load() == 0 && d.Sleeps.Load() == 1 && d.Sleeps.CompareAndSwap(1, 0) {
		FutexWake(&d.Sleeps)
	}
}

// GoesWith reports whether another command may begin while this one is under way to another
// group: when they go the same way, in which they stay in order.
func (c *Command) GoesWith(other *Command) bool { return other.Flags&IsPut != 0 && other.To == c.To }

// QueueName is a queue of a rank. Bit number-1 stands for it in words of bits.
type QueueName struct{ Rank, Number int }

func (n QueueName) Bit() uint64 { return 1 << (n.Number - 1) }
