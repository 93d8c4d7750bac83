package mbc

import (
	"encoding/binary"
	"fmt"
)

// Where a switch cannot copy, a multicast in the hierarchical form gets to one of the nodes
// behind it, whose interface goes on as a chain through the others. Which these are stands in
// front of the data: the number of words of two bytes, and for each such node a list of
// virtual nodes, with its length in front of it and the node itself as the first one. The
// flag Listed says so. All copies of a packet have the same lists.

// NodeLists are lists of virtual nodes as such a packet has them.
type NodeLists []uint16

const listWordBytes = 2

// Add appends a list, of at least one node.
func (l NodeLists) Add(nodes ...uint16) NodeLists {
	return append(append(l, uint16(len(nodes))), nodes...)
}

// Bytes returns how many bytes of a packet the lists take; none if there are no lists.
func (l NodeLists) Bytes() int {
	if len(l) == 0 {
		return 0
	}
	return listWordBytes * (1 + len(l))
}

// AppendListed appends what a multicast carries that switches copy to b: the lists, if there
// are any, and the data. It enters both into the header, which has its type.
func AppendListed(b []byte, h *Header, lists NodeLists, payload []byte) []byte {
	h.Size = lists.Bytes() + len(payload)
	h.Flags &^= Listed
	if len(lists) > 0 {
		h.Flags |= Listed
		b = binary.LittleEndian.AppendUint16(b, uint16(len(lists)))
		for _, word := range lists {
			b = binary.LittleEndian.AppendUint16(b, word)
		}
	}
	return append(b, payload...)
}

// splitLists returns the lists in front of the data of a multicast that switches copy, and
// that data.
func splitLists(h *Header, data []byte) (lists, payload []byte, err error) {
	switch {
	case h.Type != Multicast || len(data) != h.Size:
		return nil, nil, fmt.Errorf("mbc: %v of %d bytes with %d; expected a %v with as many", h.Type, h.Size, len(data), Multicast)
	case h.Flags&Listed == 0:
		return nil, data, nil
	case len(data) < listWordBytes:
		return nil, nil, fmt.Errorf("mbc: lists in a %v of %d bytes; expected at least %d", h.Type, len(data), listWordBytes)
	}
	end := listWordBytes * (1 + int(binary.LittleEndian.Uint16(data)))
	if end > len(data) {
		return nil, nil, fmt.Errorf("mbc: lists of %d bytes in a %v of %d; expected at most as many", end, h.Type, len(data))
	}
	return data[listWordBytes:end], data[end:], nil
}

// CopyWrite returns the write that a copy of a multicast is at the node which it has come to,
// and its data. AccessGate.Check decides about that write.
func CopyWrite(h *Header, data []byte) (write Header, payload []byte, err error) {
	_, payload, err = splitLists(h, data)
	if err != nil {
		return Header{}, nil, err
	}
	write = *h
	write.Type, write.Size, write.Route = Write, len(payload), nil
	write.Flags &^= Listed
	return write, payload, write.Check()
}

// ChainForm turns a copy that has come to a node into the chain through the list which begins
// with that node, and appends what it carries to b. The node is its first member, so what
// comes next is PassChain. The acknowledgement of the last member goes to interface by, which
// owes it to the switches that have made the copy. It returns false, and changes nothing, if
// no list begins with that node.
func ChainForm(b []byte, h *Header, data []byte, by uint16) (chain []byte, ok bool, err error) {
	lists, payload, err := splitLists(h, data)
	if err != nil {
		return b, false, err
	}
	nodes, err := listFrom(lists, h.ToNode)
	if err != nil || nodes == nil {
		return b, false, err
	}
	behind := nodes[listWordBytes:]
	list := chainList{n: len(behind) / listWordBytes, isAlike: true, returns: true}
	h.Type, h.Route = Chain, h.Route[:0]
	h.Flags &^= Listed
	h.Size = chainHeadBytes + list.bytes() + len(payload)
	b = AckTally{}.Append(b)
	b = binary.LittleEndian.AppendUint16(b, list.number())
	b = append(b, behind...)
	b = binary.LittleEndian.AppendUint16(b, by)
	return append(b, payload...), true, nil
}

// listFrom returns the nodes of the list that begins with a node, nil if none does.
func listFrom(lists []byte, first uint16) (nodes []byte, err error) {
	for len(lists) > 0 {
		words := len(lists)/listWordBytes - 1
		n := int(binary.LittleEndian.Uint16(lists))
		if n < 1 || n > words {
			return nil, fmt.Errorf("mbc: list of %d nodes in %d words; expected 1 to %d", n, words, words)
		}
		nodes, lists = lists[listWordBytes:][:n*listWordBytes], lists[(1+n)*listWordBytes:]
		if binary.LittleEndian.Uint16(nodes) == first {
			return nodes, nil
		}
	}
	return nil, nil
}
