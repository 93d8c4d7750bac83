package mbc

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

// In front of the data of a chain multicast are a tally, the number of further members, and
// these. If alike is set in the number, they have the identity and the address of the first
// one, and the list has their virtual nodes only. If returns is, the list ends with the
// number of the interface that has made the chain of a copy.
const (
	chainHeadBytes = tallyBytes + 2
	memberBytes    = 10
	alikeBytes     = 2 // of a member that has nothing of its own but its node
	returnBytes    = 2
	alike          = 1 << 15
	returns        = 1 << 14
	maxChain       = returns // members
)

func listedBytes(isAlike bool) int {
	if isAlike {
		return alikeBytes
	}
	return memberBytes
}

// AreAlike reports whether all members have the same identity and address, so that a list of
// them is short.
func AreAlike(members []ChainMember) bool {
	for _, m := range members {
		if m.To != members[0].To || m.At != members[0].At {
			return false
		}
	}
	return true
}

// ChainCapacity returns how many bytes of data a chain multicast to so many members, alike or
// not, can carry in a packet with room for payload bytes, the first one included; less than 1
// if they are too many.
func ChainCapacity(payload, members int, isAlike bool) int {
	if members > maxChain {
		return 0
	}
	return payload - chainHeadBytes - (members-1)*listedBytes(isAlike)
}

// LongestChain returns how many members a chain multicast can have beside data bytes of data
// in a packet with room for payload bytes, at least 1.
func LongestChain(payload, data int, isAlike bool) int {
	return max(1, min(maxChain, (payload-chainHeadBytes-data)/listedBytes(isAlike)+1))
}

// AppendChain makes h the header of a chain multicast to members and appends what it carries
// to b: the list of the members behind the first one, and the data. Each member, when it has
// stored the data, calls PassChain. It panics if there are no members.
func AppendChain(b []byte, h *Header, members []ChainMember, data []byte) []byte {
	isAlike := AreAlike(members)
	h.Type = Chain
	h.setTarget(members[0])
	h.Size = chainHeadBytes + (len(members)-1)*listedBytes(isAlike) + len(data)
	b = AckTally{}.Append(b)
	list := chainList{n: len(members) - 1, isAlike: isAlike}
	b = binary.LittleEndian.AppendUint16(b, list.number())
	for _, m := range members[1:] {
		if isAlike {
			b = binary.LittleEndian.AppendUint16(b, m.Node)
		} else {
			b = m.append(b)
		}
	}
	return append(b, data...)
}

func (h *Header) setTarget(m ChainMember) { h.ToNode, h.To, h.At = m.Node, m.To, m.At }

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

// chainList is what stands in front of the data of a chain multicast.
type chainList struct {
	tally   AckTally
	n       int // members
	isAlike bool
	returns bool
}

// bytes returns the length of the list.
func (l *chainList) bytes() int {
	bytes := l.n * listedBytes(l.isAlike)
	if l.returns {
		bytes += returnBytes
	}
	return bytes
}

// number is what stands in front of the list.
func (l *chainList) number() uint16 {
	number := uint16(l.n)
	if l.isAlike {
		number |= alike
	}
	if l.returns {
		number |= returns
	}
	return number
}

// parseList reads what stands in front of the data. It fails if the packet is no chain
// multicast.
func parseList(h *Header, data []byte) (l chainList, err error) {
	if h.Type != Chain || len(data) != h.Size || len(data) < chainHeadBytes {
		return l, fmt.Errorf("mbc: %v of %d bytes with %d; expected a %v with as many, at least %d", h.Type, h.Size, len(data), Chain, chainHeadBytes)
	}
	if l.tally, err = ParseTally(data[:tallyBytes]); err != nil {
		return l, err
	}
	number := binary.LittleEndian.Uint16(data[tallyBytes:])
	l.n, l.isAlike, l.returns = int(number&^(alike|returns)), number&alike != 0, number&returns != 0
	if chainHeadBytes+l.bytes() > len(data) {
		return l, fmt.Errorf("mbc: list of %d members in a %v of %d bytes; expected at most %d", l.n, Chain, len(data), (len(data)-chainHeadBytes)/listedBytes(l.isAlike))
	}
	return l, nil
}

