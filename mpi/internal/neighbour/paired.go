package neighbour

import (
	"musubi/mpi/internal/algorithm"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/mpi/internal/match"
)

// paired is a persistent send or receive that is paired with one of the other rank: an exchange
// with one edge. On command queues it is PRDMA of Hatanaka et al. (2016, sections 4.2 and 4.3): the
// sender posts SD and EOD in Start, and the RTR of the receiver, a put to the sender's queue,
// advances its scheduling pointer by two and so releases both.
type paired struct {
	receives  bool
	peer, tag int
}

// PrepareSend prepares a send that is paired with a receive.
func PrepareSend(c *collective.Comm, call string, to, tag int, data []byte, o Options) (*core.Persistent, error) {
	sender, receiver := collective.PairedTags(tag)
	return prepare(c, call, paired{false, to, tag}, connectTags{sender, receiver}, o, &algorithm.Arguments{
		Near: &algorithm.Neighbours{Destinations: []int{to}}, Ins: [][]byte{data},
	})
}

// PrepareReceive prepares a receive that is paired with a send.
func PrepareReceive(c *collective.Comm, call string, from, tag int, into []byte, o Options) (*core.Persistent, error) {
	sender, receiver := collective.PairedTags(tag)
	return prepare(c, call, paired{true, from, tag}, connectTags{receiver, sender}, o, &algorithm.Arguments{
		Near: &algorithm.Neighbours{Sources: []int{from}}, Outs: [][]byte{into},
	})
}

func prepare(c *collective.Comm, call string, p paired, tags connectTags, o Options, a *algorithm.Arguments) (*core.Persistent, error) {
	if err := o.check(); err != nil {
		return nil, c.Fail(fault.Argument, call, err)
	}
	switch {
	case o.Protocol == Agent:
		return nil, c.Failf(fault.Argument, call, "%v; only neighbourhood operations have one", o.Protocol)
	case p.peer == match.AnySource:
		return nil, c.Failf(fault.Rank, call, "AnySource with options; expected the rank whose send is paired with the receive, or None")
	case p.tag < 0 || p.tag > collective.MaxPairedTag:
		return nil, c.Failf(fault.Tag, call, "tag %d with options; expected 0 to %d", p.tag, collective.MaxPairedTag)
	}
	x := newExchange(c, call, tags, o, a)
	x.paired = &p
	return core.NewPersistent(&c.Comm, call, x), nil
}

// pairedStatus returns the status of a round.
func (x *exchange) pairedStatus() core.Status {
	switch {
	case !x.paired.receives:
		return core.Status{}
	case len(x.ins) == 0:
		return core.Nothing
	}
	in := &x.ins[0]
	return core.Status{From: in.rank, Tag: x.paired.tag, Bytes: min(int(in.far.Bytes), len(in.into))}
}
