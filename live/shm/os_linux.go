//go:build linux && (amd64 || arm64)

package shm

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NewMemory returns anonymous shared memory, as a file to be inherited and mapped.
// It is gone when no process has it any more.
func NewMemory(bytes int) (*os.File, []byte, error) {
	fd, err := unix.MemfdCreate("musubi", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("live: making shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "memory of a job")
	if err := file.Truncate(int64(bytes)); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("live: making shared memory of %d bytes: %w", bytes, err)
	}
	memory, err := MapMemory(file)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, memory, nil
}

// MapMemory maps all of a file.
func MapMemory(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("live: shared memory: %w", err)
	}
	memory, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("live: mapping shared memory of %d bytes: %w", info.Size(), err)
	}
	return memory, nil
}

// PrivateMemory returns memory of this process alone, beside that of Go, nil if there is none. The system gives its pages when
// they are used first, and UnmapMemory takes it back.
func PrivateMemory(bytes int) []byte {
	memory, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil
	}
	return memory
}

func UnmapMemory(memory []byte) { _ = unix.Munmap(memory) }

// memoryLimit returns how many bytes of shared memory the limits of this process
// allow, so that other mappings have room beside it. A file that is too large for them
// would end the process.
func memoryLimit() int {
	limit := uint64(math.MaxInt)
	for resource, share := range map[int]uint64{unix.RLIMIT_FSIZE: 1, unix.RLIMIT_AS: 4} {
		var l unix.Rlimit
		if unix.Getrlimit(resource, &l) == nil {
			limit = min(limit, l.Cur/share)
		}
	}
	return int(limit)
}

// dropPages makes whole pages of shared memory zero, and gives them back to the system.
func dropPages(memory []byte) {
	if len(memory) > 0 && unix.Madvise(memory, unix.MADV_REMOVE) != nil {
		clear(memory)
	}
}

// Operations of the futex call; those on memory of several processes.
const (
	futexOpWait = 0
	futexOpWake = 1
)

// FutexWait sleeps while a word has a value, until it is woken. It may return early.
func FutexWait(word *atomic.Uint32, value uint32) {
	_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWait, uintptr(value), 0, 0, 0)
}

// FutexWaitFor is FutexWait for some time at most.
func FutexWaitFor(word *atomic.Uint32, value uint32, most time.Duration) {
	limit := unix.NsecToTimespec(int64(most))
	_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWait, uintptr(value), uintptr(unsafe.Pointer(&limit)), 0, 0)
}

// FutexWake wakes who sleeps on a word.
func FutexWake(word *atomic.Uint32) {
	_, _, _ = syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWake, 1, 0, 0, 0)
}

// ProcessTime returns for how long a process has computed.
func ProcessTime(pid int) (time.Duration, error) {
	const byScheduler = 2 // the clock of a process, see clock_getcpuclockid
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|byScheduler), &t)
	return time.Duration(t.Nano()), err
}

// Yield lets another thread have the processor.
func Yield() { _, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// MoveTo lets the calling thread run on one of the processors that it may use, counted round, and from there go where it
// may, as before. Nothing happens if it may use but one.
func MoveTo(index int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var may, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil || may.Count() < 2 {
		return
	}
	cpu := 0
	for left := index % may.Count(); left > 0 || !may.IsSet(cpu); cpu++ {
		if may.IsSet(cpu) {
			left--
		}
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err == nil {
		_ = unix.SchedSetaffinity(0, &may) // it may use these: it did a moment ago
	}
}

// AllowAccess lets the other ranks, which are no ancestors of this process, copy
// from and to its memory, where the system asks for that (Yama). Those are a process that has
// started all of them and what it has started; any process of this user, if that is 0. Whether they
// may in the end is tried out.
func AllowAccess(parent int) {
	allowed := uintptr(parent)
	if parent == 0 {
		const any = ^uintptr(0)
		allowed = any
	}
	_ = unix.Prctl(unix.PR_SET_PTRACER, allowed, 0, 0, 0)
}

// ReadFar copies from the memory of another process.
func ReadFar(pid int, into []byte, address uint64) error {
	return copyFar(unix.SYS_PROCESS_VM_READV, pid, into, address)
}

// WriteFar copies to the memory of another process.
func WriteFar(pid int, from []byte, address uint64) error {
	return copyFar(unix.SYS_PROCESS_VM_WRITEV, pid, from, address)
}

// WriteFarParts copies two parts, the second behind the first, to the memory of another
// process.
func WriteFarParts(pid int, first, second []byte, address uint64) error {
	local := [2]unix.Iovec{
		{Base: unsafe.SliceData(first), Len: uint64(len(first))},
		{Base: unsafe.SliceData(second), Len: uint64(len(second))},
	}
	total := len(first) + len(second)
	remote := unix.RemoteIovec{Base: uintptr(address), Len: total}
	n, _, errno := syscall.RawSyscall6(unix.SYS_PROCESS_VM_WRITEV, uintptr(pid),
		uintptr(unsafe.Pointer(&local)), uintptr(len(local)), uintptr(unsafe.Pointer(&remote)), 1, 0)
	switch done := int(n); {
	case errno != 0:
		return errno
	case done == 0:
		return errShortCopy
	case done < len(first):
		if err := WriteFar(pid, first[done:], address+uint64(done)); err != nil {
			return err
		}
		return WriteFar(pid, second, address+uint64(len(first)))
	}
	return WriteFar(pid, second[int(n)-len(first):], address+uint64(n))
}

var errShortCopy = errors.New("live: no byte could be copied")

func copyFar(call uintptr, pid int, memory []byte, address uint64) error {
	for len(memory) > 0 {
		local := unix.Iovec{Base: unsafe.SliceData(memory), Len: uint64(len(memory))}
		remote := unix.RemoteIovec{Base: uintptr(address), Len: len(memory)}
		n, _, errno := syscall.RawSyscall6(call, uintptr(pid),
			uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
		switch {
		case errno != 0:
			return errno
		case n == 0:
			return errShortCopy
		}
		memory, address = memory[n:], address+uint64(n)
	}
	return nil
}
