package core

import (
	"testing"
	"unsafe"
)

// Each rank of a large job has an engine, which takes the memory of the runtime's next larger class, with a word for the collector.
func TestAnEngineTakesLittleMemory(t *testing.T) {
	if n := unsafe.Sizeof(Engine{}) + unsafe.Sizeof(uintptr(0)); n > 2304 {
		t.Errorf("an engine and a word take %d bytes; expected at most 2304, and the next class has 2688", n)
	}
}
