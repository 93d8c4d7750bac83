package collective

import (
	"testing"
	"unsafe"
)

// Each rank of a large job has a communicator and an operation, which take the memory of the runtime's next larger classes, with
// a word for the collector.
func TestRanksTakeLittleMemory(t *testing.T) {
	const word = unsafe.Sizeof(uintptr(0))
	if n := unsafe.Sizeof(Comm{}) + word; n > 768 {
		t.Errorf("a communicator and a word take %d bytes; expected at most 768, and the next class has 896", n)
	}
	if n := unsafe.Sizeof(Operation{}) + word; n > 896 {
		t.Errorf("an operation and a word take %d bytes; expected at most 896, and the next class has 1024", n)
	}
}
