package rings_test

import (
	"strings"
	"testing"

	"musubi/rings"
	"musubi/rma"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const packet = 100

// receiver is a record of ranks processes, of which rank 0 receives.
func receiver(ranks int, peak int64, partners ...rings.Partner) *rings.Record {
	r := &rings.Record{Packet: packet}
	for rank := range ranks {
		r.Processes = append(r.Processes, rings.Process{Rank: rank})
	}
	r.Processes[0].Peak, r.Processes[0].Partners = peak, partners
	return r
}

// from is a partner with a burst of some bytes.
func from(rank int, messages, burst int64) rings.Partner {
	return rings.Partner{Rank: rank, Messages: messages, Bytes: messages * 10, Largest: int(min(burst, 10)), Burst: burst}
}

// private is a ring for whole messages of one sender, in packets.
func private(sender, packets int) rma.Ring {
	return rma.Ring{Bytes: packets * packet, Senders: []int{sender}}
}

func TestMake(t *testing.T) {
	// Rank 1 sends most messages, rank 3 most for each packet that it needs.
	apart := []rings.Partner{from(1, 60, 600), from(2, 10, 300), from(3, 30, 100)}
	for _, test := range []struct {
		name     string
		peak     int64
		partners []rings.Partner
		budget   int
		private  []rma.Ring
		shared   int   // packets
		lack     int64 // predicted
	}{
		{"room for all bursts and one packet", 900, apart, 11 * packet, []rma.Ring{private(1, 6), private(2, 3), private(3, 1)}, 1, 0},
		{"what is left is divided in proportion", 900, apart, 22 * packet, []rma.Ring{private(1, 12), private(2, 6), private(3, 2)}, 2, 0},
		{"a rest of a packet is not used", 900, apart, 12*packet - 1, []rma.Ring{private(1, 6), private(2, 3), private(3, 1)}, 1, 0},
		{"all bursts at once, and a ring for others in place of a private one", 1000, apart, 10 * packet, []rma.Ring{private(1, 6), private(3, 1)}, 3, 0},
		{"more messages per packet before more messages", 1000, apart, 7 * packet, []rma.Ring{private(2, 3), private(3, 1)}, 3, 3},
		{"bursts that do not meet leave room for some private rings", 600, apart, 7 * packet, []rma.Ring{private(3, 1)}, 6, 0},
		{"a private ring for one and room for the burst of the other", 600, apart[:2], 9 * packet, []rma.Ring{private(1, 6)}, 3, 0},
		{"the one that gains most does not fit", 600, []rings.Partner{from(1, 60, 600), from(2, 4, 200), from(3, 2, 200)}, 8 * packet, []rma.Ring{private(2, 2)}, 6, 0},
		{"less than the peak: sharing lacks least", 600, apart, 4 * packet, nil, 4, 2},
		{"less than the peak of bursts that all meet: private rings lack no more", 1000, apart, 5 * packet, []rma.Ring{private(2, 3), private(3, 1)}, 1, 5},
		{"one packet", 1000, apart, packet, nil, 1, 9},
		{"equal gains: the lower rank", 400, []rings.Partner{from(4, 5, 200), from(7, 5, 200)}, 4 * packet, []rma.Ring{private(4, 2)}, 2, 0},
		{"messages without data need a packet", 0, []rings.Partner{from(2, 5, 0)}, 2 * packet, []rma.Ring{private(2, 1)}, 1, 0},
		{"bytes in one packet share it", 100, []rings.Partner{from(1, 1, 50), from(2, 1, 50)}, packet, nil, 1, 0},
		{"partners by PUSH need no ring", 100, []rings.Partner{from(1, 1, 100), {Rank: 2, Pushes: 9}}, 3 * packet, []rma.Ring{private(1, 1)}, 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			record := receiver(8, test.peak, test.partners...)
			all, err := rings.Make(record, test.budget)
			if err != nil {
				t.Fatal(err)
			}
			want := rma.SharedRing(test.shared * packet)
			want.Private = test.private
			if diff := cmp.Diff(want, all[0]); diff != "" {
				t.Errorf("rings of the receiver (-want +got):\n%s", diff)
			}
			if whole := test.budget / packet * packet; all[1].Private != nil || all[1].Other.Bytes != whole {
				t.Errorf("who receives nothing has %+v; expected one ring of %d bytes", all[1], whole)
			}
			if got := lack(t, record, all); got != test.lack {
				t.Errorf("%d packets are predicted to find no room; expected %d", got, test.lack)
			}
		})
	}
}

