package match

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
)

// scenario is what a process may post and sources may send. Which of the receives and messages they
// choose each time is part of what can happen. It does not change while a world runs.
type scenario struct {
	receives, messages int       // at most
	asks               []Receive // that are chosen from
	sends              []Header  // that are chosen from
	entries            int
	beyond             int  // entries that the process thinks there are, and there are not
	split              bool // messages have several packets, so that those of two sources interleave
	cancels            int  // receives that are cancelled, at most
}

// What has become of a receive.
type fate uint8

const (
	kept      fate = iota // by the process
	offered               // to the interface
	cancelled             // by the process
	matched
)

// testReceive is a receive that has been posted.
type testReceive struct {
	Receive
	fate
	number uint32 // of its last post
}

// testMessage is a message that has begun to come.
type testMessage struct {
	Header
	accepted uint32 // what it says to the process
	by       int    // the receive that it went to, -1 if none
}

// world is a scenario under way: a process, an interface, and what is on its way between them. All
// that can happen are its actions. It checks with each match that it is one that MPI allows.
type world struct {
	*scenario
	unit       Unit
	host       Host
	posts      []Post // on their way to the interface
	receives   []testReceive
	messages   []testMessage
	open       [sources]int // message of which not all packets have come, -1 if none
	records    []int        // messages that the process has not been told of
	unexpected []int        // messages that it has looked at and kept
	cancels    int          // so far
}

// sources are the senders of messages.
const sources = 2

func newWorld(s *scenario) *world {
	u, err := NewUnit(s.entries)
	if err != nil {
		panic(err)
	}
	return &world{scenario: s, unit: *u, host: NewHost(s.entries + s.beyond), open: [sources]int{-1, -1}}
}

// kind is a kind of action.
type kind uint8

const (
	post   kind = iota // the process posts a receive
	accept             // a post reaches the interface
	begin              // the first packet of a message comes
	end                // the last packet of the message of a source comes
	look               // the process looks at the next record
	offer              // the process posts again the oldest receive that it keeps in a context
	cancel             // the process cancels a receive
)

var kindNames = [...]string{"post", "accept", "begin", "end", "look", "offer", "cancel"}

// action is something that can happen; at is what is chosen, or a source, context or receive.
type action struct {
	kind kind
	at   uint8
}

func (a action) String() string { return fmt.Sprint(kindNames[a.kind], " ", a.at) }

// Actions appends all that can happen.
func (w *world) Actions(to []action) []action {
	if len(w.receives) < w.scenario.receives {
		for i := range w.asks {
			to = append(to, action{post, uint8(i)})
		}
	}
	if len(w.posts) > 0 {
		to = append(to, action{accept, 0})
	}
	to = w.arrivals(to)
	if len(w.records) > 0 {
		to = append(to, action{look, 0})
	}
	for context := range uint32(2) {
		if w.host.HasRoom() && w.oldestKept(context) >= 0 && !w.isOffered(context) {
			to = append(to, action{offer, uint8(context)})
		}
	}
	for i := range w.receives {
		if w.cancels < w.scenario.cancels && w.waits(i) {
			to = append(to, action{cancel, uint8(i)})
		}
	}
	return to
}

// arrivals appends which packets can come.
func (w *world) arrivals(to []action) []action {
	for i := range w.sends {
		if len(w.messages) < w.scenario.messages && w.open[w.sends[i].Source] < 0 {
			to = append(to, action{begin, uint8(i)})
		}
	}
	for source, m := range w.open {
		if m >= 0 {
			to = append(to, action{end, uint8(source)})
		}
	}
	return to
}

// waits reports whether a receive waits for a message.
func (w *world) waits(i int) bool { return w.receives[i].fate <= offered }

func (w *world) oldestKept(context uint32) int {
	return slices.IndexFunc(w.receives, func(r testReceive) bool { return r.fate == kept && r.Context == context })
}

// isOffered reports whether a post of a context is on its way. Offering a kept receive again
// behind it changes nothing that matters, and has worlds without end.
func (w *world) isOffered(context uint32) bool {
	return slices.ContainsFunc(w.posts, func(p Post) bool { return p.Context == context })
}

// Apply lets an action happen. An error is a violation of what must hold.
func (w *world) Apply(a action) error {
	switch a.kind {
	case post:
		return w.post(w.asks[a.at])
	case accept:
		w.unit.Post(w.posts[0])
		w.posts = slices.Delete(w.posts, 0, 1)
	case begin:
		return w.begin(w.sends[a.at])
	case end:
		w.end(int(a.at))
	case look:
		return w.look()
	case offer:
		w.offer(w.oldestKept(uint32(a.at)))
	case cancel:
		return w.cancel(int(a.at))
	}
	return nil
}

