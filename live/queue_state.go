package live

import (
	"sync/atomic"

	"musubi/nic/cmdq"
	"musubi/rma"
)

// Command queues (rma.Commander) lie in the shared memory of a group. There is no
// interface behind them: whoever releases a command carries it out, be it the owner of
// the queue, who posts it, or another process, whose put moves the scheduling pointer. So
// an exchange needs no thread beside those of the ranks: its data moves when the last of
// those that take part starts it. See runner for how, and deputy for the cases in which a
// process that computes is needed.

const (
	maxEntries  = 256      // commands of a queue
	maxNotices  = 256      // of a queue that have not been taken; a power of two
	stageBytes  = 16 << 10 // of a queue, for data on the way between processes that cannot copy
	maxSegments = 8 << 10  // of a rank that commands can reach: those with a smaller number
	mostQueues  = 64       // of a rank
	allQueues   = 32 * 64  // of all ranks, if
	leastQueues = 16       // of each are not fewer
)

// queuesFor returns how many queues each rank of a job may have.
func queuesFor(ranks int) int { return max(leastQueues, min(mostQueues, allQueues/max(1, ranks))) }

// desk is what a rank and others of its group tell each other about its queues.
type desk struct {
	events atomic.Uint64 // goes up when a put has come, a command is complete, or somebody asks for something
	_      [56]byte

	open    atomic.Uint64 // queues of the rank, a bit each
	looks   atomic.Uint32 // 1 while the rank is in a call that waits, and so looks at events by itself
	rests   atomic.Uint32 // futex: 1 if the deputy of the rank sleeps or is about to
	reached atomic.Uint64 // segment that the deputy copies from or to; as windowTable.reaching
	_       [40]byte

	asked    [MaxRanks]atomic.Uint64 // by owner: queues of which this process is to go on with the commands
	segments [maxSegments]segmentPlace
}

// segmentPlace is where an exposed segment is. It does not change while others copy from
// or to it.
type segmentPlace struct {
	where atomic.Uint64 // see encodePlace; 0: there is none
	bytes uint64        // valid while where is not 0
}

// queueState is a command queue. Its pointers are those of cmdq.Pointers.
type queueState struct {
	lock atomic.Uint32 // of who carries out commands: see below
	_    [4]byte
	read atomic.Uint64
	done atomic.Uint64
	step step // of the command at read
	_    [24]byte

	write   atomic.Uint64
	taken   atomic.Uint64
	entries uint64
	_       [40]byte

	scheduled atomic.Uint64
	_         [56]byte

	admitted atomic.Uint64 // notices that have got a place
	released atomic.Uint64 // notices whose place is free again
	noticed  atomic.Uint64 // places that are being written or have been
	starving atomic.Uint32 // 1 if a put waits for a place
	_        [36]byte

	commands [maxEntries]command
	notices  [maxNotices]noticePlace
	stage    [stageBytes]byte
}

// step is how far whoever carries out commands has come with one.
type step struct {
	admitted bool   // its notice has a place
	staged   uint64 // bytes that have been written to the stage
	placed   uint64 // of these, bytes that have been taken off it
}

// command is an entry of a queue.
type command struct {
	address uint64 // of the data: in the memory of its owner, or in all arenas
	bytes   uint64
	offset  uint64 // at the target
	word    uint64
	hint    uint64 // with code
	segment int32
	advance uint32
	to      uint16 // rank that it goes to
	taker   uint16 // queue there; 0: none
	flags   commandFlags
	code    uint8 // why it has failed
}

type commandFlags uint8

const (
	isPut      commandFlags = 1 << iota
	inArena                 // the data lies in the arena of its owner
	withNotice              // to the owner of taker
)

// noticePlace is a place for a notice. Several processes may write to different ones at
// the same time.
type noticePlace struct {
	full atomic.Uint64 // number of the notice plus one, when it is there
	word uint64
	from uint64
	_    [8]byte
}

// pointers returns the positions of the queue. Who may change a position sees it as it is;
// others may have moved on since.
func (q *queueState) pointers() cmdq.Pointers {
	return cmdq.Pointers{
		Taken: q.taken.Load(), Done: q.done.Load(), Read: q.read.Load(), Write: q.write.Load(), Scheduled: q.scheduled.Load(),
	}
}

func (q *queueState) command(position uint64) *command { return &q.commands[position%q.entries] }

// format prepares a queue that is not open.
func (q *queueState) format(entries int, p cmdq.Pointers) {
	q.entries = uint64(entries)
	q.read.Store(p.Read)
	q.done.Store(p.Done)
	q.write.Store(p.Write)
	q.taken.Store(p.Taken)
	q.scheduled.Store(p.Scheduled)
	q.step = step{}
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

// enter takes the lock. If it fails, its holder will look at the queue again.
func (q *queueState) enter() bool {
	for {
		switch {
		case q.lock.CompareAndSwap(unlocked, locked):
			return true
		case q.lock.Load() == lockedAgain || q.lock.CompareAndSwap(locked, lockedAgain):
			return false
		}
	}
}

// leave gives the lock back, unless it reports that the holder is to look again.
func (q *queueState) leave() (lookAgain bool) {
	if q.lock.CompareAndSwap(locked, unlocked) {
		return false
	}
	q.lock.Store(locked)
	return true
}

// admit gets a place for a notice. It reports false if all are taken; who gives one back
// then lets the queues go on that wait.
func (q *queueState) admit() bool {
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

// forgo gives back the place of a notice that will not come. It reports whether somebody
// waits for it.
func (q *queueState) forgo() (wanted bool) {
	q.admitted.Add(^uint64(0))
	return q.starving.Swap(0) == 1
}

// notify writes a notice that has been admitted.
func (q *queueState) notify(from int, word uint64) {
	n := q.noticed.Add(1) - 1
	p := &q.notices[n%maxNotices]
	p.word, p.from = word, uint64(from)
	p.full.Store(n + 1)
}

// hasNotice reports whether there is a notice.
func (q *queueState) hasNotice() bool {
	n := q.released.Load()
	return q.notices[n%maxNotices].full.Load() == n+1
}

// takeNotice takes the oldest notice, which is there, and reports whether somebody waits
// for its place.
func (q *queueState) takeNotice() (n rma.Notice, wanted bool) {
	at := q.released.Load()
	p := &q.notices[at%maxNotices]
	n = rma.Notice{From: int(p.from), Word: p.word}
	q.released.Store(at + 1)
	return n, q.starving.Swap(0) == 1
}
