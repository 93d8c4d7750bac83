package shm

import (
	"strings"
	"sync/atomic"
)

// mostText is how much a rank says about what it waits for, in bytes.
const mostText = 192

// statement is what a rank tells about itself to those who ask what a job does. The
// text is of the wait with the number told, and counts if that is the last one.
type statement struct {
	Called atomic.Uint64 // clock of the job when the rank was last seen in a call
	Since  atomic.Uint64 // clock when it has begun to wait
	Waits  atomic.Uint64 // how often it has waited for so long that it has told so
	Told   atomic.Uint64
	bytes  atomic.Uint64
	text   [mostText / 8]atomic.Uint64
	Lanes  atomic.Uint64 // messages that the program has sent and received by lanes
	_      [16]byte
}

// Begin tells that the rank waits. Only the rank itself calls it.
func (s *statement) Begin(clock uint64) {
	s.Since.Store(clock)
	s.Waits.Add(1)
}

// Write tells what the rank waits for. Only the rank itself calls it.
func (s *statement) Write(text string) {
	text = text[:min(len(text), mostText)]
	s.Told.Store(0)
	s.bytes.Store(uint64(len(text)))
	for i := range s.text {
		var word uint64
		for at := 8 * i; at < min(8*i+8, len(text)); at++ {
			word |= uint64(text[at]) << (8 * (at % 8))
		}
		s.text[i].Store(word)
	}
	s.Told.Store(s.Waits.Load())
}

// Read returns what the rank has told about its last wait; nothing if it has not.
func (s *statement) Read() string {
	told := s.Told.Load()
	if told == 0 || told != s.Waits.Load() {
		return ""
	}
	b := make([]byte, min(s.bytes.Load(), mostText))
	for i := range b {
		b[i] = byte(s.text[i/8].Load() >> (8 * (i % 8)))
	}
	if s.Told.Load() != told {
		return ""
	}
	return strings.ToValidUTF8(string(b), "")
}
