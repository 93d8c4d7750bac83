package loggops

import (
	"slices"

	"musubi/units"
)

// use is what an event of a rank needs: a processor, an interface, and what for.
type use uint32

const (
	forCalc use = iota
	forSend
	forReceive
)

func useOf(purpose use, cpu, nic uint8) use { return purpose | use(cpu)<<8 | use(nic)<<16 }

// freeAt returns when what is needed is free.
func (e *engine) freeAt(r uint32, u use) units.Time {
	rank, nic := &e.ranks[r], uint8(u>>16)
	at := rank.cpu[uint8(u>>8)]
	switch u & 0xff {
	case forSend:
		at = max(at, rank.send[nic])
	case forReceive:
		at = max(at, rank.receive[nic])
	}
	return at
}

// room holds the events of a rank that wait for the same. All are due when that is free, and then the one
// with the least number is carried out. So one event in the queue stands for all: n messages to one rank
// take n events more, where trying each again after each would take n squared.
type room struct {
	use    use
	events heap // in the order of numbers: at is 0
	// The event that stands for all, unless there are none.
	at     units.Time
	number uint64
}

// rooms are those of a rank.
type rooms []room

// join adds an event that waits until a time, and returns its room. due: the room needs another event that
// stands for it.
func (all *rooms) join(ev event, u use, until units.Time) (i int, due bool) {
	i = slices.IndexFunc(*all, func(r room) bool { return r.use == u })
	if i < 0 {
		i = len(*all)
		*all = append(*all, room{use: u})
	}
	r := &(*all)[i]
	ev.at = 0
	r.events.push(ev)
	return i, len(r.events) == 1 || until < r.at || until == r.at && ev.number < r.number
}

// represent returns an event that stands for all events of room i. A former one is void.
func (all rooms) represent(rank uint32, i int, at units.Time) event {
	r := &all[i]
	r.at, r.number = at, r.events[0].number
	return event{at: at, number: r.number, rank: rank, op: uint32(i), kind: tryRoom}
}
