// Package rmatest holds a world to the contract of package rma. Whoever writes one
// calls Test from a test of its own:
//
//	func TestContract(t *testing.T) {
//		rmatest.Test(t, rmatest.World{Run: run, Packet: 512, BOTF: 496})
//	}
//
// The programs that it runs also show how the contract is meant. It looks at what
// arrives, and in which order, not at how long that takes.
package rmatest
