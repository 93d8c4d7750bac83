package partitioned

import (
	"errors"

	"musubi/mpi/internal/core"
	"musubi/mpi/internal/elements"
)

// Tags says which tags of the context of collective operations are for partitions.
type Tags struct{ First, Count int32 }

// Table holds what a process knows of the partitioned messages of a communicator.
type Table struct {
	tags      Tags
	prepared  map[pair]int64 // how many sends or receives, by peer and tag
	sends     []*Send        // that have tags
	next      int32          // tag, from tags.First+1 on
	announced map[name]announcement
	inquiries map[int]*inquiry // by rank
}

// pair is what sends and receives have in common that may match.
type pair struct {
	peer, tag int
	receives  bool
}

// name is that of a message among those from a rank.
type name struct {
	from, tag int
	number    int64
}

// announcement is what a receiver has to know of a message.
type announcement struct {
	first             int32 // tag of the first partition
	partitions, bytes int64 // of each
}

// An announcement as numbers: tag, number, first, partitions, bytes.
const announcementWords = 5

// inquiry is the receive of the next announcement of a rank.
type inquiry struct {
	core.Request
	words [announcementWords]int64
}

// NewTable returns that of a communicator in which nothing has been prepared.
func NewTable(tags Tags) *Table {
	return &Table{tags: tags, prepared: map[pair]int64{}, next: tags.First + 1, announced: map[name]announcement{}, inquiries: map[int]*inquiry{}}
}

// count returns how many sends or receives have been prepared for a peer and a tag, and counts one more.
func (t *Table) count(p pair) int64 {
	n := t.prepared[p]
	t.prepared[p] = n + 1
	return n
}

var errNoTags = errors.New("no tags are left for so many partitions; expected fewer at once: free those that are done with")

// take gives a send as many tags as it has partitions. Tags are used again when all have been used,
// if no send has them any more.
func (t *Table) take(s *Send) error {
	end := int64(t.tags.First) + int64(t.tags.Count)
	first := int64(t.next)
	for wrapped := false; ; {
		if first+int64(s.partitions) > end {
			if wrapped {
				return errNoTags
			}
			first, wrapped = int64(t.tags.First)+1, true
			continue
		}
		in := t.holder(first, int64(s.partitions))
		if in == nil {
			break
		}
		first = int64(in.first) + int64(in.partitions)
	}
	s.first, t.next = int32(first), int32(first)+int32(s.partitions)
	t.sends = append(t.sends, s)
	return nil
}

// holder returns a send that has one of some tags.
func (t *Table) holder(first, count int64) *Send {
	for _, s := range t.sends {
		if int64(s.first) < first+count && first < int64(s.first)+int64(s.partitions) {
			return s
		}
	}
	return nil
}

// find looks for the announcement of a message. If it has not come, it returns the request to wait for.
func (t *Table) find(c *core.Comm, call string, n name) (announcement, *core.Request, error) {
	for {
		if a, ok := t.announced[n]; ok {
			delete(t.announced, n)
			return a, nil, nil
		}
		in := t.inquiries[n.from]
		if in == nil {
			in = &inquiry{}
			in.SetReceive(c, call, c.Collective, n.from, int(t.tags.First), elements.Memory(in.words[:]))
			if err := c.Engine.Receive(&in.Request); err != nil {
				return announcement{}, nil, err
			}
			t.inquiries[n.from] = in
		}
		if !in.Complete {
			return announcement{}, &in.Request, nil
		}
		delete(t.inquiries, n.from)
		c.Engine.RecordEnd(&in.Request)
		if in.Err != nil {
			return announcement{}, nil, in.Err
		}
		w := &in.words
		t.announced[name{n.from, int(w[0]), w[1]}] = announcement{int32(w[2]), w[3], w[4]}
	}
}
