package rma

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Status is what a record of the status ring reports: a message or a packet.
type Status uint8

const (
	// PerMessage: one arrival for each message, when all of it is there. Only for
	// rings of a single sender, and for messages that the ring can hold.
	PerMessage Status = iota
	// PerPacket: one arrival for each packet. Packets of several senders may
	// interleave, and a message may be longer than the ring.
	PerPacket
)

// Ring is a receive ring: memory to which the network interface appends the messages that the
// senders of the ring send with IPush.
type Ring struct {
	Bytes   int // at least one packet of the machine
	Senders []int
	Status  Status
}

// Rings are the receive rings of a process. Each rank may be a sender of at most one private ring;
// all ranks that are in none use Other. If Other has no bytes there is no such ring, and an IPush
// of these ranks fails.
//
// In large jobs lists of rings for all ranks take much memory. Each says the same in one place: if it
// has bytes, every rank has a ring of its own like it, and there are no other rings.
type Rings struct {
	Private []Ring // "private" where a ring has one sender
	Other   Ring   // its Senders are ignored
	Each    Ring   // its Senders are ignored
	Records int    // arrivals that the status ring can hold; 0: as many as the world finds sufficient
}

// PrivateRings returns rings in which every rank of a job has a ring of its own.
func PrivateRings(ranks, bytes int) Rings {
	r, senders := Rings{Private: make([]Ring, ranks)}, make([]int, ranks)
	for sender := range ranks {
		senders[sender] = sender
		r.Private[sender] = Ring{Bytes: bytes, Senders: senders[sender : sender+1 : sender+1]}
	}
	return r
}

// RingForEach returns rings in which every rank of a job has a ring of its own, whatever their
// number.
func RingForEach(bytes int, status Status) Rings {
	return Rings{Each: Ring{Bytes: bytes, Status: status}}
}

// Lists returns the same rings with those of Each in Private.
func (r Rings) Lists(ranks int) Rings {
	if r.Each.Bytes == 0 {
		return r
	}
	lists := PrivateRings(ranks, r.Each.Bytes)
	for i := range lists.Private {
		lists.Private[i].Status = r.Each.Status
	}
	lists.Records = r.Records
	return lists
}

// SharedRing returns rings in which all ranks share one ring.
func SharedRing(bytes int) Rings {
	return Rings{Other: Ring{Bytes: bytes, Status: PerPacket}}
}

// Limits are the most that the rings of a process can have in a world.
type Limits struct {
	Bytes   int // of all rings together
	Records int // of the status ring
}

// CheckLimits fails if the rings of a process in a job of that many ranks are more than a world has
// room for.
func (r Rings) CheckLimits(ranks int, most Limits) error {
	if r.Records > most.Records {
		return fmt.Errorf("rma: status ring of %d records; expected at most %d", r.Records, most.Records)
	}
	left := most.Bytes
	fits := func(bytes, rings int) bool {
		bytes = max(0, bytes)
		if bytes > left/max(1, rings) {
			return false
		}
		left -= rings * bytes
		return true
	}
	for _, ring := range r.Private {
		if !fits(ring.Bytes, 1) {
			return r.tooLarge(most)
		}
	}
	if !fits(r.Other.Bytes, 1) || !fits(r.Each.Bytes, ranks) {
		return r.tooLarge(most)
	}
	return nil
}

func (r Rings) tooLarge(most Limits) error {
	return fmt.Errorf("rma: receive rings of more than %d bytes together", most.Bytes)
}

// Check fails if the rings do not fit a job of that many ranks on a machine with packets of up to
// packet bytes. In particular it refuses rings that several senders share and that have status per
// message: the packets of several senders interleave, so a message would not be contiguous.
func (r Rings) Check(ranks, packet int) error {
	if r.Records < 0 {
		return fmt.Errorf("rma: status ring of %d records; expected at least 0", r.Records)
	}
	if r.Each.Bytes != 0 {
		if len(r.Private) > 0 || r.Other.Bytes != 0 {
			return errors.New("rma: a ring for each rank beside other rings; expected one or the other")
		}
		return r.Each.check("ring 0", 1, packet)
	}
	others, err := r.others(ranks)
	if err != nil {
		return err
	}
	for i, ring := range r.Private {
		if err := ring.check(fmt.Sprint("ring ", i), len(ring.Senders), packet); err != nil {
			return err
		}
	}
	if r.Other.Bytes == 0 {
		return nil
	}
	return r.Other.check("the ring for all others", others, packet)
}

// others returns how many ranks are a sender of no private ring. It fails if a sender does not
// exist or is named twice. Its cost depends on the number of named senders, not on the number of
// ranks, because large jobs have many rings that name few.
func (r Rings) others(ranks int) (int, error) {
	type membership struct{ sender, ring int }
	var named []membership
	for i, ring := range r.Private {
		for _, s := range ring.Senders {
			if s < 0 || s >= ranks {
				return 0, fmt.Errorf("rma: ring %d has rank %d as a sender; there are ranks 0 to %d", i, s, ranks-1)
			}
			named = append(named, membership{s, i})
		}
	}
	slices.SortFunc(named, func(a, b membership) int {
		return cmp.Or(cmp.Compare(a.sender, b.sender), cmp.Compare(a.ring, b.ring))
	})
	for i := 1; i < len(named); i++ {
		if a, b := named[i-1], named[i]; a.sender == b.sender {
			return 0, fmt.Errorf("rma: rank %d is a sender of ring %d and again of ring %d; expected one", a.sender, a.ring, b.ring)
		}
	}
	return ranks - len(named), nil
}

func (r Ring) check(name string, senders, packet int) error {
	switch {
	case r.Bytes < packet:
		return fmt.Errorf("rma: %s has %d bytes; expected at least the %d of a packet", name, r.Bytes, packet)
	case r.Status > PerPacket:
		return fmt.Errorf("rma: %s has status %d; expected PerMessage or PerPacket", name, r.Status)
	case r.Status == PerMessage && senders > 1:
		return fmt.Errorf("rma: %s is shared by %d senders and has status per message; their packets interleave, so it needs status per packet", name, senders)
	}
	return nil
}

// Arrival is a record of the status ring: it reports data that has been appended to a receive ring
// of this process.
type Arrival struct {
	From  int
	Bytes int
	// Last: this arrival completes a message. Always true for rings with status per message.
	Last bool
	// Record is the world's own handle for Take.
	Record uint64
}

// Caching is how a processor reads memory that lies on the network interface. It makes no
// difference on machines where receive rings lie in the host's memory.
type Caching uint8

const (
	// Cached reads whole cache lines ahead of their use.
	Cached Caching = iota
	// Uncached reads word by word.
	Uncached
)