// post is what a process does that posts a receive: it looks for a message that it has kept, and
// else posts it to the interface, or keeps it behind those that it keeps.
func (w *world) post(r Receive) error {
	i := len(w.receives)
	w.receives = append(w.receives, testReceive{Receive: r})
	for _, m := range w.unexpected {
		if r.Takes(&w.messages[m].Header) {
			return w.pair(m, i)
		}
	}
	if w.oldestKept(r.Context) == i && w.host.HasRoom() {
		w.offer(i)
	}
	return nil
}

func (w *world) offer(i int) {
	r := &w.receives[i]
	p := w.host.Post(r.Receive)
	r.fate, r.number = offered, p.Number
	w.posts = append(w.posts, p)
}

// offeredAs returns the receive that a post was made for last.
func (w *world) offeredAs(number uint32) int {
	return slices.IndexFunc(w.receives, func(r testReceive) bool { return r.number == number })
}

// begin lets the first packet of a message come.
func (w *world) begin(h Header) error {
	m := len(w.messages)
	d := w.unit.Arrive(&h)
	w.messages = append(w.messages, testMessage{h, d.Accepted, -1})
	if d.Number != 0 {
		if err := w.pair(m, w.offeredAs(d.Number)); err != nil {
			return err
		}
	}
	w.open[h.Source] = m
	if !w.split {
		w.end(int(h.Source))
	}
	return nil
}

// end lets the last packet of a message come, of which the process is told.
func (w *world) end(source int) {
	w.records = append(w.records, w.open[source])
	w.open[source] = -1
}

// look is what a process does with a record.
func (w *world) look() error {
	at := w.records[0]
	w.records = slices.Delete(w.records, 0, 1)
	m := &w.messages[at]
	if m.by >= 0 {
		w.host.Ended(w.receives[m.by].number)
		return nil
	}
	for _, number := range w.host.Passed(m.accepted, nil) {
		if i := w.offeredAs(number); w.waits(i) {
			w.receives[i].fate = kept
		}
	}
	for i := range w.receives {
		if r := &w.receives[i]; r.fate == kept && r.Takes(&m.Header) {
			return w.pair(at, i)
		}
	}
	w.unexpected = append(w.unexpected, at)
	return nil
}

// cancel cancels a receive. The process waits for the answer, behind all its posts.
func (w *world) cancel(i int) error {
	w.cancels++
	r := &w.receives[i]
	if r.fate == offered {
		for _, p := range w.posts {
			w.unit.Post(p)
		}
		w.posts = w.posts[:0]
		if !w.unit.Withdraw(r.number) {
			return fmt.Errorf("post %d of receive %d is not in the table", r.number, i)
		}
		w.host.Ended(r.number)
	}
	r.fate = cancelled
	return nil
}

// pair gives a message to a receive. It fails if MPI does not allow that: a receive that was
// posted before still waits for such a message, or such a message of that source sent before is
// still to be received.
func (w *world) pair(at, i int) error {
	r, m := &w.receives[i], &w.messages[at]
	switch {
	case m.by >= 0:
		return fmt.Errorf("message %d goes to receive %d, and went to %d", at, i, m.by)
	case !w.waits(i):
		return fmt.Errorf("message %d goes to receive %d, which does not wait", at, i)
	case !r.Takes(&m.Header):
		return fmt.Errorf("message %d goes to receive %d, which does not match", at, i)
	}
	for other := range i {
		if w.waits(other) && w.receives[other].Takes(&m.Header) {
			return fmt.Errorf("message %d goes to receive %d; receive %d was posted before", at, i, other)
		}
	}
	for other := range at {
		if before := &w.messages[other]; before.Source == m.Source && before.by < 0 && r.Takes(&before.Header) {
			return fmt.Errorf("message %d goes to receive %d; message %d was sent before", at, i, other)
		}
	}
	r.fate, m.by = matched, i
	w.unexpected = slices.DeleteFunc(w.unexpected, func(other int) bool { return other == at })
	return nil
}

// Done reports whether there is nothing on its way. It may be the end, as nobody needs to post or
// to send more.
func (w *world) Done() bool {
	return len(w.posts) == 0 && len(w.records) == 0 && w.open == [sources]int{-1, -1}
}

// CheckDone checks that no message is lost, that none is left that a receive waits for, and that
// both sides know what is in the table.
func (w *world) CheckDone() error {
	for at := range w.messages {
		m := &w.messages[at]
		if m.by < 0 && !slices.Contains(w.unexpected, at) {
			return fmt.Errorf("message %d is lost", at)
		}
		for i := range w.receives {
			if m.by < 0 && w.waits(i) && w.receives[i].Takes(&m.Header) {
				return fmt.Errorf("receive %d waits, and message %d has not been received", i, at)
			}
		}
	}
	if have, most := w.unit.Len(), w.host.sure+len(w.host.unsure); have > most {
		return fmt.Errorf("%d receives are in the table, and the process thinks %d", have, most)
	}
	return nil
}

