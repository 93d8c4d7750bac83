package phantom

import "encoding/binary"

// Mark is what is worth keeping of a short message, in three words: of a phantom one its head, if that is short, with where the
// data behind it is if that is in other memory (Refer); of a message that has bytes all of them. Whoever keeps a message by itself
// keeps its mark beside it, and needs neither memory for it nor a table of Heads. The zero value is none.
type Mark [3]uint64

// Words of a mark.
const (
	markHead  = iota // the bytes of the head, or the first ones of a whole message
	markBody         // address of the data, 0 if it is not in other memory; or the other bytes of a whole message
	markBytes        // how many bytes the head has, or the whole message, and then whole beside; 0: there is none
)

const (
	whole        = 1 << 8 // the message has bytes
	longestWhole = 16     // bytes of the longest such message
)

// MarkOf returns the mark of a message. It is zero if that is phantom and has no head, or a long one, or if it has bytes, and many.
func MarkOf(message []byte) (m Mark) {
	if !Is(message) {
		return markOfWhole(message)
	}
	head, body := owner(message).heads.get(uint64(address(message)))
	if len(head) == 0 || len(head) > shortHead {
		return m
	}
	var bytes [shortHead]byte
	copy(bytes[:], head)
	return Mark{markHead: binary.NativeEndian.Uint64(bytes[:]), markBody: uint64(body), markBytes: uint64(len(head))}
}

// markOfWhole is MarkOf of a message that has bytes.
func markOfWhole(message []byte) (m Mark) {
	if len(message) > longestWhole {
		return m
	}
	var bytes [longestWhole]byte
	copy(bytes[:], message)
	m[markHead], m[markBody] = binary.NativeEndian.Uint64(bytes[:]), binary.NativeEndian.Uint64(bytes[longestWhole/2:])
	m[markBytes] = whole | uint64(len(message))
	return m
}

// IsNone reports whether there is nothing of a message.
func (m *Mark) IsNone() bool { return m[markBytes] == 0 }

// IsPhantom reports whether the mark is of a phantom message.
func (m *Mark) IsPhantom() bool { return m[markBytes] != 0 && m[markBytes] < whole }

// Fetch brings the message to memory, as Heads.Fetch does.
func (m *Mark) Fetch(into []byte) {
	var bytes [longestWhole]byte
	binary.NativeEndian.PutUint64(bytes[:], m[markHead])
	if m.IsPhantom() {
		fetch(into, bytes[:m[markBytes]], uintptr(m[markBody]))
		return
	}
	if Is(into) { // has no place for bytes
		return
	}
	binary.NativeEndian.PutUint64(bytes[longestWhole/2:], m[markBody])
	copy(into, bytes[:m[markBytes]-whole])
}
