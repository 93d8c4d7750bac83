package rank

import "musubi/live/wire"

// bufferPool are buffers for what must wait to be sent while the memory that it comes from is
// used for something else.
type bufferPool struct {
	free  [][]byte
	bytes int // of these
}

// mostSpare is how many bytes are kept for later.
const mostSpare = 4 << 20

// keep returns a copy of data.
func (s *bufferPool) keep(data []byte) []byte {
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free, s.bytes = s.free[:n-1], s.bytes-cap(b)
		return append(b, data...)
	}
	return append([]byte(nil), data...)
}

// giveBack takes back what keep has returned.
func (s *bufferPool) giveBack(b []byte) {
	if s.bytes+cap(b) <= mostSpare {
		s.free, s.bytes = append(s.free, b[:0]), s.bytes+cap(b)
	}
}

// keepOf copies the data of a transfer that is still to be sent, as its owner needs the memory.
func (s *bufferPool) keepOf(t *wire.Transfer) {
	t.Data = s.keep(t.Data[t.Sent:])
	t.Offset, t.Total, t.Sent = t.Offset+t.Sent, t.Total-t.Sent, 0
}
