package ring

import (
	"math/rand/v2"
	"testing"
)

// manyRings is a private ring for each of so many senders, of which few have data at a time.
func manyRings(senders int) Config {
	c := Config{Table: make([]int, senders), Records: 64, Packet: 8}
	for i := range c.Table {
		c.Table[i] = i
		c.Rings = append(c.Rings, RingConfig{Size: 8 + i%13})
	}
	return c
}

// Rings come to rest and wake again as if they had been in use all the time.
func TestRingsGoOnWhereTheyRested(t *testing.T) {
	const senders = 100
	rng := rand.New(rand.NewPCG(19, 1))
	r, err := newTwins(manyRings(senders))
	if err != nil {
		t.Fatal(err)
	}
	var held []Record
	for range 5_000 {
		h := Packet{From: uint16(rng.IntN(senders)), Flags: Flags(rng.IntN(4)), Data: rng.IntN(9)}
		at, result, err := r.place(&h)
		if err == nil && result == Accepted {
			err = r.write(&h, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		for len(held) < 6 {
			record, ok, err := r.next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			held = append(held, record)
		}
		for len(held) > rng.IntN(6) {
			i := rng.IntN(len(held))
			if err := r.release(held[i]); err != nil {
				t.Fatal(err)
			}
			held = append(held[:i], held[i+1:]...)
		}
	}
	if r.Counters().Packets < 2_000 {
		t.Errorf("%d packets have been taken; expected at least 2000", r.Counters().Packets)
	}
}

// A process that takes messages of very many others, one after the other, has the memory of one entry, and the heads.
func TestRingsAtRestKeepTheirHeadsOnly(t *testing.T) {
	const senders = 1 << 12
	r := mustReceiver(t, manyRings(senders))
	for round := range uint64(3) {
		for from := range senders {
			p := Packet{From: uint16(from), Flags: EndOfMessage, Data: 5}
			at, result := r.Place(&p)
			if result != Accepted {
				t.Fatalf("a packet of %d for an empty ring: %v", from, result)
			}
			r.Written(&p, at)
			record, _ := r.Next()
			if err := r.Release(record); err != nil {
				t.Fatal(err)
			}
			if e := r.Entry(from); e.Head != 5*(round+1) || e.Tail != e.Head {
				t.Fatalf("ring %d goes from %d to %d after %d messages of 5 bytes", from, e.Head, e.Tail, round+1)
			}
		}
	}
	for from := range int32(senders) {
		if g := r.others.Known(from); g != nil {
			t.Fatalf("ring %d has an entry at the end: %+v", from, *g)
		}
	}
	if r.holds != none {
		t.Errorf("the first entry is of ring %d at the end", r.holds)
	}
}
