package dma

import (
	"fmt"

	"musubi/nic/cmdq"
	"musubi/sim/host"
)

// nodeQueues is the command queues of a node.
type nodeQueues struct {
	board  *cmdq.Board
	taken  int        // slots
	queues [][]*queue // by slot and number less 1; nil if there is none
}

func (c *dma) openNodes() {
	m := &c.Queue
	c.nodeQueues, c.slots = make([]nodeQueues, c.Nodes), make([]int, len(c.Ranks))
	for i := range c.nodeQueues {
		c.nodeQueues[i] = nodeQueues{
			board:  cmdq.NewBoard(m.Engines, m.PerEngine, m.Processes, m.PerProcess),
			queues: make([][]*queue, m.Processes),
		}
	}
	for rank := range c.Ranks {
		d := c.queuesOfNode(rank)
		c.slots[rank] = d.taken
		d.taken++
	}
}

func (c *dma) queuesOfNode(rank int) *nodeQueues { return &c.nodeQueues[c.NodeOf[rank]] }

func (c *dma) freeQueues(rank int) int { return c.queuesOfNode(rank).board.Free(c.slots[rank]) }

// openQueue gives a queue its number and its engine.
func (c *dma) openQueue(q *queue, engine int) (err error) {
	d, slot := c.queuesOfNode(q.r.Rank()), c.slots[q.r.Rank()]
	if q.number, q.engine, err = d.board.Open(slot, engine); err != nil {
		return err
	}
	d.queues[slot] = host.Grown(d.queues[slot], uint32(q.number-1))
	d.queues[slot][q.number-1] = q
	q.port = c.portOf(int32(q.r.Rank()), q.engine)
	c.ports[q.port].engine.Add(q.state)
	return nil
}

func (c *dma) closeQueue(q *queue) {
	c.ports[q.port].engine.Remove(q.state)
	d, slot := c.queuesOfNode(q.r.Rank()), c.slots[q.r.Rank()]
	d.board.Close(slot, q.number)
	d.queues[slot][q.number-1] = nil
}

// queuesOf returns the queues of a rank by number less 1; nil for those that are not open.
func (c *dma) queuesOf(rank int) []*queue { return c.queuesOfNode(rank).queues[c.slots[rank]] }

// findQueue returns an open queue of a rank; nil if there is none.
func (c *dma) findQueue(rank, number int) *queue {
	if queues := c.queuesOf(rank); number >= 1 && number <= len(queues) {
		return queues[number-1]
	}
	return nil
}

// Blocked implements host.Blocker: it says which puts wait for the place of a notice.
func (d *dma) Blocked() string {
	var waits []string
	for i := range d.ports {
		waiting := &d.ports[i].waiting
		for _, in := range waiting.All() {
			if t := d.transfers.At(tagID(in.tag)); t.command != nil && t.command.Notice && tagRole(in.tag) == roleData {
				waits = append(waits, fmt.Sprintf("a put of rank %d waits for the place of a notice in command queue %d of rank %d, which takes none",
					t.initiator, t.command.TargetQueue.Queue, t.Target))
			}
		}
	}
	return host.JoinSome(waits, "; ")
}

// Waits implements host.Waiter.
func (d *dma) Waits() []string { return []string{d.unreleased(), d.groups.unmet()} }

// unreleased says which commands were never released; empty if there are none.
func (d *dma) unreleased() string {
	if d.nodeQueues == nil {
		return ""
	}
	var waits []string
	for rank := range d.Ranks {
		for _, q := range d.queuesOf(rank) {
			if q == nil || q.state.Waiting() == 0 {
				continue
			}
			waits = append(waits, fmt.Sprintf("command queue %d of rank %d waits for puts that release %d of its commands: it has been given %d, and its scheduling pointer is at %d",
				q.number, rank, q.state.Waiting(), q.state.Write, q.state.Scheduled))
		}
	}
	return host.JoinSome(waits, "; ")
}
