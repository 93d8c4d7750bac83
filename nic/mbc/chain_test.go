package mbc

import (
	"bytes"
	"testing"

	"musubi/internal/check"

	"pgregory.net/rapid"
)

// drawMembers draws the list of a chain, with different virtual nodes, and often nothing
// else that is different.
func drawMembers(t *rapid.T, most int) []ChainMember {
	members := make([]ChainMember, rapid.IntRange(1, most).Draw(t, "members"))
	first := rapid.Uint16().Draw(t, "first node")
	isAlike := rapid.Bool().Draw(t, "alike")
	for i := range members {
		if isAlike && i > 0 {
			members[i] = ChainMember{first + uint16(i), members[0].To, members[0].At}
			continue
		}
		members[i] = ChainMember{
			Node: first + uint16(i), At: uint32(rapid.IntRange(0, 100).Draw(t, "page")) * PageSize,
			To: Identity{rapid.Uint16().Draw(t, "process"), rapid.Uint16().Draw(t, "access")},
		}
	}
	return members
}

// TestChainVisitsAll passes multicasts along lists of any length, over the wire between
// members. All get the data, and one acknowledgement says at last who has refused it.
func TestChainVisitsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := drawMembers(t, 400)
		payload := bytes.Repeat([]byte{0xa5}, rapid.IntRange(0, ChainCapacity(MaxData, len(members), AreAlike(members))).Draw(t, "bytes"))
		source := Header{Flags: Confirm, From: Identity{9, 10}, FromNode: 11, ReplyTo: 64}
		h, want := source, AckTally{}
		data := AppendChain(nil, &h, members, payload)
		for i, m := range members {
			wire := AppendPacket(nil, &h, data)
			var err error
			if data, err = ParsePacket(wire, &h); err != nil {
				t.Fatal(err)
			}
			write, got, err := ChainWrite(&h, data)
			if err != nil || write.Type != Write || write.ToNode != m.Node || write.To != m.To || write.At != m.At || !bytes.Equal(got, payload) {
				t.Fatalf("member %d of %d gets %+v with %d bytes, error %v; expected a write to %+v", i, len(members), write, len(got), err, m)
			}
			refuses := rapid.IntRange(0, 9).Draw(t, "refuses") == 0
			want.Add(TallyOf(m.Node, refuses))
			h.Flags |= Forwarded // as if the member had moved
			var more bool
			if data, more, err = PassChain(&h, data, refuses); err != nil || !more {
				t.Fatalf("member %d of %d: more %v, error %v", i, len(members), more, err)
			}
			if h.Flags&Forwarded != 0 {
				t.Fatalf("member %d of %d passes a packet on that says it was forwarded", i, len(members))
			}
		}
		tally, err := ParseTally(data)
		if err != nil || tally != want || h.Check() != nil {
			t.Fatalf("%+v with %+v, error %v; expected %+v", h, tally, err, want)
		}
		last := members[len(members)-1]
		if h.Type != CombinedAck || h.To != source.From || h.ToNode != source.FromNode || h.At != source.ReplyTo || h.From != last.To || h.FromNode != last.Node {
			t.Fatalf("acknowledged by %+v; expected it from the last member to %+v", h, source)
		}
	})
}

// Without Confirm, a chain ends without a word.
func TestChainWithoutConfirm(t *testing.T) {
	var h Header
	data := AppendChain(nil, &h, []ChainMember{{Node: 1}, {Node: 2}}, nil)
	data, more, err := PassChain(&h, data, false)
	if !more || err != nil {
		t.Fatalf("more %v, error %v; expected a packet to the second member", more, err)
	}
	if _, more, err = PassChain(&h, data, false); more || err != nil {
		t.Errorf("more %v, error %v; expected nothing to be sent", more, err)
	}
}

func TestChainCapacity(t *testing.T) {
	for _, test := range []struct {
		members int
		isAlike bool
	}{{1, true}, {2, false}, {2, true}, {100, false}, {409, false}, {409, true}, {2045, true}} {
		members := make([]ChainMember, test.members)
		if !test.isAlike {
			members[0].At = PageSize
		}
		var h Header
		capacity := ChainCapacity(MaxData, test.members, test.isAlike)
		data := AppendChain(nil, &h, members, make([]byte, capacity))
		if h.Size != MaxData || len(data) != MaxData || h.Check() != nil {
			t.Errorf("%+v and as much data as fits take %d bytes, %d announced; expected %d", test, len(data), h.Size, MaxData)
		}
		if n := LongestChain(MaxData, capacity, test.isAlike); n != test.members {
			t.Errorf("%d members beside %d bytes; expected %+v", n, capacity, test)
		}
	}
	if n := ChainCapacity(MaxData, 410, false); n > 0 {
		t.Errorf("room for %d bytes beside 410 members; expected none", n)
	}
	if n := LongestChain(64, 64, true); n != 1 {
		t.Errorf("%d members beside as much data as a packet takes; expected 1, whose data is in several packets", n)
	}
}

func TestChainErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		err  string
	}{
		{"nothing", nil, "chain of 0 bytes with 0; expected a chain with as many, at least 8"},
		{"short", make([]byte, 7), "chain of 7 bytes"},
		{"more members than there are", []byte{6: 3, 27: 0}, "list of 3 members in a chain of 28 bytes; expected at most 2"},
		{"more members that are alike than there are", []byte{6: 3, 0x80, 0, 0, 0, 0}, "list of 3 members in a chain of 12 bytes; expected at most 2"},
		{"more that refuse than have answered", []byte{2: 1, 7: 0}, "tally of 0 acknowledgements, of which 1 refuse"},
		{"a first one of none", []byte{4: 1, 7: 0}, "first at 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := Header{Type: Chain, Size: len(test.data)}
			_, _, err := ChainWrite(&h, test.data)
			check.Error(t, err, test.err)
			_, _, err = PassChain(&h, test.data, false)
			check.Error(t, err, test.err)
			_, _, err = HierarchicalForm(&h, test.data, 0)
			check.Error(t, err, test.err)
		})
	}
	write := Header{Type: Write, Size: 8}
	_, _, err := ChainWrite(&write, make([]byte, 8))
	check.Error(t, err, "write of 8 bytes with 8; expected a chain")
	var h Header
	data := AppendChain(nil, &h, []ChainMember{{At: PageSize - 1}}, []byte("ab"))
	_, _, err = ChainWrite(&h, data)
	check.Error(t, err, "write of 2 bytes at address 0xfff crosses a page boundary")
}

// What goes to one address and identity everywhere can be copied by switches.
func TestHierarchicalForm(t *testing.T) {
	to := Identity{1, 2}
	members := []ChainMember{{3, to, 8}, {4, to, 8}, {5, to, 8}}
	var h Header
	h.From, h.FromNode, h.ReplyTo = Identity{6, 7}, 8, 16
	data := AppendChain(nil, &h, members, []byte("data"))
	rest, _, err := PassChain(&h, data, true)
	if err != nil || !CanBeCopied(&h, rest) {
		t.Errorf("error %v; expected a chain that switches can copy to the two that are left", err)
	}
	payload, done, err := HierarchicalForm(&h, rest, 77)
	want := Header{Type: Multicast, To: to, ToNode: 77, At: 8, Size: 4, From: h.From, FromNode: 8, ReplyTo: 16}
	if err != nil || done != TallyOf(3, true) || !sameMemoryHeader(h, want) || string(payload) != "data" {
		t.Fatalf("%+v with %q, %+v done, error %v; expected %+v with the data, and that the first member has refused", h, payload, done, err, want)
	}
	members[2].At++
	data = AppendChain(nil, &h, members, []byte("data"))
	if CanBeCopied(&h, data) {
		t.Error("a chain to two addresses can be copied by switches; expected that it cannot")
	}
	if data := AppendChain(nil, &h, members[:1], nil); CanBeCopied(&h, data) {
		t.Error("a chain with one member left can be copied by switches; expected that it cannot")
	}
	data = AppendChain(nil, &h, members, []byte("data"))
	_, _, err = HierarchicalForm(&h, data, 77)
	check.Error(t, err, "chain multicast to address 0x8 of {Process:1 Access:2}, and 0x9 of {Process:1 Access:2}; expected one address and identity")
}

// Tallies add up in any order, and survive the wire.
func TestTalliesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refusals := rapid.SliceOfN(rapid.Bool(), 1, 50).Draw(t, "refusals")
		order := rapid.Permutation(makeRange(len(refusals))).Draw(t, "order")
		var want, got, half AckTally
		for node, refused := range refusals {
			if refused && want.Refused == 0 {
				want.First = uint16(node)
			}
			want.Answered++
			if refused {
				want.Refused++
			}
		}
		for i, node := range order {
			to := &got
			if i%2 == 0 {
				to = &half // as of another switch
			}
			to.Add(TallyOf(uint16(node), refusals[node]))
		}
		got.Add(half)
		if got != want {
			t.Fatalf("%+v; expected %+v", got, want)
		}
		if back, err := ParseTally(got.Append(nil)); err != nil || back != got {
			t.Fatalf("%+v came back as %+v, error %v", got, back, err)
		}
	})
}

func makeRange(n int) []int {
	r := make([]int, n)
	for i := range r {
		r[i] = i
	}
	return r
}

// A switch sends one acknowledgement on when each branch has answered, in whatever order
// and however often.
func TestAckCombiner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c AckCombiner
		for range 3 { // the memory is used again
			branches := rapid.IntRange(1, 100).Draw(t, "branches")
			c.Open(branches)
			answered, want := map[int]bool{}, AckTally{}
			for len(answered) < branches {
				branch := rapid.IntRange(0, branches-1).Draw(t, "branch")
				tally := TallyOf(uint16(branch), branch%3 == 0)
				fresh := !answered[branch]
				if fresh {
					answered[branch] = true
					want.Add(tally)
				}
				if last := c.Answer(branch, tally); last != (fresh && len(answered) == branches) {
					t.Fatalf("branch %d is the last: %v, with %d of %d answered", branch, last, len(answered), branches)
				}
				if c.Missing() != branches-len(answered) || c.Tally() != want {
					t.Fatalf("%d missing of %d, %+v; expected %d and %+v", c.Missing(), branches, c.Tally(), branches-len(answered), want)
				}
			}
		}
	})
}

// A packet has the list of maxChain members at most, however much room it has, and no byte of
// data beside a longer one.
func TestChainsOfTooMany(t *testing.T) {
	for _, isAlike := range []bool{false, true} {
		if n := ChainCapacity(1<<24, maxChain, isAlike); n < 1 {
			t.Errorf("%d bytes of data for %d members; expected some", n, maxChain)
		}
		if n := ChainCapacity(1<<24, maxChain+1, isAlike); n >= 1 {
			t.Errorf("%d bytes of data for %d members; expected none", n, maxChain+1)
		}
	}
}
