package ring

import (
	"math"
	"strings"
	"testing"
)

// mustReceiver makes a receiver or fails the test.
func mustReceiver(t testing.TB, c Config) *Receiver {
	t.Helper()
	r, err := NewReceiver(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mustPlace places a packet, or fails the test, and writes it.
func mustPlace(t *testing.T, r *Receiver, h Packet) Placement {
	t.Helper()
	p, result := r.Place(&h)
	if result != Accepted {
		t.Fatalf("Place(%+v): %v", h, result)
	}
	r.Written(&h, p)
	return p
}

func mustNext(t *testing.T, r *Receiver) Record {
	t.Helper()
	record, ok := r.Next()
	if !ok {
		t.Fatal("no record; expected one")
	}
	return record
}

func mustRelease(t *testing.T, r *Receiver, record Record) {
	t.Helper()
	if err := r.Release(record); err != nil {
		t.Fatal(err)
	}
}

// ipush is the header of a packet for the ring of its sender.
func ipush(from uint16, data int, flags Flags) Packet {
	return Packet{From: from, Data: data, Flags: flags}
}

func TestNewReceiverRefuses(t *testing.T) {
	ring := RingConfig{Size: 100}
	for _, c := range []struct {
		name string
		c    Config
		want string
	}{
		{"no packets", Config{Records: 1}, "packets of up to 0 bytes of data; expected 1 to 8191"},
		{"packets that the format cannot carry", Config{Packet: 8192, Records: 1}, "expected 1 to 8191"},
		{"no status ring", Config{Packet: 8}, "status ring of 0 records; expected at least 1"},
		{"an unknown policy", Config{Packet: 8, Records: 1, Policy: 2}, "policy 2 for full rings; expected stall or nack"},
		{"a ring smaller than a packet", Config{Packet: 101, Records: 1, Rings: []RingConfig{ring}}, "ring 0 has 100 bytes; expected at least the 101 of a packet"},
		{"an area that cannot be addressed", Config{Packet: 8, Records: 1, Rings: []RingConfig{ring, {Size: math.MaxInt}}}, "more than can be addressed"},
		{"a ring larger than its counters", Config{Packet: 8, Records: 1, Rings: []RingConfig{{Size: math.MaxUint32 + 1}}}, "at most 4294967295"},
		{
			"status per message in a shared ring", Config{Packet: 8, Records: 1, Rings: []RingConfig{ring, {Size: 100, Shared: true}}},
			"ring 1 is shared and has status per message; packets of several senders interleave in it, so it needs status per packet",
		},
		{"a table with an unknown ring", Config{Packet: 8, Records: 1, Rings: []RingConfig{ring}, Table: []int{0, 1}}, "sender 1 ring 1; there are 1 rings, and -1 for none"},
		{"a table with a negative ring", Config{Packet: 8, Records: 1, Rings: []RingConfig{ring}, Table: []int{-2}}, "sender 0 ring -2"},
		{"a private ring of two", Config{Packet: 8, Records: 1, Rings: []RingConfig{ring}, Table: []int{0, -1, 0}}, "ring 0 to senders 0 and 2; expected one, as it is not shared"},
	} {
		_, err := NewReceiver(c.c)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "ring: ") {
			t.Errorf("%s: error is %v; expected one with %q", c.name, err, c.want)
		}
	}
}

func TestRingsLieOneAfterTheOther(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 1, Rings: []RingConfig{{Size: 8}, {Size: 21}, {Size: 10}}})
	if r.Area() != 39 {
		t.Errorf("area has %d bytes; expected 39", r.Area())
	}
	for i, want := range []Entry{{Base: 0, Size: 8}, {Base: 8, Size: 21}, {Base: 29, Size: 10}} {
		if got := r.Entry(i); got != want {
			t.Errorf("entry %d is %+v; expected %+v", i, got, want)
		}
	}
}

// withTable has a private ring for sender 0, a shared one for senders 1 and 3, and
// none for sender 2.
func withTable() Config {
	return Config{
		Packet: 8, Records: 4, Table: []int{0, 1, -1, 1},
		Rings: []RingConfig{{Size: 20}, {Size: 10, Shared: true, PerPacket: true}},
	}
}

func TestPlaceFindsTheRingOfTheSender(t *testing.T) {
	without := withTable()
	without.Table = nil
	for _, c := range []struct {
		name   string
		config Config
		h      Packet
		ring   int
		want   Result
	}{
		{"private", withTable(), ipush(0, 8, 0), 0, Accepted},
		{"shared", withTable(), ipush(3, 8, PacketStatus), 1, Accepted},
		{"no data", withTable(), ipush(3, 0, PacketStatus), 1, Accepted},
		{"sender without a ring", withTable(), ipush(2, 8, PacketStatus), 0, NoRing},
		{"sender outside the table", withTable(), ipush(4, 8, PacketStatus), 0, NoRing},
		{"AMT entry named to a receiver with a table", withTable(), Packet{ByEntry: true, From: 0, Data: 8}, 0, NoRing},
		{"AMT entry", without, Packet{ByEntry: true, From: 99, Entry: 1, Data: 8, Flags: PacketStatus}, 1, Accepted},
		{"unknown AMT entry", without, Packet{ByEntry: true, Entry: 2, Data: 8}, 0, NoRing},
		{"AMT entry beyond an int", without, Packet{ByEntry: true, Entry: 1 << 63, Data: 8}, 0, NoRing},
		{"no AMT entry named to a receiver without a table", without, ipush(0, 8, 0), 0, NoRing},
		{"status per message in a shared ring", withTable(), ipush(1, 8, EndOfMessage), 0, BadStatus},
		{"more data than a packet has", withTable(), ipush(0, 9, 0), 0, TooLong},
		{"less than no data", withTable(), ipush(0, -1, 0), 0, TooLong},
	} {
		r := mustReceiver(t, c.config)
		p, result := r.Place(&c.h)
		if result != c.want || p.Ring != c.ring {
			t.Errorf("%s: ring %d, %v; expected ring %d, %v", c.name, p.Ring, result, c.ring, c.want)
		}
		if used := r.Used(0) + r.Used(1); result != Accepted && (used != 0 || p.At != [2]Span{}) {
			t.Errorf("%s: refused, and %d bytes are used and the placement is %+v", c.name, used, p)
		}
	}
}

