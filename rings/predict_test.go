package rings_test

import (
	"math"
	"strings"
	"testing"

	"musubi/rings"
	"musubi/rma"

	"github.com/google/go-cmp/cmp"
)

func TestPredict(t *testing.T) {
	ring := func(bytes int, senders ...int) rma.Ring {
		return rma.Ring{Bytes: bytes, Senders: senders, Status: rma.PerPacket}
	}
	other := func(bytes int) rma.Ring { return ring(bytes) }
	// Bursts of 250, 150 and 100 bytes, of which at most 400 meet.
	record := receiver(5, 400, from(1, 1, 250), from(2, 1, 150), from(3, 1, 100))
	for _, test := range []struct {
		name  string
		rings rma.Rings
		lack  int64
	}{
		{"one ring for the peak", rma.Rings{Other: other(400)}, 0},
		{"one byte less is one packet", rma.Rings{Other: other(399)}, 1},
		{"two packets less", rma.Rings{Other: other(200)}, 2},
		{"a private ring for a burst", rma.Rings{Private: []rma.Ring{ring(250, 1)}, Other: other(250)}, 0},
		{"each ring lacks its own", rma.Rings{Private: []rma.Ring{ring(100, 1), ring(100, 2)}, Other: other(100)}, 3},
		{"room of one ring is of no use to another", rma.Rings{Private: []rma.Ring{ring(900, 1)}, Other: other(100)}, 2},
		{"senders that share one that is not for all", rma.Rings{Private: []rma.Ring{ring(300, 1, 2)}, Other: other(100)}, 1},
		{"no more than the peak", rma.Rings{Private: []rma.Ring{ring(400, 1, 2, 3)}}, 0},
		{"no ring for some", rma.Rings{Private: []rma.Ring{ring(250, 1)}}, 3},
		{"rings of who sends nothing", rma.Rings{Private: []rma.Ring{ring(100, 0), ring(100, 4)}, Other: other(400)}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := lackOf(t, record, 0, test.rings); got != test.lack {
				t.Errorf("%d packets; expected %d", got, test.lack)
			}
		})
	}
}

func TestPredictRefuses(t *testing.T) {
	record := receiver(2, 100, from(1, 1, 100))
	for _, test := range []struct {
		name   string
		record *rings.Record
		rings  []rma.Rings
		err    string
	}{
		{"record of nothing", &rings.Record{}, nil, "rings: record: packet is 0; expected 1 to"},
		{"too few", record, []rma.Rings{rma.SharedRing(packet)}, "rings for 1 ranks; the record is of 2"},
		{"below a packet", record, []rma.Rings{rma.SharedRing(packet), rma.SharedRing(packet - 1)}, "rank 1: rma: the ring for all others has 99 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := rings.Predict(test.record, test.rings); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v; expected one with %q", err, test.err)
			}
		})
	}
}

func TestPrivateRingsForAll(t *testing.T) {
	record := receiver(4, 700, rings.Partner{Rank: 1, Messages: 1, Largest: 200, Burst: 400}, rings.Partner{Rank: 3, Messages: 1, Largest: 201, Burst: 300})
	all, err := rings.Private(record, 1199) // 11 packets, of which each of 4 rings gets 2
	if err != nil {
		t.Fatal(err)
	}
	want := rma.PrivateRings(4, 200)
	if diff := cmp.Diff(want, all[1]); diff != "" {
		t.Errorf("rings of who receives nothing (-want +got):\n%s", diff)
	}
	want.Private[3].Status = rma.PerPacket // its messages do not fit
	if diff := cmp.Diff(want, all[0]); diff != "" {
		t.Errorf("rings of the receiver (-want +got):\n%s", diff)
	}
	if got := lack(t, record, all); got != 3 {
		t.Errorf("%d packets lack; expected 2 of rank 1 and 1 of rank 3", got)
	}
}

func TestPrivateRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		record *rings.Record
		budget int
		err    string
	}{
		{"less than a packet each", receiver(4, 0), 399, "take at least 400 bytes, a packet each; the budget is 399 bytes"},
		{"less than nothing", receiver(4, 0), -4000, "the budget is -4000 bytes"},
		{"record of nothing", &rings.Record{}, 1000, "rings: record: packet is 0; expected 1 to"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := rings.Private(test.record, test.budget); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v; expected one with %q", err, test.err)
			}
		})
	}
}

// The table of Kitamura et al. (2006) by its own formula, for 64 processes.
func TestArea(t *testing.T) {
	for _, test := range []struct {
		program           string
		partners, typical int
		reduction         float64 // percent
	}{
		{"MG", 9, 6, 84.4}, {"CG", 4, 4, 92.2}, {"LU", 4, 4, 92.2}, {"SP", 6, 6, 89.1}, {"BT", 6, 6, 89.1}, {"IS", 1, 1, 96.9},
	} {
		t.Run(test.program, func(t *testing.T) {
			record := &rings.Record{Packet: packet}
			for rank := range 64 {
				p := rings.Process{Rank: rank}
				partners := test.typical
				if rank%8 == 0 {
					partners = test.partners
				}
				for i := range partners {
					p.Partners = append(p.Partners, from(i, 1, 10))
				}
				p.Partners = append(p.Partners, rings.Partner{Rank: 63, Pushes: 1}) // which needs no ring
				record.Processes = append(record.Processes, p)
			}
			want := rings.Area{Ranks: 64, Partners: test.partners, Typical: test.typical, Rings: test.partners + 1}
			got := record.Area()
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if reduction := 100 * (1 - got.Fraction()); math.Abs(reduction-test.reduction) > 0.05 {
				t.Errorf("reduction of %.2f %%; expected %.1f", reduction, test.reduction)
			}
		})
	}
}

// Where all are partners there is nobody to share a ring.
func TestAreaNeverExceedsPrivateRings(t *testing.T) {
	if got := receiver(2, 2, from(0, 1, 1), from(1, 1, 1)).Area(); got.Rings != 2 || got.Fraction() != 1 {
		t.Errorf("%+v; expected 2 rings of 2", got)
	}
}

func TestClasses(t *testing.T) {
	record := &rings.Record{Packet: packet, Processes: []rings.Process{
		{Rank: 0, Peak: 500, Partners: []rings.Partner{from(1, 1, 200), from(2, 1, 300)}},
		{Rank: 1, Peak: 100, Partners: []rings.Partner{from(0, 1, 100)}},
		{Rank: 2},
		{Rank: 3, Peak: 900, Partners: []rings.Partner{from(1, 1, 800), from(2, 1, 100)}},
		{Rank: 4, Peak: 200, Partners: []rings.Partner{from(3, 1, 200)}},
		{Rank: 5, Peak: 700, Partners: []rings.Partner{from(0, 1, 100), from(2, 1, 600)}},
	}}
	all, err := rings.Make(record, 6*packet)
	if err != nil {
		t.Fatal(err)
	}
	whole := rings.Range{Min: 6 * packet, Max: 6 * packet}
	want := []rings.Class{
		{Processes: 1, Shared: whole},
		{Processes: 2, Senders: 1, Private: 1, Size: rings.Range{Min: 300, Max: 400}, Shared: rings.Range{Min: 200, Max: 300}},
		{Processes: 2, Senders: 2, Private: 1, Size: rings.Range{Min: 100, Max: 100}, Shared: rings.Range{Min: 500, Max: 500}, Lack: 4},
		{Processes: 1, Senders: 2, Private: 2, Size: rings.Range{Min: 200, Max: 300}, Shared: rings.Range{Min: 100, Max: 100}},
	}
	if diff := cmp.Diff(want, rings.Classes(record, all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
