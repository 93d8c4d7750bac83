// Package phantom is memory that has addresses and no bytes. Simulated programs that only care for
// sizes use it for their data: it takes part in all that happens to data, and nothing is stored or
// copied.
//
// The addresses are of the half of the address space that belongs to the kernel, so that no process
// ever has memory there: whoever reads or writes phantom memory faults. All code that moves data of
// programs uses Copy, or asks Is.
//
// The first bytes of a message are of the protocol, and real also if its data is phantom. They are
// the head of the message, which is known by the address where the message begins.
package phantom

import (
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	first     = 0xffff_8000_0000_0000 // the lowest address
	blockBits = 36
	blocks    = 1<<(47-blockBits) - 1 // all but the last, so that no memory ends at the end of all addresses
	alignment = 64
)

// Memory is the phantom memory of one run. It is not safe for use by several goroutines at a time.
type Memory struct {
	next, end uintptr // of the addresses that are taken and not given out
	heads     Heads   // by address
}

// owners are the memories whose addresses are in each block; nil: of none.
var (
	owners [blocks]atomic.Pointer[Memory]
	taking sync.Mutex
)

// ErrExhausted is the panic of Bytes if there are not as many free addresses in a row.
var ErrExhausted = errors.New("no addresses are left for memory without bytes; expected less than 128 TiB in all runs of this process")

// New returns phantom memory, which takes addresses as it is used until Free.
func New() *Memory { return &Memory{} }

// Free gives all addresses back. Nobody may use the memory any more.
func (m *Memory) Free() {
	for i := range owners {
		owners[i].CompareAndSwap(m, nil)
	}
}

// Bytes returns n bytes of phantom memory, which no other memory overlaps.
func (m *Memory) Bytes(n int) []byte {
	if uintptr(n) > m.end-m.next || m.next == 0 {
		m.take(n)
	}
	memory := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), m.next)), n)
	m.next = min(m.end, (m.next+uintptr(n)+alignment-1)&^(alignment-1))
	return memory
}

// take takes the first free blocks in a row that hold n bytes.
func (m *Memory) take(n int) {
	taking.Lock()
	defer taking.Unlock()
	need, free := n>>blockBits+1, 0
	for i := range owners {
		if free++; owners[i].Load() != nil {
			free = 0
		}
		if free < need {
			continue
		}
		begin := i + 1 - need
		for j := begin; j <= i; j++ {
			owners[j].Store(m)
		}
		m.next, m.end = first+uintptr(begin)<<blockBits, first+uintptr(i+1)<<blockBits
		return
	}
	panic(ErrExhausted)
}

// Is reports whether memory is phantom.
func Is(memory []byte) bool { return address(memory) >= first }

func address(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }

// owner returns the memory that phantom bytes are of.
func owner(memory []byte) *Memory { return owners[(address(memory)-first)>>blockBits].Load() }

// Like returns n bytes that are phantom if model is, of the same memory, and else zero.
func Like(model []byte, n int) []byte {
	if Is(model) {
		return owner(model).Bytes(n)
	}
	return make([]byte, n)
}

// Copy is the built-in copy where both memories are real. A message of which only the head is real
// takes that along.
func Copy(into, from []byte) int {
	// One comparison for both, as real addresses have none of the highest bits; so written the compiler
	// can inline it.
	if uintptr(unsafe.Pointer(unsafe.SliceData(into)))|uintptr(unsafe.Pointer(unsafe.SliceData(from))) < first {
		return copy(into, from)
	}
	return copyPhantom(into, from)
}

// copyPhantom is Copy where a memory is phantom.
func copyPhantom(into, from []byte) int {
	n := min(len(into), len(from))
	if n > 0 && Is(from) {
		owner(from).heads.Fetch(uint64(address(from)), into[:n])
	}
	return n
}

// Refer is Join of data that nobody changes as long as the message is in use. Memory is phantom, and the data stays where it
// is, where Data finds it. Whoever calls it keeps the data from being collected.
func Refer(into, head, data []byte) {
	owner(into).heads.set(uint64(address(into)), head, address(data))
}

// Data returns the data of a message that Refer has made, and of copies of it; nil of other messages.
func Data(message []byte) []byte {
	if !Is(message) {
		return nil
	}
	head, body := owner(message).heads.get(uint64(address(message)))
	return dataAt(body, len(message)-len(head))
}

// dataAt returns n bytes from an address on, nil if that is 0. The checks of pointers that go with the race detector know nothing of
// who keeps the data from being collected.
//
//go:nocheckptr
func dataAt(body uintptr, n int) []byte {
	if body == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), body)), n)
}

// Join writes a message of a head and data to memory, which must be phantom if the data is.
func Join(into, head, data []byte) {
	if Is(into) {
		setHead(into, head)
		return
	}
	copy(into[copy(into, head):], data)
}

// setHead gives memory the first bytes of a message, if there are any.
func setHead(memory, bytes []byte) {
	if len(bytes) == 0 {
		return
	}
	if !Is(memory) {
		copy(memory, bytes)
		return
	}
	owner(memory).heads.Set(uint64(address(memory)), bytes)
}

// Head returns the first bytes of a message: all of it if it is real, and else its head, which is
// empty if it has none. It is valid until a head is set.
func Head(message []byte) []byte {
	if !Is(message) {
		return message
	}
	head, _ := owner(message).heads.Get(uint64(address(message)))
	return head
}

// IsFault reports whether the value of a panic tells that a program has read or written phantom
// memory. Such an access panics only in goroutines that have called debug.SetPanicOnFault.
func IsFault(value any) bool {
	fault, ok := value.(interface{ Addr() uintptr })
	return ok && fault.Addr() >= first
}