// Blank implements explore.Model.
func (w *world) Blank() *world { return new(world) }

// CopyFrom implements explore.Model.
func (w *world) CopyFrom(o *world) {
	old := *w
	*w = *o
	w.unit.table = append(old.unit.table[:0], o.unit.table...)
	w.host.unsure = append(old.host.unsure[:0], o.host.unsure...)
	w.posts = append(old.posts[:0], o.posts...)
	w.receives = append(old.receives[:0], o.receives...)
	w.messages = append(old.messages[:0], o.messages...)
	w.records = append(old.records[:0], o.records...)
	w.unexpected = append(old.unexpected[:0], o.unexpected...)
}

// Fingerprint tells states apart. Worlds with the same one behave alike: it leaves out receives and
// messages that are over, has the order of posts instead of their numbers, and does not tell apart
// worlds in which sources or tags only have changed their names.
func (w *world) Fingerprint() [16]byte {
	var room, other [160]byte
	least := w.encode(room[:0], renaming{})
	for _, n := range []renaming{{source: 1}, {tag: 1}, {1, 1}} {
		if b := w.encode(other[:0], n); bytes.Compare(b, least) < 0 {
			least = append(least[:0], b...)
		}
	}
	sum := sha256.Sum256(least)
	return [16]byte(sum[:16])
}

// renaming gives sources and tags other names.
type renaming struct{ source, tag int32 }

// of returns the source and tag of a receive or a message under their new names.
func (n renaming) of(source, tag int32) (byte, byte) {
	if source != Any {
		source ^= n.source
	}
	if tag != Any {
		tag ^= n.tag
	}
	return byte(source), byte(tag)
}

// encode appends what matters of a world.
func (w *world) encode(b []byte, n renaming) []byte {
	b = append(b, byte(len(w.receives)), byte(len(w.messages)), byte(w.cancels), bit(w.unit.closed), byte(w.host.sure), byte(len(w.host.unsure)))
	b = append(b, byte(w.unit.passed-w.host.seen), w.order(w.unit.accepted), byte(len(w.posts)))
	for i := range w.posts {
		b = append(b, byte(w.unit.passed-w.posts[i].Seen))
	}
	for i := range w.receives {
		if r := &w.receives[i]; w.waits(i) {
			source, tag := n.of(r.Source, r.Tag)
			b = append(b, byte(r.fate), source, tag, byte(r.Context), w.place(r.number))
		}
	}
	b = append(b, endOfList)
	for _, list := range [][]int{w.unexpected, w.records} {
		for _, at := range list {
			b = w.encodeMessage(b, at, n)
		}
		b = append(b, endOfList)
	}
	for source := range int32(sources) {
		b = w.encodeMessage(b, w.open[source^n.source], n)
	}
	return b
}

// endOfList is no first byte of an element.
const endOfList = 0xff

// encodeMessage appends what matters of a message.
func (w *world) encodeMessage(b []byte, at int, n renaming) []byte {
	if at < 0 {
		return append(b, endOfList-1)
	}
	m := &w.messages[at]
	source, tag := n.of(m.Source, m.Tag)
	if m.by >= 0 { // the process will note that its post is over
		_, unsure := slices.BinarySearch(w.host.unsure, w.receives[m.by].number)
		return append(b, 1, source, bit(unsure), w.order(w.receives[m.by].number))
	}
	return append(b, 0, source, tag, byte(m.Context), w.order(m.accepted), byte(at-w.earlier(at)))
}

// earlier returns how many messages before one are over, or are of another source: what is left is
// its place among those of its source.
func (w *world) earlier(at int) (n int) {
	for other := range at {
		if w.messages[other].by >= 0 || w.messages[other].Source != w.messages[at].Source {
			n++
		}
	}
	return n
}

// order returns how many of the posts that may yet be refused have numbers up to one.
func (w *world) order(number uint32) byte {
	i, found := slices.BinarySearch(w.host.unsure, number)
	return byte(i) + bit(found)
}

// place says where a post is: in the table, on its way, or refused, and whether the process is
// unsure of it.
func (w *world) place(number uint32) byte {
	is := func(p Post) bool { return p.Number == number }
	if i := slices.IndexFunc(w.unit.table, is); i >= 0 {
		return byte(i)<<3 | 1 | w.order(number)<<5
	}
	if i := slices.IndexFunc(w.posts, is); i >= 0 {
		return byte(i)<<3 | 2 | w.order(number)<<5
	}
	return 3 | w.order(number)<<5
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
