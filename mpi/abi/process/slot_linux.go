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

// slot is how a rank and the simulator hand calls to each other; front/front.c has the same.
type slot struct {
	turn     uint32
	what     uint32
	musubi   uint32 // the version of the slot that each side has
	library  uint32
	number   int64
	result   int64
	computed int64 // ns of processor time since the last call has returned
	blocks   int64 // basic blocks that have run since then, if the program counts them
	words    [abi.MostWords]int64
}

// Whose turn it is.
const (
	turnOfRank = iota
	turnOfSimulator
)

// What is handed over: by the rank a call, or that it has done what was requested; by the simulator
// the result of a call, or a request.
const (
	callMade = iota + 1
	requestDone
	callReturns
	requestMade
)

// newSlot makes a slot, and the file by which another process maps it.
func newSlot() (*slot, *os.File, error) {
	fd, err := unix.MemfdCreate("musubi call slot", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fd), "call slot")
	size := int(unsafe.Sizeof(slot{}))
	if err := file.Truncate(int64(size)); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	memory, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	s := (*slot)(unsafe.Pointer(unsafe.SliceData(memory)))
	s.musubi = abi.FrontVersion
	return s, file, nil
}

func (s *slot) close() {
	memory := unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s))
	unix.Munmap(memory) // nobody uses it any more
}

// check fails if the slot has no call, or not what both sides have written there before.
func (s *slot) check() error {
	if s.what == callMade && s.musubi == abi.FrontVersion && s.library == abi.FrontVersion {
		return nil
	}
	return fmt.Errorf("its call slot says %d, by versions %d and %d; expected a call, by %d: the program has written there", s.what, s.musubi, s.library, abi.FrontVersion)
}

const (
	futexWait = 0
	futexWake = 1
)

// await waits for the turn of the simulator, or until the rank has ended or everything is to stop.
func (s *slot) await(ended, stop <-chan struct{}) bool {
	limit := unix.NsecToTimespec(int64(20 * time.Millisecond))
	for atomic.LoadUint32(&s.turn) != turnOfSimulator {
		select {
		case <-ended:
			return atomic.LoadUint32(&s.turn) == turnOfSimulator
		case <-stop:
			return false
		default:
		}
		unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.turn)), futexWait, turnOfRank, uintptr(unsafe.Pointer(&limit)), 0, 0)
	}
	return true
}

// give gives the rank its turn.
func (s *slot) give(what uint32) {
	s.what = what
	atomic.StoreUint32(&s.turn, turnOfRank)
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.turn)), futexWake, 1, 0, 0, 0)
}
