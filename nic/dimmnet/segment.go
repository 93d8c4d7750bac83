package dimmnet

import "fmt"

// Segmenter cuts a message into packets. A message without data is one packet.
type Segmenter struct {
	size, payload int
	next          int  // offset of the next packet
	done          bool // the last packet has been cut
}

// NewSegmenter cuts a message of size bytes into packets of payload bytes of data,
// the last of what is left. It panics if size is negative or payload below 1.
func NewSegmenter(size, payload int) Segmenter {
	if size < 0 || payload < 1 {
		panic(fmt.Sprintf("dimmnet: message of %d bytes in packets of %d; expected at least 0 and 1", size, payload))
	}
	return Segmenter{size: size, payload: payload}
}

// Next returns the next packet: the offset of its data in the message, how many
// bytes of data it has, and which of StartOfMessage and EndOfMessage it carries.
// It is not ok if there are no more.
func (s *Segmenter) Next() (offset, n int, flags Flags, ok bool) {
	if s.done {
		return 0, 0, 0, false
	}
	offset = s.next
	n = min(s.payload, s.size-offset)
	s.next += n
	if offset == 0 {
		flags |= StartOfMessage
	}
	if s.next == s.size {
		flags |= EndOfMessage
		s.done = true
	}
	return offset, n, flags, true
}