func TestMakeRefuses(t *testing.T) {
	good := receiver(4, 100, from(1, 1, 100))
	pushes := receiver(4, 0, rings.Partner{Rank: 1, Pushes: 7})
	for _, test := range []struct {
		name   string
		record *rings.Record
		budget int
		err    string
	}{
		{"budget below a packet", good, packet - 1, "budget of 99 bytes; expected 100, for one packet, to 1073741824"},
		{"negative budget", good, -1, "budget of -1 bytes"},
		{"budget beyond all reason", good, rings.MaxArea + 1, "budget of 1073741825 bytes"},
		{"no IPUSH", pushes, packet, "nobody has sent anything by IPUSH"},
		{"record that is none", &rings.Record{}, packet, "packet is 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := rings.Make(test.record, test.budget)
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v; expected one with %q", err, test.err)
			}
		})
	}
}

// Whatever was recorded, plans keep the budget and divide all of it, give every
// rank a ring, hold the bursts of private rings, and lack no more than private
// rings for all.
func TestPlansAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := anyRecord(6, 1000).Draw(t, "record")
		budget := rapid.IntRange(packet, 60*packet).Draw(t, "budget")
		all, err := rings.Make(record, budget)
		if err != nil {
			t.Fatal(err)
		}
		for rank, r := range all {
			if err := r.Check(len(all), packet); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
			if area := bytesOf(r); area != budget/packet*packet {
				t.Errorf("rank %d: rings of %d bytes; expected all of %d", rank, area, budget)
			}
			for _, ring := range r.Private {
				if burst := burstOf(record, rank, ring.Senders[0]); int64(ring.Bytes) < burst {
					t.Errorf("rank %d: private ring of %d bytes for a burst of %d", rank, ring.Bytes, burst)
				}
			}
			if r.Other.Bytes < packet || r.Other.Status != rma.PerPacket {
				t.Errorf("rank %d: ring for all others %+v; expected a packet or more, with status per packet", rank, r.Other)
			}
		}
		if equal, err := rings.Private(record, budget); err == nil && lack(t, record, equal) < lack(t, record, all) {
			t.Errorf("private rings for all lack %d packets, the plan %d", lack(t, record, equal), lack(t, record, all))
		}
	})
}

func TestLargerBudgetsNeverLackMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := anyRecord(5, 800).Draw(t, "record")
		last := int64(1 << 60)
		for packets := 1; packets < 45; packets++ {
			all, err := rings.Make(record, packets*packet)
			if err != nil {
				t.Fatal(err)
			}
			now := lack(t, record, all)
			if now > last {
				t.Fatalf("%d packets of budget lack %d, one packet less lacks %d", packets, now, last)
			}
			last = now
		}
		if last > 0 {
			t.Errorf("more than all bursts together, and %d packets lack", last)
		}
	})
}

// No division of the budget lacks less than a plan.
func TestPlansLackLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := anyRecord(4, 400).Draw(t, "record")
		budget := rapid.IntRange(1, 9).Draw(t, "packets of budget")
		all, err := rings.Make(record, budget*packet)
		if err != nil {
			t.Fatal(err)
		}
		for rank := range all {
			least := int64(1 << 60)
			for candidate := range divisions(record.Processes[rank].Partners, budget) {
				least = min(least, lackOf(t, record, rank, candidate))
			}
			if got := lackOf(t, record, rank, all[rank]); got != least {
				t.Errorf("rank %d: %+v lacks %d packets; there are rings that lack %d", rank, all[rank], got, least)
			}
		}
	})
}

// A sender that shares would make the rings lack more if it had a private ring for
// its burst.
func TestNoFurtherSenderGetsAPrivateRingForFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := anyRecord(5, 500).Draw(t, "record")
		budget := rapid.IntRange(1, 25).Draw(t, "packets of budget")
		all, err := rings.Make(record, budget*packet)
		if err != nil {
			t.Fatal(err)
		}
		for rank, r := range all {
			least := lackOf(t, record, rank, r)
			for _, s := range record.Processes[rank].Partners {
				with, fits := withPrivate(record, rank, r, s, budget)
				if fits && lackOf(t, record, rank, with) <= least {
					t.Errorf("rank %d: sender %d shares in %+v, but %+v lacks no more", rank, s.Rank, r, with)
				}
			}
		}
	})
}

// withPrivate returns rings with another private one, all of just their bursts;
// false if these do not fit or the sender has one.
func withPrivate(record *rings.Record, rank int, r rma.Rings, s rings.Partner, budget int) (rma.Rings, bool) {
	var with rma.Rings
	left := budget
	for _, ring := range append(r.Private[:len(r.Private):len(r.Private)], private(s.Rank, 0)) {
		if ring.Bytes > 0 && ring.Senders[0] == s.Rank {
			return with, false
		}
		size := max(1, int(burstOf(record, rank, ring.Senders[0])+packet-1)/packet)
		with.Private = append(with.Private, private(ring.Senders[0], size))
		left -= size
	}
	if s.Messages == 0 && s.Burst == 0 || left < 1 {
		return with, false
	}
	with.Other = rma.SharedRing(left * packet).Other
	return with, true
}

