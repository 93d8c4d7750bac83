package card

import (
	"encoding/binary"

	"musubi/nic/dimmnet"
	"musubi/nic/match"
	"musubi/nic/ring"
	"musubi/rma"
	"musubi/sim/host"
)

// matchWord is the length of the word that is compared: the first line of data.
const matchWord = dimmnet.LineSize

// matching is what a rank has of a card that matches messages with posted receives. Its data goes
// to a place on the card, as the card reaches nothing else: a Prefetch Window if it is one packet
// and one is free, or memory. The processor then copies it, once.
type matching struct {
	unit    match.Unit
	host    match.Host
	posts   host.FIFO[match.Post]        // on their way to the card
	into    map[uint32][]byte            // of receives that the card may have, by number
	flows   map[uint16]*flow             // of each sender, the message that came last
	ended   map[uint16]*host.FIFO[*flow] // of each sender, the messages that the program has not heard of
	taken   map[uint64]*flow             // of records that the program has taken, what their messages were
	windows int                          // Prefetch Windows that are free for messages

	straight, pulled, named int64 // messages matched, by what became of them
}

// flow is a message on its way through the receiver of a card.
type flow struct {
	match.Decision
	word   rma.MatchWord
	by     rma.MatchedBy
	into   []byte    // of the receive that it has matched
	bytes  int       // behind the word, so far
	path   *cardPath // of its packets, if it goes straight to its receive
	window bool      // it lies in a Prefetch Window
	begun  bool      // a packet has been taken
	pull   rma.Op
	told   bool // to the program
}

// isStraight reports whether the message goes to its receive and not to a ring.
func (f *flow) isStraight() bool { return f != nil && f.Number != 0 && f.by == rma.Straight }

func newMatching(s *Match) *matching {
	unit, err := match.NewUnit(s.Entries)
	if err != nil {
		panic(err) // there are entries
	}
	return &matching{
		unit: *unit, host: match.NewHost(s.Entries), windows: s.Windows, into: map[uint32][]byte{},
		flows: map[uint16]*flow{}, ended: map[uint16]*host.FIFO[*flow]{}, taken: map[uint64]*flow{},
	}
}

// posted lets a receive come to the card.
func (m *matching) posted() { m.unit.Post(m.posts.Pop()) }

// How a message is to be matched is in the address of its header, which no ring needs: the segment
// that it offers, as an address, and below that the manner. The word is the length of the offer.
const mannerBits = 2

// toMatch lets a header begin a message that is matched.
func toMatch(h *dimmnet.Header, m *rma.Matching) {
	h.Operation, h.Address = dimmnet.IPushMatch, uint64(m.By)
	if m.By == rma.Offered {
		h.Address |= physical(rma.Address{Segment: m.Segment})
		h.Long, h.Word = true, uint64(m.Bytes)
	}
}

// matchings lets cards match messages with the receives that their ranks have posted.
type matchings struct {
	*cards
	jobs   *jobs
	sender *sender
	buffer [maxCardData]byte // for the data of one packet
}

// flowOf returns the message of a packet, and how many clocks it takes to decide about it. That is
// done once, even if its first packet has to be sent again.
func (w *matchings) flowOf(h *dimmnet.Header, packet *packet) (*flow, int) {
	m := w.users[h.To].matching
	if f := m.flows[h.From]; h.Flags&dimmnet.StartOfMessage == 0 || f != nil && !f.begun {
		return f, 0
	}
	data := packet.data(w.buffer[:])
	f := &flow{word: rma.MatchWord(binary.LittleEndian.Uint64(data)), by: rma.MatchedBy(h.Address & (1<<mannerBits - 1))}
	m.flows[h.From] = f
	f.Decision = m.unit.Arrive(&match.Header{Source: int32(h.From), Tag: f.word.Tag(), Context: f.word.Context()})
	clocks := w.Match.Word + w.Match.Entry*f.Searched
	if f.Number != 0 {
		clocks += w.Match.Remove
		w.matched(m, f, h)
	}
	return f, clocks
}

