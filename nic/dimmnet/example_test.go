package dimmnet_test

import (
	"fmt"

	"musubi/nic/dimmnet"
)

// A message is cut into packets, which the interface stamps; the receiving port
// admits those of its process group.
func Example() {
	sender, receiver := dimmnet.NewPort(7, 1), dimmnet.NewPort(7, 2)
	other := dimmnet.NewPort(8, 1)
	message := []byte("knots tie things together")

	var network []dimmnet.Header
	cut := dimmnet.NewSegmenter(len(message), 16)
	for {
		offset, n, flags, ok := cut.Next()
		if !ok {
			break
		}
		h := dimmnet.Header{Operation: dimmnet.IPush, Flags: flags, Data: n, To: receiver.Process(), Address: uint64(offset)}
		sender.Stamp(&h)
		network = append(network, h)
	}
	forged := dimmnet.Header{Operation: dimmnet.IPush, Group: 7, From: 1, To: receiver.Process()}
	other.Stamp(&forged)
	network = append(network, forged)

	for _, h := range network {
		if receiver.Admit(&h) {
			fmt.Printf("%v of process %d: %q\n", h.Operation, h.From, message[h.Address:][:h.Data])
		}
	}
	fmt.Println("packets of other groups:", receiver.Foreign())
	// Output:
	// ipush of process 1: "knots tie things"
	// ipush of process 1: " together"
	// packets of other groups: 1
}