// If all bursts are equal, the senders with most messages get the private rings, as
// many as can be had without lacking more.
func TestPlansGainMostOfEqualBursts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		burst := rapid.Int64Range(1, 300).Draw(t, "burst")
		count := rapid.IntRange(1, 4).Draw(t, "senders")
		var partners []rings.Partner
		for rank := range count {
			partners = append(partners, from(rank+1, rapid.Int64Range(1, 5).Draw(t, "messages"), burst))
		}
		record := receiver(6, rapid.Int64Range(burst, int64(count)*burst).Draw(t, "peak"), partners...)
		budget := rapid.IntRange(1, 12).Draw(t, "packets of budget")
		all, err := rings.Make(record, budget*packet)
		if err != nil {
			t.Fatal(err)
		}
		least := lackOf(t, record, 0, all[0])
		most := int64(0)
		for candidate := range divisions(partners, budget) {
			if holdsBursts(record, candidate) && lackOf(t, record, 0, candidate) == least {
				most = max(most, messagesIn(record, candidate))
			}
		}
		if got := messagesIn(record, all[0]); got != most {
			t.Errorf("%+v: %d messages in private rings; %d are possible", all[0], got, most)
		}
	})
}

func holdsBursts(record *rings.Record, r rma.Rings) bool {
	for _, ring := range r.Private {
		if int64(ring.Bytes) < burstOf(record, 0, ring.Senders[0]) {
			return false
		}
	}
	return true
}

func messagesIn(record *rings.Record, r rma.Rings) int64 {
	sum := int64(0)
	for _, ring := range r.Private {
		for _, p := range record.Processes[0].Partners {
			if p.Rank == ring.Senders[0] {
				sum += p.Messages
			}
		}
	}
	return sum
}

// A record that a run can just have made is in order: packets of one byte or of the largest area,
// as many processes as packets can tell apart, the largest counts.
func TestRecordsAtTheirLimits(t *testing.T) {
	const most = 1 << 46
	silent := make([]rings.Process, 1<<16)
	for rank := range silent {
		silent[rank].Rank = rank
	}
	silent[0].Partners, silent[0].Peak = []rings.Partner{{Rank: 0, Burst: 1}}, 1
	for name, r := range map[string]*rings.Record{
		"a packet of a byte":           {Packet: 1, Processes: []rings.Process{{Partners: []rings.Partner{{Burst: 1}}, Peak: 1}}},
		"a packet that fills the area": {Packet: rings.MaxArea, Processes: []rings.Process{{Partners: []rings.Partner{{Burst: 1}}, Peak: 1}}},
		"many processes":               {Packet: 1, Processes: silent},
		"many of everything": {Packet: 1, Processes: []rings.Process{{Peak: most, Partners: []rings.Partner{
			{Messages: most, Bytes: most, Largest: most, Burst: most, Pushes: most}}}}},
	} {
		if _, err := rings.Make(r, rings.MaxArea); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A packet for each rank is just enough for private rings.
func TestLeastPrivateRings(t *testing.T) {
	r := receiver(4, 3*packet, from(0, 1, packet), from(1, 1, packet), from(2, 1, packet))
	all, err := rings.Private(r, len(r.Processes)*r.Packet)
	if err != nil {
		t.Fatal(err)
	}
	for _, ring := range all[0].Private {
		if ring.Bytes != r.Packet {
			t.Errorf("a ring of %d bytes; expected a packet of %d", ring.Bytes, r.Packet)
		}
	}
	if _, err := rings.Private(r, len(r.Processes)*r.Packet-1); err == nil {
		t.Error("a byte less was enough")
	}
}

// Processes with as many senders and private rings are one class, whichever comes first.
func TestClassesAreCounted(t *testing.T) {
	r := &rings.Record{Packet: packet}
	var all []rma.Rings
	for rank := range 6 {
		p := rings.Process{Rank: rank}
		if rank%3 == 0 {
			p.Partners, p.Peak = []rings.Partner{{Rank: 0, Messages: 1, Bytes: packet, Largest: packet, Burst: packet}}, packet
		}
		r.Processes, all = append(r.Processes, p), append(all, rma.SharedRing(packet))
	}
	got := map[int]int{}
	for _, class := range rings.Classes(r, all) {
		got[class.Senders] += class.Processes
	}
	if classes := rings.Classes(r, all); len(classes) != 2 || got[0] != 4 || got[1] != 2 {
		t.Errorf("classes %+v; expected 4 processes without senders and 2 with one", classes)
	}
}
