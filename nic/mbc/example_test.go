package mbc_test

import (
	"fmt"

	"musubi/nic/mbc"
)

// A write of 4 bytes through one switch, by a process that has been told the access id of
// the target and by one that has guessed it.
func ExampleAccessGate() {
	var source, target mbc.AccessGate
	memory := mbc.NewPageTable(16)
	target.Arrive(mbc.Identity{Process: 7, Access: 0x2f31}, 1, &memory)
	target.Schedule(7, 1)
	source.Arrive(mbc.Identity{Process: 7, Access: 0x8a02}, 0, nil)
	source.Schedule(7, 0)

	routes := mbc.NewRouteTable[mbc.Header](64)
	routes.Fill(1, mbc.Route{End: 1, Steps: []uint16{3}})
	for _, access := range []uint16{0x2f31, 0x1234} {
		h := mbc.Header{Type: mbc.Write, To: mbc.Identity{Process: 7, Access: access}, ToNode: 1, At: 0x1000, Size: 4}
		source.Stamp(&h)
		if route, ok := routes.Lookup(h.ToNode); ok {
			h.Route = route.Steps
		}
		fmt.Printf("%d bytes: %v\n", h.Bytes(), target.Check(&h))
	}
	for _, o := range target.Violations(nil, 7, 1) {
		fmt.Printf("process %d of virtual node %d has tried it at %#x\n", o.By.Process, o.Node, o.At)
	}
	// Output:
	// 36 bytes: direct
	// 36 bytes: forged
	// process 7 of virtual node 0 has tried it at 0x1000
}

// A chain multicast to three virtual nodes, of which the second refuses it.
func ExamplePassChain() {
	var members []mbc.ChainMember
	for node := range uint16(3) {
		members = append(members, mbc.ChainMember{Node: node + 1, At: 0x1000})
	}
	h := mbc.Header{Flags: mbc.Confirm}
	data := mbc.AppendChain(nil, &h, members, []byte("data"))
	for h.Type == mbc.Chain {
		write, payload, err := mbc.ChainWrite(&h, data)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v of %q to virtual node %d\n", write.Type, payload, write.ToNode)
		data, _, _ = mbc.PassChain(&h, data, write.ToNode == 2)
	}
	tally, _ := mbc.ParseTally(data)
	fmt.Printf("%v: %d of %d have refused, the first is %d\n", h.Type, tally.Refused, tally.Answered, tally.First)
	// Output:
	// write of "data" to virtual node 1
	// write of "data" to virtual node 2
	// write of "data" to virtual node 3
	// combined ack: 1 of 3 have refused, the first is 2
}
