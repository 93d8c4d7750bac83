package mbc

import (
	"bytes"
	"slices"
	"testing"

	"musubi/internal/check"

	"pgregory.net/rapid"
)

// drawLists draws lists of different virtual nodes, as a packet has them and by themselves.
func drawLists(t *rapid.T, most int) (lists NodeLists, each [][]uint16) {
	node := rapid.Uint16Range(0, 100).Draw(t, "first node")
	for range rapid.IntRange(0, most).Draw(t, "lists") {
		var nodes []uint16
		for range rapid.IntRange(1, 10).Draw(t, "nodes") {
			nodes = append(nodes, node)
			node++
		}
		lists, each = lists.Add(nodes...), append(each, nodes)
	}
	return lists, each
}

// TestCopiesGoOnAsChains lets the first node of each list get a copy, over the wire, and go on
// as a chain. All of its list get the data, and the last one acknowledges to the interface
// that has made the chain.
func TestCopiesGoOnAsChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists, each := drawLists(t, 20)
		payload := bytes.Repeat([]byte{0xa5}, rapid.IntRange(0, MaxData-lists.Bytes()).Draw(t, "bytes"))
		to := Identity{rapid.Uint16().Draw(t, "process"), 4}
		sent := Header{Type: Multicast, Flags: Confirm, To: to, ToNode: 99, From: Identity{9, 10}, FromNode: 11, ReplyTo: 64}
		wire := AppendListed(nil, &sent, lists, payload)
		wire = AppendPacket(nil, &sent, wire)
		for _, nodes := range each {
			var h Header
			data, err := ParsePacket(wire, &h)
			if err != nil {
				t.Fatal(err)
			}
			h.ToNode = nodes[0]
			write, got, err := CopyWrite(&h, data)
			if err != nil || write.Type != Write || write.Flags != Confirm || write.ToNode != nodes[0] || write.To != to || !bytes.Equal(got, payload) {
				t.Fatalf("node %d gets %+v with %d bytes, error %v; expected a write of %d", nodes[0], write, len(got), err, len(payload))
			}
			data, ok, err := ChainForm(nil, &h, data, 77)
			if err != nil || !ok || h.Type != Chain || h.Flags != Confirm || h.Size != len(data) {
				t.Fatalf("%+v with %d bytes: %v, error %v; expected a chain", h, len(data), ok, err)
			}
			visitChain(t, &h, data, nodes, payload)
		}
	})
}

// visitChain passes the chain along that a copy has become.
func visitChain(t *rapid.T, h *Header, data []byte, nodes []uint16, payload []byte) {
	want := AckTally{}
	for i, node := range nodes {
		write, got, err := ChainWrite(h, data)
		if err != nil || write.ToNode != node || !bytes.Equal(got, payload) {
			t.Fatalf("node %d of %v gets %+v with %d bytes, error %v", i, nodes, write, len(got), err)
		}
		if CanBeCopied(h, data) {
			t.Fatal("a chain that was a copy can be copied again; expected that it cannot")
		}
		if by, ok := ChainReturn(h, data); !ok || by != 77 {
			t.Fatalf("the last one acknowledges to interface %d: %v; expected 77", by, ok)
		}
		refuses := rapid.Bool().Draw(t, "refuses")
		want.Add(TallyOf(node, refuses))
		if data, _, err = PassChain(h, data, refuses); err != nil {
			t.Fatal(err)
		}
	}
	if tally, err := ParseTally(data); h.Type != CombinedAck || h.FromNode != nodes[len(nodes)-1] || tally != want || err != nil {
		t.Fatalf("%+v with %+v, error %v; expected %+v of the last node", h, tally, err, want)
	}
}

// A copy has nothing to go on with where no list begins.
func TestCopiesWithoutList(t *testing.T) {
	for _, lists := range []NodeLists{nil, NodeLists{}.Add(1, 2).Add(3)} {
		h := Header{Type: Multicast}
		data := AppendListed(nil, &h, lists, []byte("data"))
		if h.Size != lists.Bytes()+4 || h.Check() != nil {
			t.Errorf("%+v; expected %d bytes of lists and 4 of data", h, lists.Bytes())
		}
		h.ToNode = 2
		before := h
		chain, ok, err := ChainForm(nil, &h, data, 77)
		if ok || err != nil || len(chain) != 0 || !sameMemoryHeader(h, before) {
			t.Errorf("with lists %v node 2 goes on: %v, error %v", lists, ok, err)
		}
		if _, payload, err := CopyWrite(&h, data); err != nil || string(payload) != "data" {
			t.Errorf("with lists %v: %q, error %v; expected the data", lists, payload, err)
		}
	}
	h := Header{Type: Multicast, Flags: Listed, Size: 2, ToNode: 2}
	if _, payload, err := CopyWrite(&h, []byte{0, 0}); err != nil || len(payload) != 0 {
		t.Errorf("lists of no words and no data: %q, error %v; expected no data", payload, err)
	}
	data := AppendChain(nil, &h, []ChainMember{{Node: 1}}, nil)
	if by, ok := ChainReturn(&h, data); ok {
		t.Errorf("the chain of a source is acknowledged to interface %d; expected to the source", by)
	}
}

func TestListErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		err  string
	}{
		{"no number", []byte{1}, "lists in a multicast of 1 bytes; expected at least 2"},
		{"more words than there are", []byte{2, 0, 1, 0}, "lists of 6 bytes in a multicast of 4; expected at most as many"},
		{"empty list", []byte{2, 0, 0, 0, 5, 0}, "list of 0 nodes in 1 words; expected 1 to 1"},
		{"longer list than there is", []byte{2, 0, 2, 0, 5, 0}, "list of 2 nodes in 1 words; expected 1 to 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := Header{Type: Multicast, Flags: Listed, Size: len(test.data), ToNode: 5}
			_, ok, err := ChainForm(nil, &h, test.data, 77)
			if check.Error(t, err, test.err); ok {
				t.Error("it goes on as a chain; expected that it does not")
			}
		})
	}
	write := Header{Type: Write, Size: 8}
	_, _, err := CopyWrite(&write, make([]byte, 8))
	check.Error(t, err, "write of 8 bytes with 8; expected a multicast with as many")
	h := Header{Type: Multicast, At: PageSize - 1}
	data := AppendListed(nil, &h, NodeLists{}.Add(1), []byte("ab"))
	if err := h.Check(); err != nil {
		t.Error(err) // what crosses is for the lists to tell
	}
	_, _, err = CopyWrite(&h, data)
	check.Error(t, err, "write of 2 bytes at address 0xfff crosses a page boundary")
	if got := (NodeLists{}).Add(1, 2).Add(3); !slices.Equal(got, NodeLists{2, 1, 2, 1, 3}) {
		t.Errorf("lists %v; expected each with its length in front", got)
	}
}
