package nic

import "testing"

func TestChainGoesRound(t *testing.T) {
	members := []ChainMember{{3, Identity{1, 2}, 8}, {1, Identity{3, 4}, 16}, {2, Identity{5, 6}, 24}}
	h := MemoryHeader{Flags: Confirm, From: Identity{9, 9}, FromNode: 7, ReplyTo: 64}
	data := AppendChain(nil, &h, members, []byte("data"))
	for i, m := range members {
		write, payload, err := ChainWrite(&h, data)
		if err != nil || write.ToNode != m.Node || write.To != m.To || write.At != m.At || string(payload) != "data" {
			t.Fatalf("member %d gets %+v with %q, error %v; expected a write to %+v", i, write, payload, err, m)
		}
		var more bool
		if data, more, err = PassChain(&h, data, i == 1); err != nil || !more {
			t.Fatalf("member %d: %v, more %v", i, err, more)
		}
	}
	tally, err := ParseTally(data)
	want := AckTally{Answered: 3, Refused: 1, First: 1}
	if err != nil || tally != want || h.Type != MemoryCombinedAck || h.At != 64 || h.ToNode != 7 || h.To != (Identity{9, 9}) {
		t.Errorf("%+v in %+v, error %v; expected %+v to the source", tally, h, err, want)
	}
}
