package rma_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"musubi/rma"
)

const (
	ringRanks  = 4
	ringPacket = 512
)

func TestRingsCheck(t *testing.T) {
	private := func(senders ...int) rma.Ring { return rma.Ring{Bytes: ringPacket, Senders: senders} }
	perPacket := func(senders ...int) rma.Ring {
		return rma.Ring{Bytes: ringPacket, Senders: senders, Status: rma.PerPacket}
	}
	for _, test := range []struct {
		name  string
		rings rma.Rings
		err   string // part of the error, none if empty
	}{
		{"a private ring for every rank", rma.PrivateRings(ringRanks, ringPacket), ""},
		{"one ring for all", rma.SharedRing(ringPacket), ""},
		{"no rings", rma.Rings{}, ""},
		{"partners only", rma.Rings{Private: []rma.Ring{private(1), private(3)}}, ""},
		{"partners and one ring for the others", rma.Rings{Private: []rma.Ring{private(2)}, Other: perPacket()}, ""},
		{"several share a ring that tells of packets", rma.Rings{Private: []rma.Ring{perPacket(0, 1, 2)}}, ""},
		{"a single other may tell of messages", rma.Rings{Private: []rma.Ring{perPacket(0, 1, 2)}, Other: private()}, ""},
		{"senders of the ring for others are ignored", rma.Rings{Private: []rma.Ring{private(2)}, Other: perPacket(2, 2, 99)}, ""},

		{"several share a ring that tells of messages", rma.Rings{Private: []rma.Ring{private(0), private(1, 2)}},
			"ring 1 is shared by 2 senders and has status per message; their packets interleave"},
		{"the others share a ring that tells of messages", rma.Rings{Private: []rma.Ring{private(2)}, Other: private()},
			"the ring for all others is shared by 3 senders"},
		{"ring below a packet", rma.PrivateRings(ringRanks, ringPacket-1), "ring 0 has 511 bytes; expected at least the 512"},
		{"ring for others below a packet", rma.SharedRing(ringPacket - 1), "the ring for all others has 511 bytes"},
		{"ring for others of negative size", rma.SharedRing(-1), "the ring for all others has -1 bytes"},
		{"sender beyond the job", rma.PrivateRings(ringRanks+1, ringPacket), "ring 4 has rank 4 as a sender; there are ranks 0 to 3"},
		{"negative sender", rma.Rings{Private: []rma.Ring{private(-1)}}, "ring 0 has rank -1"},
		{"sender of two rings", rma.Rings{Private: []rma.Ring{private(1), private(2), private(1)}},
			"rank 1 is a sender of ring 0 and again of ring 2"},
		{"sender named twice", rma.Rings{Private: []rma.Ring{perPacket(3, 3)}}, "rank 3 is a sender of ring 0 and again of ring 0"},
		{"unknown status", rma.Rings{Private: []rma.Ring{{Bytes: ringPacket, Status: 2}}}, "status 2; expected PerMessage or PerPacket"},
		{"negative records", rma.Rings{Records: -1}, "status ring of -1 records"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.rings.Check(ringRanks, ringPacket)
			if test.err == "" && err != nil {
				t.Errorf("%+v: %v; expected no error", test.rings, err)
			}
			if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("%+v: error %v; expected one with %q", test.rings, err, test.err)
			}
		})
	}
}

// Rings are refused if and only if one of the rules is broken, each of which is
// looked at here on its own.
func TestRingsCheckIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		rings := rma.Rings{
			Private: rapid.SliceOfN(ringOf(ranks), 0, 4).Draw(t, "private"),
			Other:   ringOf(ranks).Draw(t, "other"),
		}
		want := sendersAreRanks(rings, ranks) && sendersAreDistinct(rings) &&
			ringsHoldPackets(rings) && sharedRingsTellOfPackets(rings, ranks)
		if err := rings.Check(ranks, ringPacket); (err == nil) != want {
			t.Fatalf("%+v for %d ranks: error %v; expected that they are in order to be %v", rings, ranks, err, want)
		}
	})
}

