package tcp

import (
	"runtime"
	"testing"
)

// A rank that takes a stream back lets go on who has it in hand, also if that needs the only
// processor, and the garbage collector.
func TestWhoTakesAStreamBackHoldsUpNobody(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 10 {
		var h holding
		h.Store(inHand)
		go func() {
			runtime.GC()
			h.Store(notHeld)
		}()
		h.own()
	}
}
