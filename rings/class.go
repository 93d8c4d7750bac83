package rings

import (
	"cmp"
	"slices"

	"musubi/rma"
)

// Class is a set of processes with similar rings: with equally many senders, of which equally many
// have a private ring.
type Class struct {
	Processes int
	Senders   int   // by IPUSH
	Private   int   // rings
	Size      Range // of a private ring
	Shared    Range // of the ring for all others
	Lack      int64 // packets that find no room in the rings of these processes; see Predict
}

// Range is the smallest and the largest of several sizes in bytes. It is the zero
// value if there are none.
type Range struct{ Min, Max int }

func (r *Range) include(size int) {
	if *r == (Range{}) {
		r.Min = size
	}
	r.Min, r.Max = min(r.Min, size), max(r.Max, size)
}

// Classes sorts the processes of a record by their rings, which are those of a plan
// for it: by senders and then by private rings.
func Classes(r *Record, all []rma.Rings) []Class {
	var classes []Class
	for rank := range all {
		senders, private := len(r.Processes[rank].senders()), len(all[rank].Private)
		i := slices.IndexFunc(classes, func(c Class) bool { return c.Senders == senders && c.Private == private })
		if i < 0 {
			i = len(classes)
			classes = append(classes, Class{Senders: senders, Private: private})
		}
		classes[i].include(&all[rank], r.Processes[rank].lack(&all[rank], r.Packet))
	}
	slices.SortFunc(classes, func(a, b Class) int {
		return cmp.Or(cmp.Compare(a.Senders, b.Senders), cmp.Compare(a.Private, b.Private))
	})
	return classes
}

func (c *Class) include(r *rma.Rings, lack int64) {
	c.Processes++
	c.Lack += lack
	c.Shared.include(r.Other.Bytes)
	for _, ring := range r.Private {
		c.Size.include(ring.Bytes)
	}
}