func TestVerdictsSayTheReason(t *testing.T) {
	for result, want := range map[Result]string{
		Accepted: "accepted", Full: "ring full", NoRing: "no ring for this sender", TooLong: "longer than the ring can ever take",
		BadStatus: "status per message in a ring for status per packet, where packets of several senders may interleave",
		Result(9): "result 9",
	} {
		if got := result.String(); got != want {
			t.Errorf("result %d is %q; expected %q", uint8(result), got, want)
		}
	}
}

// Without a table a sender names the ring itself, and a private ring must not get
// packets of two.
func TestPrivateRingBelongsToItsFirstSender(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 4, Rings: []RingConfig{{Size: 20}}})
	first := Packet{ByEntry: true, From: 5, Data: 8}
	mustPlace(t, r, first)
	other := first
	other.From = 6
	if _, result := r.Place(&other); result != NoRing {
		t.Errorf("packet of another sender: %v; expected %v", result, NoRing)
	}
	first.Flags = EndOfMessage
	mustPlace(t, r, first)
	if record := mustNext(t, r); record.From != 5 || record.Bytes != 16 {
		t.Errorf("record is %+v; expected 16 bytes of sender 5", record)
	}
}

func TestFullRing(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  Config
		records int // that fit
	}{
		{"no room for data", Config{Packet: 8, Records: 9, Table: []int{0}, Rings: []RingConfig{{Size: 23}}}, 2},
		{"no room for a record", Config{Packet: 8, Records: 2, Table: []int{0}, Rings: []RingConfig{{Size: 80}}}, 2},
	} {
		for _, policy := range []Policy{Stall, SendNack} {
			c.config.Policy = policy
			r := mustReceiver(t, c.config)
			h := ipush(0, 8, EndOfMessage)
			for range c.records {
				mustPlace(t, r, h)
			}
			record := mustNext(t, r)
			for range 2 { // a stalled packet asks again
				if p, result := r.Place(&h); result != Full || p.Ring != 0 {
					t.Errorf("%s: %v; expected %v", c.name, result, Full)
				}
			}
			if !r.Waiting(0) {
				t.Errorf("%s, %v: nothing waits", c.name, policy)
			}
			want := map[Policy]uint64{Stall: 1, SendNack: 2}[policy]
			if got := r.Counters().Full; got != want {
				t.Errorf("%s, %v: counted %d packets without room; expected %d", c.name, policy, got, want)
			}
			mustRelease(t, r, record)
			mustPlace(t, r, h)
			if r.Waiting(0) {
				t.Errorf("%s, %v: something waits with room again", c.name, policy)
			}
		}
	}
}

// A full ring does not fill the others: whether to stop receiving is up to the caller.
func TestRingsFillIndependently(t *testing.T) {
	r := mustReceiver(t, withTable())
	shared := ipush(1, 8, PacketStatus)
	mustPlace(t, r, shared)
	if _, result := r.Place(&shared); result != Full {
		t.Fatalf("shared ring: %v; expected %v", result, Full)
	}
	mustPlace(t, r, ipush(0, 8, EndOfMessage))
	if !r.Waiting(1) || r.Waiting(0) {
		t.Errorf("waiting: ring 0 %v, ring 1 %v; expected a packet that waits for ring 1 only", r.Waiting(0), r.Waiting(1))
	}
}

// The bounds themselves are allowed.
func TestNewReceiverAccepts(t *testing.T) {
	for _, c := range []Config{
		{Packet: 1, Records: 1, Rings: []RingConfig{{Size: 1}}},
		{Packet: MaxData, Records: 1, Policy: SendNack, Rings: []RingConfig{{Size: MaxData}}},
		{Packet: 8, Records: 1, Rings: []RingConfig{{Size: math.MaxUint32}, {Size: 8}}},
		{Packet: 8, Records: 1, Table: []int{1, none, 0}, Rings: []RingConfig{{Size: 8}, {Size: 8}}},
	} {
		if _, err := NewReceiver(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The first record whose slot has not been made yet, and one that has not been read, cannot be
// released.
func TestReleaseOfRecordsNotHeld(t *testing.T) {
	r := mustReceiver(t, Config{Packet: 8, Records: 4, Table: []int{0}, Rings: []RingConfig{{Size: 80}}})
	mustPlace(t, r, ipush(0, 8, EndOfMessage))
	mustPlace(t, r, ipush(0, 8, EndOfMessage))
	record := mustNext(t, r)
	for number := range uint64(20) {
		if err := r.Release(Record{Number: number}); (err == nil) != (number == record.Number) {
			t.Errorf("record %d is released: %v; the consumer holds %d", number, err, record.Number)
		}
	}
}