func ringOf(ranks int) *rapid.Generator[rma.Ring] {
	return rapid.Custom(func(t *rapid.T) rma.Ring {
		ring := rma.Ring{
			Bytes:   rapid.SampledFrom([]int{ringPacket, ringPacket, 4 * ringPacket, ringPacket - 1, 0}).Draw(t, "bytes"),
			Senders: rapid.SliceOfN(rapid.IntRange(0, ranks-1), 0, 2).Draw(t, "senders"),
			Status:  rma.Status(rapid.IntRange(0, 1).Draw(t, "status")),
		}
		if rapid.IntRange(0, 19).Draw(t, "other sender") == 0 {
			ring.Senders = append(ring.Senders, ranks)
		}
		return ring
	})
}

func sendersAreRanks(r rma.Rings, ranks int) bool {
	for _, ring := range r.Private {
		for _, s := range ring.Senders {
			if s < 0 || s >= ranks {
				return false
			}
		}
	}
	return true
}

func sendersAreDistinct(r rma.Rings) bool {
	seen := map[int]bool{}
	for _, ring := range r.Private {
		for _, s := range ring.Senders {
			if seen[s] {
				return false
			}
			seen[s] = true
		}
	}
	return true
}

func ringsHoldPackets(r rma.Rings) bool {
	for _, ring := range r.Private {
		if ring.Bytes < ringPacket {
			return false
		}
	}
	return r.Other.Bytes == 0 || r.Other.Bytes >= ringPacket
}

func sharedRingsTellOfPackets(r rma.Rings, ranks int) bool {
	others := ranks
	for _, ring := range r.Private {
		others -= len(ring.Senders)
		if len(ring.Senders) > 1 && ring.Status != rma.PerPacket {
			return false
		}
	}
	return r.Other.Bytes == 0 || others <= 1 || r.Other.Status == rma.PerPacket
}

// Rings are within limits if their sum is, however large they are.
func TestRingsCheckLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(math.MaxInt-100, math.MaxInt))
		most := rma.Limits{Bytes: rapid.IntRange(0, 300).Draw(t, "bytes"), Records: 10}
		rings := rma.Rings{Other: rma.Ring{Bytes: size.Draw(t, "other")}, Records: rapid.IntRange(0, 20).Draw(t, "records")}
		sum := big.NewInt(int64(rings.Other.Bytes))
		for _, bytes := range rapid.SliceOfN(size, 0, 5).Draw(t, "private") {
			rings.Private = append(rings.Private, rma.Ring{Bytes: bytes})
			sum.Add(sum, big.NewInt(int64(bytes)))
		}
		want := rings.Records <= most.Records && sum.Cmp(big.NewInt(int64(most.Bytes))) <= 0
		if err := rings.CheckLimits(7, most); (err == nil) != want {
			t.Errorf("%+v within %+v: %v, want %v", rings, most, err, want)
		}
	})
}

// A ring for each rank is the same as a list of such rings.
func TestRingForEachIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 9).Draw(t, "ranks")
		size := rapid.OneOf(rapid.IntRange(1, 2*ringPacket), rapid.IntRange(math.MaxInt-100, math.MaxInt)).Draw(t, "bytes")
		each := rma.RingForEach(size, rma.Status(rapid.IntRange(0, 2).Draw(t, "status")))
		each.Records = rapid.IntRange(-1, 20).Draw(t, "records")
		list := each.Lists(ranks)
		if len(list.Private) != ranks || list.Each.Bytes != 0 || list.Records != each.Records {
			t.Fatalf("%+v as lists: %+v", each, list)
		}
		most := rma.Limits{Bytes: rapid.IntRange(0, 5*ringPacket).Draw(t, "most"), Records: 10}
		if a, b := each.CheckLimits(ranks, most), list.CheckLimits(ranks, most); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%+v within %+v: %v; as lists: %v", each, most, a, b)
		}
		if a, b := each.Check(ranks, ringPacket), list.Check(ranks, ringPacket); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%+v: %v; as lists: %v", each, a, b)
		}
	})
}

// A ring for each rank leaves none for others.
func TestRingForEachIsAlone(t *testing.T) {
	for _, rings := range []rma.Rings{
		{Each: rma.Ring{Bytes: ringPacket}, Other: rma.Ring{Bytes: ringPacket, Status: rma.PerPacket}},
		{Each: rma.Ring{Bytes: ringPacket}, Private: []rma.Ring{{Bytes: ringPacket, Senders: []int{0}}}},
	} {
		const want = "rma: a ring for each rank beside other rings; expected one or the other"
		if err := rings.Check(ringRanks, ringPacket); err == nil || err.Error() != want {
			t.Errorf("%+v: %v; expected %q", rings, err, want)
		}
	}
}
