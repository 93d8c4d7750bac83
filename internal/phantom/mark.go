package phantom

import "encoding/binary"

// Mark is a short head of a message, with where the data behind it is if that is in other memory (Refer), in as many
// words. Whoever keeps a message by itself keeps its mark beside it, and needs no table of Heads. The zero value is none.
type Mark [3]uint64

// Words of a mark.
const (
	markHead  = iota // its bytes
	markBody         // address of the data; 0: it is not in other memory
	markBytes        // how many bytes the head has; 0: there is none
)

// MarkOf returns the mark of a phantom message. It is zero if that has no head, or a long one.
func MarkOf(message []byte) (m Mark) {
	head, body := owner(message).heads.get(uint64(address(message)))
	if len(head) == 0 || len(head) > shortHead {
		return m
	}
	var bytes [shortHead]byte
	copy(bytes[:], head)
	return Mark{markHead: binary.NativeEndian.Uint64(bytes[:]), markBody: uint64(body), markBytes: uint64(len(head))}
}

// IsNone reports whether there is no head.
func (m *Mark) IsNone() bool { return m[markBytes] == 0 }

// Fetch brings the message to memory, as Heads.Fetch does.
func (m *Mark) Fetch(into []byte) {
	var bytes [shortHead]byte
	binary.NativeEndian.PutUint64(bytes[:], m[markHead])
	fetch(into, bytes[:m[markBytes]], uintptr(m[markBody]))
}
