// Package rmatest tests a world against the contract of package rma. The author of a world calls
// Test from a test of its own:
//
//	func TestContract(t *testing.T) {
//		rmatest.Test(t, rmatest.World{Run: run, Packet: 512, BOTF: 496})
//	}
//
// The programs that it runs also show how to use the contract. It checks what arrives, and in which
// order, not how long that takes.
package rmatest
