package core

import (
	"testing"
	"unsafe"
)

// Each rank of a large job has an engine, which takes the memory of the runtime's next larger class: 2 KiB with a word for the
// collector, or else 2.25.
func TestAnEngineTakesTwoKiB(t *testing.T) {
	if n := unsafe.Sizeof(Engine{}) + unsafe.Sizeof(uintptr(0)); n > 2<<10 {
		t.Errorf("an engine and a word take %d bytes; expected at most 2048", n)
	}
}
