package live

import (
	"fmt"
	"net"
	"time"
)

// connect lets a rank and all ranks of other groups, of which it knows the addresses now, connect
// to each other; see far.connect.
func (r *rank) connect(f *far, peers []peer, bound time.Duration) error {
	r.far = f
	streams, err := f.connect((*connector)(r), peers, bound, func(peer int) receiver { return &r.in[peer] })
	for other, s := range streams {
		if s != nil {
			r.out[other].stream, r.in[other].stream = s, s
			r.out[other].pair = new(pairState) // nobody else writes to it
		}
	}
	return err
}

// connector is a rank as its streams see it.
type connector rank

func (c *connector) problem() error { return (*rank)(c).failed(0) }

// connecting tells what the rank does, as it answers no questions until it is connected.
func (c *connector) connecting(peer int) {
	r := (*rank)(c)
	state := &r.job.ranks[r.number]
	state.statement.begin(r.job.header.clock.Load())
	state.statement.write("connecting with " + r.nameOf(peer))
	state.waiting.Store(uint32(inConnect))
}

func (c *connector) connected() {
	state := &c.job.ranks[c.number]
	state.waiting.Store(0) // first; see region.quiet
	state.activity.Add(1)
}

// unreachable takes why there is no connection. The other rank has most likely ended, and who has
// started it says why; else this one cannot go on.
func (c *connector) unreachable(peer int, err error) {
	if r := (*rank)(c); r.awaitReason() == nil {
		r.lost = fmt.Errorf("live: rank %d cannot reach %s: %w", r.number, r.nameOf(peer), err)
	}
}

func (c *connector) cut(peer int) { (*rank)(c).cutFrom(peer) }

func (c *connector) rejected(peer int) {
	r := (*rank)(c)
	r.fail(failure{cause: rejected, rank: peer, status: r.number})
}

func (c *connector) isOver() bool { return c.job.header.allEnded.Load() == 1 }

func (c *connector) wake() { c.job.wake(c.number) }

func (c *connector) serveQueues(conn net.Conn, from int) { (*rank)(c).serveQueues(conn, from) }
