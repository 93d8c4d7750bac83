package ring

import (
	"slices"
	"strings"
	"testing"
)

func TestPacketsWrapAround(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 4, Table: []int{1}, Rings: []RingConfig{{Size: 8}, {Size: 11}}})
	for i, c := range []struct {
		data int
		want [2]Span
	}{
		{8, [2]Span{{8, 8}}}, {8, [2]Span{{16, 3}, {8, 5}}}, {6, [2]Span{{13, 6}}}, {0, [2]Span{{8, 0}}},
		{7, [2]Span{{8, 7}}}, {3, [2]Span{{15, 3}}}, {2, [2]Span{{18, 1}, {8, 1}}},
	} {
		p := mustPlace(t, r, ipush(0, c.data, EndOfMessage))
		if p.At != c.want {
			t.Errorf("packet %d is at %+v; expected %+v", i, p.At, c.want)
		}
		record := mustNext(t, r)
		if record.At != c.want {
			t.Errorf("record %d is about %+v; expected %+v", i, record.At, c.want)
		}
		mustRelease(t, r, record)
	}
}

func TestStatusPerMessage(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 1, Table: []int{0}, Rings: []RingConfig{{Size: 20}}})
	mustPlace(t, r, ipush(0, 5, EndOfMessage))
	mustRelease(t, r, mustNext(t, r))
	mustPlace(t, r, ipush(0, 8, 0))
	mustPlace(t, r, ipush(0, 8, 0))
	if record, ok := r.Next(); ok {
		t.Fatalf("record %+v before the message is complete", record)
	}
	mustPlace(t, r, ipush(0, 1, EndOfMessage))
	got := mustNext(t, r)
	want := Record{Bytes: 17, Last: true, At: [2]Span{{5, 15}, {0, 2}}, Number: got.Number}
	if got != want {
		t.Errorf("record is %+v; expected %+v", got, want)
	}
	if c := r.Counters(); c.Packets != 4 || c.Bytes != 22 || c.Messages != 2 {
		t.Errorf("counters are %+v; expected 4 packets, 22 bytes, 2 messages", c)
	}
}

// The sender of a private ring may change its mind; a record is about all since the
// one before.
func TestStatusPerMessageAndPerPacketInOneRing(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 4, Table: []int{0}, Rings: []RingConfig{{Size: 40}}})
	for _, h := range []Packet{
		ipush(0, 8, PacketStatus), ipush(0, 7, 0), ipush(0, 6, PacketStatus), ipush(0, 5, EndOfMessage), ipush(0, 0, PacketStatus|EndOfMessage),
	} {
		mustPlace(t, r, h)
	}
	for _, want := range []Record{{Bytes: 8}, {Bytes: 13}, {Bytes: 5, Last: true}, {Bytes: 0, Last: true}} {
		if got := mustNext(t, r); got.Bytes != want.Bytes || got.Last != want.Last {
			t.Errorf("record is %+v; expected %d bytes, last %v", got, want.Bytes, want.Last)
		}
	}
}

// With status per packet, the packets of several senders lie in one ring in order of
// arrival, and who reads them can put each message together.
func TestInterleavedMessagesAreReassembled(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 4, Records: 9, Table: []int{0, 0, 0}, Rings: []RingConfig{{Size: 40, Shared: true, PerPacket: true}}})
	memory := make([]byte, r.Area())
	for _, p := range []struct {
		from uint16
		data string
		last bool
	}{
		{0, "only", false}, {1, "who ", false}, {2, "", true}, {0, " the", false}, {1, "touc", false},
		{0, " bra", false}, {1, "hes", true}, {2, "!", true}, {0, "ve", true},
	} {
		h := ipush(p.from, len(p.data), PacketStatus)
		if p.last {
			h.Flags |= EndOfMessage
		}
		at := mustPlace(t, r, h)
		copy(memory[at.At[0].Offset:], p.data)
	}
	var parts [3]string
	var messages []string
	for record, ok := r.Next(); ok; record, ok = r.Next() {
		parts[record.From] += string(memory[record.At[0].Offset:][:record.Bytes])
		if record.Last {
			messages = append(messages, parts[record.From])
			parts[record.From] = ""
		}
	}
	if want := []string{"", "who touches", "!", "only the brave"}; !slices.Equal(messages, want) {
		t.Errorf("messages are %q; expected %q", messages, want)
	}
}

// The status ring is common to all rings: it has the order of arrival over all
// senders, which is that of Written.
func TestRecordsComeInOrderOfArrival(t *testing.T) {
	r := mustReceiver(t, withTable())
	private, shared := ipush(0, 8, EndOfMessage), ipush(1, 8, PacketStatus)
	first, _ := r.Place(&private)
	second, _ := r.Place(&shared)
	r.Written(&shared, second)
	r.Written(&private, first)
	if a, b := mustNext(t, r), mustNext(t, r); a.From != 1 || b.From != 0 {
		t.Errorf("records are of senders %d and %d; expected 1, which was written first, and 0", a.From, b.From)
	}
	if record, ok := r.Next(); ok {
		t.Errorf("third record %+v; expected none", record)
	}
}

