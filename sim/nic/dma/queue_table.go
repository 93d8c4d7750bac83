package dma

import (
	"fmt"

	"musubi/nic/cmdq"
	"musubi/sim/host"
)

// queueTable says which command queues are open, on which engines.
type queueTable struct {
	*interfaces
	nodes []nodeQueues
	slots []int // of each rank among those of its node
}

// nodeQueues is the command queues of a node.
type nodeQueues struct {
	board  *cmdq.Board
	ranks  []int      // by slot
	queues [][]*queue // by slot and number less 1; nil if there is none
}

func newQueueTable(n *interfaces, m *Queue) *queueTable {
	c := &queueTable{interfaces: n, nodes: make([]nodeQueues, n.Nodes), slots: make([]int, len(n.Ranks))}
	for i := range c.nodes {
		c.nodes[i] = nodeQueues{
			board:  cmdq.NewBoard(m.Engines, m.PerEngine, m.Processes, m.PerProcess),
			queues: make([][]*queue, m.Processes),
		}
	}
	for rank := range c.slots {
		d := c.node(rank)
		c.slots[rank] = len(d.ranks)
		d.ranks = append(d.ranks, rank)
	}
	return c
}

func (c *queueTable) node(rank int) *nodeQueues { return &c.nodes[c.NodeOf[rank]] }

// free returns how many queues a rank may still open.
func (c *queueTable) free(rank int) int { return c.node(rank).board.Free(c.slots[rank]) }

// open gives a queue its number and its engine.
func (c *queueTable) open(q *queue, engine int) (err error) {
	d, slot := c.node(q.r.Rank()), c.slots[q.r.Rank()]
	if q.number, q.engine, err = d.board.Open(slot, engine); err != nil {
		return err
	}
	d.queues[slot] = host.Grown(d.queues[slot], uint32(q.number-1))
	d.queues[slot][q.number-1] = q
	q.port = c.port(int32(q.r.Rank()), q.engine)
	return nil
}

func (c *queueTable) close(q *queue) {
	d, slot := c.node(q.r.Rank()), c.slots[q.r.Rank()]
	d.board.Close(slot, q.number)
	d.queues[slot][q.number-1] = nil
}

// of returns the queues of a rank by number less 1; nil for those that are not open.
func (c *queueTable) of(rank int) []*queue { return c.node(rank).queues[c.slots[rank]] }

// takes returns the open queue that takes a put; nil if there is none.
func (c *queueTable) takes(command *queued) *queue {
	to := command.TargetQueue
	if queues := c.of(to.Rank); to.Queue >= 1 && to.Queue <= len(queues) {
		return queues[to.Queue-1]
	}
	return nil
}

// taker returns the port that a put goes to: the port of the queue that takes it. A put for no
// queue follows its queue's last put to the same rank; the first goes to the same engine there.
func (c *queueTable) taker(command *queued) int32 {
	if q := c.takes(command); q != nil {
		return q.port
	}
	rank := int32(command.TargetQueue.Rank)
	if way, known := command.of.ways[rank]; known {
		return way
	}
	return c.port(rank, command.of.engine)
}

// unreleased says which commands were never released; empty if there are none.
func (c *queueTable) unreleased() string {
	if c == nil {
		return ""
	}
	var waits []string
	for rank := range c.Ranks {
		for _, q := range c.of(rank) {
			if q == nil || q.state.Waiting() == 0 {
				continue
			}
			waits = append(waits, fmt.Sprintf("command queue %d of rank %d waits for puts that release %d of its commands: it has been given %d, and its scheduling pointer is at %d",
				q.number, rank, q.state.Waiting(), q.state.Write, q.state.Scheduled))
		}
	}
	return host.JoinSome(waits, "; ")
}
