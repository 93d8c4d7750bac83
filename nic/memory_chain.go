package nic

import (
	"encoding/binary"
	"fmt"
)

// ChainMember is a place that a chain multicast writes to.
type ChainMember struct {
	Node uint16 // virtual node
	To   Identity
	At   uint32
}

// Bytes in front of the data of a chain multicast: tally and number of further members, then
// these.
const (
	chainHeadBytes = tallyBytes + 2
	memberBytes    = 10
)

// ChainCapacity returns how many bytes of data a chain multicast to so many members can
// carry, the first one included; less than 1 if they are too many.
func ChainCapacity(members int) int {
	return MaxMemoryData - chainHeadBytes - (members-1)*memberBytes
}

// AppendChain makes h the header of a chain multicast to members and appends what it carries
// to b: the list of the members behind the first one, and the data. Each member, when it has
// stored the data, calls PassChain. It panics if there are no members.
func AppendChain(b []byte, h *MemoryHeader, members []ChainMember, data []byte) []byte {
	h.Type = MemoryChain
	h.setTarget(members[0])
	h.Size = chainHeadBytes + (len(members)-1)*memberBytes + len(data)
	b = AckTally{}.Append(b)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(members)-1))
	for _, m := range members[1:] {
		b = m.append(b)
	}
	return append(b, data...)
}

func (h *MemoryHeader) setTarget(m ChainMember) { h.ToNode, h.To, h.At = m.Node, m.To, m.At }

func (m *ChainMember) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, m.Node)
	b = binary.LittleEndian.AppendUint16(b, m.To.Process)
	b = binary.LittleEndian.AppendUint16(b, m.To.Access)
	return binary.LittleEndian.AppendUint32(b, m.At)
}

func parseMember(b []byte) ChainMember {
	order := binary.LittleEndian
	return ChainMember{
		Node: order.Uint16(b), To: Identity{Process: order.Uint16(b[2:]), Access: order.Uint16(b[4:])}, At: order.Uint32(b[6:]),
	}
}

// chainMembers returns how many members follow. It fails if the data of the packet is not
// that of a chain multicast.
func chainMembers(h *MemoryHeader, data []byte) (int, error) {
	if h.Type != MemoryChain || len(data) != h.Size || len(data) < chainHeadBytes {
		return 0, fmt.Errorf("nic: %v of %d bytes with %d; expected a %v with as many, at least %d", h.Type, h.Size, len(data), MemoryChain, chainHeadBytes)
	}
	if _, err := ParseTally(data[:tallyBytes]); err != nil {
		return 0, err
	}
	n := int(binary.LittleEndian.Uint16(data[tallyBytes:]))
	if chainHeadBytes+n*memberBytes > len(data) {
		return 0, fmt.Errorf("nic: list of %d members in a %v of %d bytes; expected at most %d", n, MemoryChain, len(data), (len(data)-chainHeadBytes)/memberBytes)
	}
	return n, nil
}

// ChainWrite returns the write that a chain multicast is at the member which it has come to,
// and its data. Gate judges that write.
func ChainWrite(h *MemoryHeader, data []byte) (write MemoryHeader, payload []byte, err error) {
	n, err := chainMembers(h, data)
	if err != nil {
		return MemoryHeader{}, nil, err
	}
	payload = data[chainHeadBytes+n*memberBytes:]
	write = *h
	write.Type, write.Size, write.Route = MemoryWrite, len(payload), nil
	return write, payload, write.Check()
}

// PassChain turns a chain multicast that is done at a member, or that it has refused, into
// the packet that is sent next: the same to the next member, with the acknowledgement of this
// one put into it, or at the end of the list the combined acknowledgement to the source. Its
// data is part of data, which is changed. The header has no route yet. There is nothing to
// be sent, and the last result is false, at the end of a list without Confirm.
func PassChain(h *MemoryHeader, data []byte, refused bool) (rest []byte, more bool, err error) {
	n, err := chainMembers(h, data)
	if err != nil {
		return nil, false, err
	}
	tally, _ := ParseTally(data[:tallyBytes])
	tally.Add(TallyOf(h.ToNode, refused))
	if n == 0 {
		tally.put(data)
		confirm := h.Flags&Confirm != 0
		h.Reply(MemoryCombinedAck, tallyBytes)
		return data[:tallyBytes], confirm, nil
	}
	h.setTarget(parseMember(data[chainHeadBytes:]))
	h.Size -= memberBytes
	h.Flags &^= Forwarded
	h.Route = h.Route[:0]
	rest = data[memberBytes:]
	tally.put(rest)
	binary.LittleEndian.PutUint16(rest[tallyBytes:], uint16(n-1))
	return rest, true, nil
}

// HierarchicalForm turns a chain multicast that has not been anywhere into one that switches
// copy, and returns its data. It fails if it does not go to the same address and identity at
// all members, as such a multicast does.
func HierarchicalForm(h *MemoryHeader, data []byte) (payload []byte, err error) {
	n, err := chainMembers(h, data)
	if err != nil {
		return nil, err
	}
	for i := range n {
		m := parseMember(data[chainHeadBytes+i*memberBytes:])
		if m.To != h.To || m.At != h.At {
			return nil, fmt.Errorf("nic: chain multicast to address %#x of %+v, and %#x of %+v; expected one address and identity, which a multicast has that switches copy", h.At, h.To, m.At, m.To)
		}
	}
	payload = data[chainHeadBytes+n*memberBytes:]
	h.Type, h.ToNode, h.Size, h.Route = MemoryMulticast, EveryNode, len(payload), h.Route[:0]
	return payload, nil
}

// ChainForm turns a multicast that switches would copy into a chain through virtual nodes,
// and appends what it carries to b. The answer goes to the source that the header names. It
// panics if there are no nodes.
func ChainForm(b []byte, h *MemoryHeader, nodes []uint16, payload []byte) []byte {
	to, at := h.To, h.At
	h.Type, h.Route = MemoryChain, h.Route[:0]
	h.setTarget(ChainMember{nodes[0], to, at})
	h.Size = chainHeadBytes + (len(nodes)-1)*memberBytes + len(payload)
	b = AckTally{}.Append(b)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(nodes)-1))
	for _, node := range nodes[1:] {
		m := ChainMember{node, to, at}
		b = m.append(b)
	}
	return append(b, payload...)
}