// next returns the first member of the list in data. What it does not say of one that is
// like the member before is in the header.
func (l *chainList) next(h *Header, data []byte) ChainMember {
	b := data[chainHeadBytes:]
	if l.isAlike {
		return ChainMember{binary.LittleEndian.Uint16(b), h.To, h.At}
	}
	return parseMember(b)
}

// ChainWrite returns the write that a chain multicast is at the member which it has come to,
// and its data. AccessGate.Check decides about that write.
func ChainWrite(h *Header, data []byte) (write Header, payload []byte, err error) {
	l, err := parseList(h, data)
	if err != nil {
		return Header{}, nil, err
	}
	payload = data[chainHeadBytes+l.bytes():]
	write = *h
	write.Type, write.Size, write.Route = Write, len(payload), nil
	return write, payload, write.Check()
}

// PassChain turns a chain multicast that is done at a member, or that it has refused, into
// the packet that is sent next: the same to the next member, with the acknowledgement of this
// one put into it, or at the end of the list the combined acknowledgement to the source. Its
// data is part of data, which is changed. The header has no route yet. There is nothing to
// be sent, and the last result is false, at the end of a list without Confirm.
func PassChain(h *Header, data []byte, refused bool) (rest []byte, more bool, err error) {
	l, err := parseList(h, data)
	if err != nil {
		return nil, false, err
	}
	l.tally.Add(TallyOf(h.ToNode, refused))
	if l.n == 0 {
		l.tally.put(data)
		confirm := h.Flags&Confirm != 0
		h.Reply(CombinedAck, tallyBytes)
		return data[:tallyBytes], confirm, nil
	}
	h.setTarget(l.next(h, data))
	listed := listedBytes(l.isAlike)
	h.Size -= listed
	h.Flags &^= Forwarded
	h.Route = h.Route[:0]
	rest = data[listed:]
	l.tally.put(rest)
	l.n--
	binary.LittleEndian.PutUint16(rest[tallyBytes:], l.number())
	return rest, true, nil
}

// ChainTally returns what the members have answered where a chain multicast has been. It
// fails if the data of the packet is not that of a chain multicast.
func ChainTally(h *Header, data []byte) (AckTally, error) {
	l, err := parseList(h, data)
	return l.tally, err
}

// ChainReturn returns the number of the interface that has made a chain multicast of a copy,
// and takes the acknowledgement of its last member. It returns false if that goes to the
// source.
func ChainReturn(h *Header, data []byte) (by uint16, ok bool) {
	l, err := parseList(h, data)
	if err != nil || !l.returns {
		return 0, false
	}
	return binary.LittleEndian.Uint16(data[chainHeadBytes+l.n*listedBytes(l.isAlike):]), true
}

// CanBeCopied reports whether switches can copy a chain multicast to the members that are
// left: there are two or more, with the same address and identity, and it has not come from
// such a copy.
func CanBeCopied(h *Header, data []byte) bool {
	l, err := parseList(h, data)
	if err != nil || l.n == 0 || l.returns {
		return false
	}
	_, differs := l.other(h, data)
	return !differs
}

// other returns the first member of the list in data whose address or identity is not that
// of the member which the header names.
func (l *chainList) other(h *Header, data []byte) (m ChainMember, differs bool) {
	for i := 0; i < l.n && !l.isAlike; i++ {
		m := parseMember(data[chainHeadBytes+i*memberBytes:])
		if m.To != h.To || m.At != h.At {
			return m, true
		}
	}
	return ChainMember{}, false
}

// HierarchicalForm turns a chain multicast into one that interface by has switches copy to
// the members which are left, and returns its data. That form has no place for what those
// have answered where the chain has been: whoever turns it adds done to the acknowledgement
// that comes back, and sends that on to the source. It fails if the chain does not go to the
// same address and identity at all members that are left, as such a multicast does.
func HierarchicalForm(h *Header, data []byte, by uint16) (payload []byte, done AckTally, err error) {
	l, err := parseList(h, data)
	if err != nil {
		return nil, AckTally{}, err
	}
	if m, differs := l.other(h, data); differs {
		return nil, AckTally{}, fmt.Errorf("mbc: chain multicast to address %#x of %+v, and %#x of %+v; expected one address and identity, which a multicast has that switches copy", h.At, h.To, m.At, m.To)
	}
	payload = data[chainHeadBytes+l.bytes():]
	h.Type, h.ToNode, h.Size, h.Route = Multicast, by, len(payload), h.Route[:0]
	return payload, l.tally, nil
}