// matched finds a place for the data of a message that has matched a receive.
func (w *matchings) matched(m *matching, f *flow, h *dimmnet.Header) {
	f.into = m.into[f.Number]
	delete(m.into, f.Number)
	f.path = &w.clocks.pushReceive
	switch f.by {
	case rma.Straight:
		m.straight++
		if h.Flags&dimmnet.EndOfMessage != 0 && m.windows > 0 {
			m.windows--
			f.window, f.path = true, &w.clocks.windowReceive
		}
	case rma.Offered:
		m.pulled++
	default:
		m.named++
	}
}

// pathOf returns the passage that a packet takes when it is received.
func (w *matchings) pathOf(h *dimmnet.Header, f *flow) *cardPath {
	if f.isStraight() {
		return f.path
	}
	return w.clocks.receives(h)
}

// putMatchable moves the data of a packet to where its message belongs, and pulls what the message
// offers to a receive.
func (w *matchings) putMatchable(p *packet, h *dimmnet.Header, data []byte) {
	f := p.flow
	if !f.isStraight() {
		w.Ranks[h.To].Fill(p.place, data)
		if !f.begun && f.Number != 0 && f.by == rma.Offered {
			w.pullOffer(h, f)
		}
	} else {
		at := max(0, p.offset-matchWord)
		if p.offset == 0 {
			data = data[matchWord:]
		}
		if at < len(f.into) {
			copy(f.into[at:], data)
		}
		f.bytes = at + len(data)
	}
	f.begun = true
}

// pullOffer lets a card pull the data that a message offers, as if the program had asked for it.
func (w *matchings) pullOffer(h *dimmnet.Header, f *flow) {
	n := min(int(h.Word), len(f.into))
	if n == 0 {
		return
	}
	segment, _ := virtual(h.Address)
	from := rma.Address{Rank: int(h.From), Segment: segment}
	q := host.Request{Action: host.Pull, Target: int32(h.From), Address: from, Local: f.into[:n]}
	r := &w.Ranks[h.To]
	id, op := w.jobs.newJob(r, &q)
	f.pull = op
	j := w.jobs.At(id)
	local := r.SegmentOf(q.Local)
	j.intoWindow, j.staged = r.IsWindow(local), local < 0
	w.sender.queue(w.users[h.To].card, order{op: id, rank: int32(h.To), role: askFor})
}

// noted keeps what the record of a packet will not say about its message, if the message ends with
// it. It reports false if the packet gets no record.
func (w *matchings) noted(h *dimmnet.Header, f *flow, p *ring.Packet) bool {
	m := w.users[h.To].matching
	if m == nil {
		return true
	}
	ends := h.Flags&dimmnet.EndOfMessage != 0
	if ends {
		q := m.ended[h.From]
		if q == nil {
			q = &host.FIFO[*flow]{}
			m.ended[h.From] = q
		}
		q.Push(f)
	}
	if f.isStraight() {
		p.Data = 0
		return ends
	}
	return true
}

// counts tells what became of messages and posted receives.
func (w *matchings) counts() (all []host.Count) {
	if w.Match.Entries == 0 {
		return nil
	}
	var straight, pulled, named int64
	var c match.Counters
	for i := range w.users {
		m := w.users[i].matching
		straight, pulled, named = straight+m.straight, pulled+m.pulled, named+m.named
		u := m.unit.Counters()
		c.Passed, c.Accepted, c.Refused, c.Searched = c.Passed+u.Passed, c.Accepted+u.Accepted, c.Refused+u.Refused, c.Searched+u.Searched
	}
	add := func(metric, unit, name string, n float64) {
		all = append(all, host.Count{Metric: metric, Unit: unit, Case: name, Value: n})
	}
	add("matching", "messages", "straight", float64(straight))
	add("matching", "messages", "pulled", float64(pulled))
	add("matching", "messages", "named", float64(named))
	add("matching", "messages", "passed", float64(c.Passed))
	add("posts", "receives", "accepted", float64(c.Accepted))
	add("posts", "receives", "refused", float64(c.Refused))
	add("entries_compared", "entries", "", float64(c.Searched))
	return all
}
