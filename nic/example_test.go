package nic_test

import (
	"fmt"

	"musubi/nic"
)

// A message is cut into packets, which the interface stamps; the receiving port
// admits those of its process group.
func Example() {
	sender, receiver := nic.NewPort(7, 1), nic.NewPort(7, 2)
	stranger := nic.NewPort(8, 1)
	message := []byte("knots tie things together")

	var stream []byte // what the network carries
	cut := nic.NewSegmenter(len(message), 16)
	for {
		offset, n, flags, ok := cut.Next()
		if !ok {
			break
		}
		h := nic.Header{Operation: nic.IPush, Flags: flags, Data: n, To: receiver.Process()}
		sender.Stamp(&h)
		stream = nic.AppendWire(stream, &h, message[offset:offset+n])
	}
	forged := nic.Header{Operation: nic.IPush, Group: 7, From: 1, To: receiver.Process()}
	stranger.Stamp(&forged)
	stream = nic.AppendWire(stream, &forged, nil)

	for len(stream) > 0 {
		h, data, rest, err := nic.ParseWire(stream)
		if err != nil {
			fmt.Println(err)
			return
		}
		if receiver.Admit(&h) {
			fmt.Printf("%v of process %d: %q\n", h.Operation, h.From, data)
		}
		stream = rest
	}
	fmt.Println("packets of other groups:", receiver.Foreign())
	// Output:
	// ipush of process 1: "knots tie things"
	// ipush of process 1: " together"
	// packets of other groups: 1
}
