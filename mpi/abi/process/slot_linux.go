package process

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"musubi/mpi/abi"

	"golang.org/x/sys/unix"
)

// slots is the memory that a rank shares with the simulator; front/front.c has the same. Each thread of the program that
// has called has a slot.
type slots struct {
	musubi  uint32 // the version that each side has
	library uint32
	bell    uint32 // changes when a thread has handed something over
	used    uint32 // slots that threads have, or had
	_       [48]byte
	all     [mostThreads]slot
}

const mostThreads = 256

// slot is how a thread of a rank and the simulator hand calls to each other.
type slot struct {
	turn     uint32
	what     uint32
	number   int64
	result   int64
	computed int64 // ns of processor time since the last call has returned
	blocks   int64 // basic blocks that have run since then, if the program counts them
	words    [abi.MostWords]int64
	_        [24]byte
}

// Whose turn it is.
const (
	turnOfRank = iota
	turnOfSimulator
	turnTaken // by the simulator
)

// What is handed over: by the rank a call, or that it has done what was requested; by the simulator
// the result of a call, or a request.
const (
	callMade = iota + 1
	requestDone
	callReturns
	requestMade
)

// newSlots makes the slots of a rank, and the file by which another process maps them.
func newSlots() (*slots, *os.File, error) {
	fd, err := unix.MemfdCreate("musubi call slot", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fd), "call slot")
	size := int(unsafe.Sizeof(slots{}))
	if err := file.Truncate(int64(size)); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	memory, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	s := (*slots)(unsafe.Pointer(unsafe.SliceData(memory)))
	s.musubi = abi.FrontVersion
	return s, file, nil
}

func (s *slots) close() {
	memory := unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s))
	unix.Munmap(memory) // nobody uses it any more
}

// check fails if a slot has no call, or the memory not what both sides have written there before.
func (s *slots) check(in *slot) error {
	if in.what == callMade && s.musubi == abi.FrontVersion && s.library == abi.FrontVersion {
		return nil
	}
	return fmt.Errorf("its call slot says %d, by versions %d and %d; expected a call, by %d: the program has written there", in.what, s.musubi, s.library, abi.FrontVersion)
}

// inUse returns the slots that threads have, or had.
func (s *slots) inUse() []slot { return s.all[:min(atomic.LoadUint32(&s.used), mostThreads)] }

// called returns a slot in which something has been handed over, the first from one on; nil if there is none.
func (s *slots) called(from int) *slot {
	all := s.inUse()
	for i := range all {
		if in := &all[(from+i)%len(all)]; in.isOurs() {
			return in
		}
	}
	return nil
}

// indexOf returns which slot one is.
func (s *slots) indexOf(in *slot) int {
	return int((uintptr(unsafe.Pointer(in)) - uintptr(unsafe.Pointer(&s.all))) / unsafe.Sizeof(slot{}))
}

const (
	futexWait = 0
	futexWake = 1
)

// awaitBell waits until a thread has handed something over since the bell was as seen, at most for a time.
func (s *slots) awaitBell(seen uint32, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.bell)), futexWait, uintptr(seen), uintptr(unsafe.Pointer(&limit)), 0, 0)
}

// await waits until something is there, or the rank has ended, or everything is to stop.
func (s *slots) await(isThere func() bool, ended, stop <-chan struct{}) bool {
	for {
		seen := atomic.LoadUint32(&s.bell)
		if isThere() {
			return true
		}
		select {
		case <-ended:
			return isThere()
		case <-stop:
			return false
		default:
		}
		s.awaitBell(seen, 20*time.Millisecond)
	}
}

// take notes that the simulator knows what has been handed over.
func (s *slot) take() { atomic.StoreUint32(&s.turn, turnTaken) }

// isOurs reports whether something has been handed over that the simulator does not know of.
func (s *slot) isOurs() bool { return atomic.LoadUint32(&s.turn) == turnOfSimulator }

// give gives the rank its turn.
func (s *slot) give(what uint32) {
	s.what = what
	atomic.StoreUint32(&s.turn, turnOfRank)
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.turn)), futexWake, 1, 0, 0, 0)
}
