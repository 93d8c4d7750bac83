package live

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// mostText is how much a rank says about what it waits for, in bytes.
const mostText = 192

// statement is what a rank tells about itself to those who ask what a job does. The
// text is of the wait with the number told, and counts if that is the last one.
type statement struct {
	called atomic.Uint64 // clock of the job when the rank was last seen in a call
	since  atomic.Uint64 // clock when it has begun to wait
	waits  atomic.Uint64 // how often it has waited for so long that it has told so
	told   atomic.Uint64
	bytes  atomic.Uint64
	text   [mostText / 8]atomic.Uint64
	_      [24]byte
}

// begin tells that the rank waits. Only the rank itself calls it.
func (s *statement) begin(clock uint64) {
	s.since.Store(clock)
	s.waits.Add(1)
}

// write tells what the rank waits for. Only the rank itself calls it.
func (s *statement) write(text string) {
	text = text[:min(len(text), mostText)]
	s.told.Store(0)
	s.bytes.Store(uint64(len(text)))
	for i := range s.text {
		var word uint64
		for at := 8 * i; at < min(8*i+8, len(text)); at++ {
			word |= uint64(text[at]) << (8 * (at % 8))
		}
		s.text[i].Store(word)
	}
	s.told.Store(s.waits.Load())
}

// read returns what the rank has told about its last wait; nothing if it has not.
func (s *statement) read() string {
	told := s.told.Load()
	if told == 0 || told != s.waits.Load() {
		return ""
	}
	b := make([]byte, min(s.bytes.Load(), mostText))
	for i := range b {
		b[i] = byte(s.text[i/8].Load() >> (8 * (i % 8)))
	}
	if s.told.Load() != told {
		return ""
	}
	return strings.ToValidUTF8(string(b), "")
}

// Explain lets the program say what it waits for; see rma.Explainer.
func (r *rank) Explain(what func() string) { r.waiter.what = what }

// explain writes down what the rank waits for, once for each wait.
func (r *rank) explain() {
	s := &r.job.ranks[r.number].statement
	if s.told.Load() == s.waits.Load() {
		return
	}
	text := ""
	if r.waiter.what != nil {
		text = r.waiter.what()
	}
	s.write(text)
}

// doing says what a rank does that waits for some reason: in the words of the program, if
// it has some.
func (w *waiter) doing(why reason) string {
	if why != 0 && w.what != nil {
		if text := w.what(); text != "" {
			return "waits in " + text
		}
	}
	return why.String()
}

// notice takes note of the clock of the job: the rank is in a call.
func (r *rank) notice(clock uint64) {
	r.waiter.clock = clock
	r.job.ranks[r.number].statement.called.Store(clock)
}

// tick sets the clock of the job, which counts milliseconds. Whoever watches the job
// keeps it.
func (g *region) tick(since time.Time) {
	g.header.clock.Store(uint64(time.Since(since).Milliseconds()) + 1)
}

// doing says what a rank was last seen to wait for.
func (g *region) doing(rank int) string {
	state := &g.ranks[rank]
	if state.ended.Load() == 1 {
		return inEnd.String()
	}
	if text := state.statement.read(); text != "" {
		return "waits in " + text
	}
	return reason(state.last.Load()).String()
}

// standing says what each rank of the group does, for a job that is stuck.
func (g *region) standing() string {
	var parts []string
	for _, rank := range g.locals() {
		parts = append(parts, fmt.Sprintf("rank %d %s", rank, g.doing(rank)))
	}
	return strings.Join(parts, ", ")
}
