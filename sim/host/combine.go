package host

import (
	"errors"
	"fmt"
	"slices"

	"musubi/rma"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/units"
)

// combinations are operations in which the network combines data of ranks: those for which ranks
// have asked and that are not complete.
type combinations struct {
	byKey map[uint64]uint32 // of those that ranks are missing of
	all   []combination
	free  []uint32
}

// combination is one of them.
type combination struct {
	rma.Combination
	missing int
	parts   []combinationPart
}

// combinationPart is what a rank has told of its part.
type combinationPart struct {
	rank       int
	op         uint32
	data, into []byte
}

// What tells combinations from others among the messages of a scale-up network, and packets of a fabric.
const (
	combinationTag uint32 = 1 << 31
	combinedTag    uint64 = 1 << 63
)

var _ rma.Combiner = (*Process)(nil)

// Combines implements rma.Combiner.
func (r *Process) Combines(ranks []int) error {
	node := r.c.Traits.Node
	if node == nil || len(ranks) == 0 {
		return fmt.Errorf("machine %s has no switches that combine data", r.c.Machine.Name)
	}
	if r.c.allInDomain(ranks) {
		if node.Domain > 0 && node.Combined > 0 {
			return nil
		}
		return fmt.Errorf("the switches of scale-up domains of machine %s do not combine data (domain.combined)", r.c.Machine.Name)
	}
	if !node.Tree {
		return fmt.Errorf("the switches of machine %s do not combine data (switch.combines)", r.c.Machine.Name)
	}
	if _, can := r.c.Fabric.(fabric.Combiner); !can {
		return errors.New("switches combine long messages in the flow engine only; expected --engine flow")
	}
	return nil
}

// Combine implements rma.Combiner.
func (r *Process) Combine(q rma.Combination) (rma.Op, error) {
	if len(q.From) == 0 || len(q.To) == 0 || q.Bytes < 0 {
		return 0, fmt.Errorf("rma: Combine of %d bytes from %d ranks to %d; expected at least one each", q.Bytes, len(q.From), len(q.To))
	}
	if err := r.Combines(membersOf(&q)); err != nil {
		return 0, err
	}
	gives, takes := slices.Contains(q.From, r.number), slices.Contains(q.To, r.number)
	if !gives && !takes {
		return 0, fmt.Errorf("rma: Combine by rank %d, which is not among those that take part", r.number)
	}
	r.Sleep(r.c.Traits.Node.Post)
	op, handle := r.c.NumberOp(r)
	part := combinationPart{rank: r.number, op: op}
	if gives {
		part.data = q.Data
	}
	if takes {
		part.into = q.Into
	}
	r.c.join(&q, part)
	return handle, nil
}

// membersOf returns the ranks that take part, each once.
func membersOf(q *rma.Combination) []int {
	members := slices.Concat(q.From, q.To)
	slices.Sort(members)
	return slices.Compact(members)
}

// join adds the part of a rank, and lets the operation begin with the last.
func (c *Cluster) join(q *rma.Combination, part combinationPart) {
	all := &c.combinations
	if all.byKey == nil {
		all.byKey = map[uint64]uint32{}
	}
	id, known := all.byKey[q.Key]
	if !known {
		id = all.number()
		all.byKey[q.Key] = id
		all.all[id] = combination{Combination: *q, missing: len(membersOf(q))}
	}
	m := &all.all[id]
	m.parts = append(m.parts, part)
	if m.missing--; m.missing > 0 {
		return
	}
	delete(all.byKey, q.Key)
	if c.allInDomain(membersOf(q)) {
		c.local.domain.Combine(q.From, q.To, q.Bytes, combinationTag+id)
		return
	}
	c.Clock.Push(engine.Event{At: c.Clock.Now() + c.Machine.Host.Post + c.Machine.NIC.Start, Kind: evCombine, A: id})
}

func (a *combinations) number() uint32 {
	if last := len(a.free) - 1; last >= 0 {
		id := a.free[last]
		a.free = a.free[:last]
		return id
	}
	a.all = append(a.all, combination{})
	return uint32(len(a.all) - 1)
}

// combine hands a combination to the switches of the network.
func (c *Cluster) combine(id uint32) {
	m, payload := &c.combinations.all[id], int(c.Machine.Packet.Payload)
	packets := max(1, (m.Bytes+payload-1)/payload)
	q := fabric.Combined{Packets: packets, Flits: c.Machine.PacketFlits(c.Machine.Packet.Payload), Last: c.Machine.PacketFlits(units.Bytes(m.Bytes - (packets-1)*payload)), Tag: combinedTag + uint64(id)}
	for _, r := range m.From {
		q.From = append(q.From, c.Hosts[r])
	}
	for _, r := range m.To {
		q.To = append(q.To, c.Hosts[r])
	}
	c.Fabric.(fabric.Combiner).SendCombined(q)
}

// arrivedCombined takes a combination from the network.
func (c *Cluster) arrivedCombined(packet uint32, d fabric.Delivery) {
	c.Fabric.Release(packet)
	n := &c.Machine.NIC
	c.Clock.Push(engine.Event{At: c.Clock.Now() + n.Receive + n.Complete, Kind: evCombined, A: uint32(d.Tag - combinedTag)})
}

// combined ends a combination: all have the result.
func (c *Env) combined(id uint32) {
	m := c.combinations.all[id]
	c.combinations.all[id] = combination{}
	c.combinations.free = append(c.combinations.free, id)
	if c.phantom == nil {
		m.compute()
	}
	for _, p := range m.parts {
		c.tellComplete(p.op)
	}
}

// compute combines the data of those that give any, in the order of From.
func (m *combination) compute() {
	of := map[int][]byte{}
	for _, p := range m.parts {
		of[p.rank] = p.data
	}
	result := slices.Clone(of[m.From[0]][:m.Bytes])
	for _, r := range m.From[1:] {
		m.Apply(of[r][:m.Bytes], result)
	}
	for _, p := range m.parts {
		if p.into != nil {
			copy(p.into, result)
		}
	}
}