func TestHeadAdvancesWhenAllOlderAreReleased(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 5, Table: []int{0}, Rings: []RingConfig{{Size: 40}}})
	var records []Record
	for i := range 5 {
		mustPlace(t, r, ipush(0, 4+i, EndOfMessage))
		records = append(records, mustNext(t, r))
	}
	for _, c := range []struct {
		record int
		head   uint64
	}{{1, 0}, {3, 0}, {0, 9}, {4, 9}, {2, 30}} {
		mustRelease(t, r, records[c.record])
		if e := r.Entry(0); e.Head != c.head || e.Tail != 30 || r.Used(0) != int(30-c.head) {
			t.Errorf("after release of record %d the entry is %+v; expected head %d, tail 30", c.record, e, c.head)
		}
	}
}

// A record that has been released makes room in the status ring at once, though its
// bytes have to wait for those before it.
func TestReleaseMakesRoomInTheStatusRing(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 2, Table: []int{0}, Rings: []RingConfig{{Size: 40}}})
	mustPlace(t, r, ipush(0, 8, EndOfMessage))
	oldest := mustNext(t, r)
	for range 4 {
		mustPlace(t, r, ipush(0, 8, EndOfMessage))
		mustRelease(t, r, mustNext(t, r))
	}
	if used := r.Used(0); used != 40 {
		t.Errorf("%d bytes are used; expected all 40", used)
	}
	mustRelease(t, r, oldest)
	if used := r.Used(0); used != 0 {
		t.Errorf("%d bytes are used when all is released", used)
	}
}

func TestReleaseRefuses(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 2, Table: []int{0}, Rings: []RingConfig{{Size: 40}}})
	mustPlace(t, r, ipush(0, 8, EndOfMessage))
	mustPlace(t, r, ipush(0, 8, EndOfMessage))
	released := mustNext(t, r)
	mustRelease(t, r, released)
	unread := Record{Number: r.status.slot(r.status.first).number}
	for _, c := range []struct {
		name   string
		record Record
	}{{"released before", released}, {"not taken", unread}, {"no record", Record{}}, {"made up", Record{Number: 1 << 63}}} {
		if err := r.Release(c.record); err == nil || !strings.Contains(err.Error(), "which the consumer does not hold") {
			t.Errorf("%s: error is %v; expected one that says that the consumer does not hold it", c.name, err)
		}
	}
	mustPlace(t, r, ipush(0, 8, EndOfMessage)) // in the place of the first
	mustNext(t, r)
	mustNext(t, r)
	if err := r.Release(released); err == nil {
		t.Error("a record released the later one that has its place")
	}
	if used := r.Used(0); used != 16 {
		t.Errorf("%d bytes are used; expected 16", used)
	}
}

// A message that is told of when it is complete must lie in the ring as a whole. No
// waiting helps one that is longer.
func TestMessageLongerThanItsRing(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 2, Table: []int{0}, Rings: []RingConfig{{Size: 20}}})
	mustPlace(t, r, ipush(0, 6, EndOfMessage))
	mustPlace(t, r, ipush(0, 8, 0))
	full := ipush(0, 8, 0)
	if _, result := r.Place(&full); result != Full {
		t.Errorf("packet that finds a message before its own: %v; expected %v", result, Full)
	}
	mustRelease(t, r, mustNext(t, r))
	mustPlace(t, r, full)
	long, rest := ipush(0, 5, 0), ipush(0, 1, EndOfMessage)
	if _, result := r.Place(&long); result != TooLong {
		t.Errorf("message of 21 bytes in a ring of 20: %v; expected %v", result, TooLong)
	}
	if _, result := r.Place(&rest); result != TooLong {
		t.Errorf("the rest of a message of which a part was refused: %v; expected %v", result, TooLong)
	}
	if record, ok := r.Next(); ok {
		t.Errorf("record %+v of a message that is not complete", record)
	}
}

func TestWrittenWithoutPlacePanics(t *testing.T) {
	h := ipush(0, 8, EndOfMessage)
	for _, c := range []struct {
		name string
		f    func(*Receiver)
	}{
		{"never placed", func(r *Receiver) { r.Written(&h, Placement{At: [2]Span{{0, 8}}}) }},
		{"second before the first", func(r *Receiver) {
			r.Place(&h)
			p, _ := r.Place(&h)
			r.Written(&h, p)
		}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: expected a panic", c.name)
				}
			}()
			c.f(mustReceiver(t, withTable()))
		}()
	}
}

// A record of one packet has a note, which is zero until it is set, and stays with the record until that is released.
func TestRecordsOfOnePacketHaveNotes(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 2, Table: []int{0}, Rings: []RingConfig{{Size: 80}}})
	written := func(flags Flags) *Note {
		h := ipush(0, 8, flags)
		p, _ := r.Place(&h)
		return r.Written(&h, p)
	}
	for i := range uint64(6) { // slots are used again
		if written(0) != nil || written(EndOfMessage) != nil {
			t.Fatal("a packet with no record, or with that of an earlier packet as well, has a note")
		}
		note := written(EndOfMessage)
		if *note != (Note{}) {
			t.Fatalf("record %d has the note %v of one before", i, *note)
		}
		*note = Note{i, i + 1, i + 2}
		for _, want := range []Note{{}, {i, i + 1, i + 2}} {
			record := mustNext(t, r)
			if got := r.NoteOf(record.Number); *got != want {
				t.Errorf("record %d has the note %v; expected %v", i, *got, want)
			}
			mustRelease(t, r, record)
			if r.NoteOf(record.Number) != nil {
				t.Error("a record that has been released has a note")
			}
		}
	}
}
