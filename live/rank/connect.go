package rank

import (
	"fmt"
	"musubi/live/health"
	"musubi/live/shm"
	"musubi/live/tcp"
	"net"
	"time"
)

// connect lets a rank and all ranks of other groups, of which it knows the addresses now, connect
// to each other; see far.connect.
func (r *Rank) connect(f *tcp.Streams, peers []tcp.Peer, bound time.Duration) error {
	r.far = f
	streams, err := f.Connect((*connector)(r), peers, bound, func(peer int) tcp.Receiver { return &r.in[peer] })
	for other, s := range streams {
		if s != nil {
			r.out[other].way = s
		}
	}
	return err
}

// connector is a rank as its streams see it.
type connector Rank

func (c *connector) Problem() error { return (*Rank)(c).failed(0) }

// Connecting tells what the rank does, as it answers no questions until it is connected.
func (c *connector) Connecting(peer int) {
	r := (*Rank)(c)
	state := &r.job.Ranks[r.number]
	state.Statement.Begin(r.job.Header.Clock.Load())
	state.Statement.Write("connecting with " + r.nameOf(peer))
	state.Waiting.Store(uint32(shm.InConnect))
}

func (c *connector) Connected() {
	state := &c.job.Ranks[c.number]
	state.Waiting.Store(0) // first; see region.quiet
	state.Activity.Add(1)
}

// Unreachable takes why there is no connection. The other rank has most likely ended, and who has
// started it says why; else this one cannot go on.
func (c *connector) Unreachable(peer int, err error) {
	if r := (*Rank)(c); r.awaitReason() == nil {
		r.lost = fmt.Errorf("live: rank %d cannot reach %s: %w", r.number, r.nameOf(peer), err)
	}
}

func (c *connector) Cut(peer int) { (*Rank)(c).cutFrom(peer) }

func (c *connector) Rejected(peer int) {
	r := (*Rank)(c)
	r.fail(health.Failure{Cause: health.Rejected, Rank: peer, Status: r.number})
}

func (c *connector) IsOver() bool { return c.job.Header.AllEnded.Load() == 1 }

func (c *connector) Wake() { c.job.Wake(c.number) }

func (c *connector) ServeQueues(conn net.Conn, from int) { c.commands.Serve(conn, from) }
