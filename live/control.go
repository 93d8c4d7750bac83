package live

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// control is the connection of a rank to the hub, which is served by goroutines of its
// own: so a rank that computes is known to live, and learns of failures.
type control struct {
	line       *line
	rank       int
	bound      time.Duration
	hubHost    string
	hub        int                  // rank that has the hub; noRank: the launcher
	hubProcess atomic.Pointer[peer] // nil until all are there
	stop       context.CancelFunc
	tasks      sync.WaitGroup
	peers      []peer // all ranks, from enter on
	come       chan []peer
	failed     chan struct{} // closed when the job has failed

	mu       sync.Mutex
	done     bool // the programs of all ranks are done
	verdict  verdict
	job      *region // nil until attach
	question uint64  // that is open; 0 if none is
	wave     uint64  // of it, in the memory of the group; 0 as long as it has none
}

// callHub connects a rank to the hub.
func callHub(ctx context.Context, id *identity, told spec) (*control, error) {
	conn, err := id.dial(ctx, told.Hub)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(told.Hub)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("live: address of the hub: %w", err)
	}
	serving, stop := context.WithCancel(context.Background())
	c := &control{
		line: newLine(conn), rank: told.Rank, bound: told.Bound, hub: told.HubOf, hubHost: host, stop: stop,
		come: make(chan []peer, 1), failed: make(chan struct{}),
	}
	c.tasks.Go(c.listen)
	c.tasks.Go(func() { c.watch(serving) })
	return c, nil
}

// address returns the address at which the rank is to listen for others: that by which it
// reaches the hub. If that is on the same host, and may be reached from others, all.
func (c *control) address() string {
	if isUnspecified(c.hubHost) {
		return ""
	}
	host, _, _ := net.SplitHostPort(c.line.conn.LocalAddr().String())
	if hub := net.ParseIP(c.hubHost); net.ParseIP(host).IsLoopback() && (hub == nil || !hub.IsLoopback()) {
		return ""
	}
	return host
}

// reach returns the address of another rank as this one can use it: ranks that listen at
// all addresses are on the host of the hub.
func (c *control) reach(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !isUnspecified(host) {
		return address
	}
	return net.JoinHostPort(c.hubHost, port)
}

func isUnspecified(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// enter introduces the rank, and waits until all are there.
func (c *control) enter(h introduction) error {
	c.line.send(message{Hello: &h})
	select {
	case c.peers = <-c.come:
	case <-c.failed:
		return fmt.Errorf("live: %s", c.reason().sentence(func(rank int) string { return rankOn(rank, "") }))
	}
	if len(c.peers) != h.Size {
		return fmt.Errorf("live: the hub tells where %d ranks are; expected %d", len(c.peers), h.Size)
	}
	for i := range c.peers {
		c.peers[i].Address = c.reach(c.peers[i].Address)
	}
	return nil
}

// attach lets failures be told to the ranks of a group.
func (c *control) attach(job *region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.job = job
	if c.verdict.failure.cause != 0 {
		job.fail(c.verdict.failure)
	}
}

// close hangs up.
func (c *control) close() {
	c.stop()
	c.line.conn.Close()
	c.tasks.Wait()
}

func (c *control) reason() failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.verdict.failure
}

// standing says what all ranks do, for a job that is stuck.
func (c *control) standing() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.verdict.standing
}

// listen does what the hub says, until it goes.
func (c *control) listen() {
	for {
		said, err := c.line.receive()
		if err != nil {
			c.fail(verdict{failure: failure{cause: gone, rank: c.hub}})
			return
		}
		c.take(said)
	}
}

func (c *control) take(said message) {
	switch {
	case said.Peers != nil:
		c.hubProcess.Store(&said.Hub)
		c.come <- said.Peers
	case said.Failure != 0:
		c.fail(verdict{decodeFailure(said.Failure), said.Standing})
	case said.Ended:
		c.finish()
	case said.Ask != 0:
		c.ask(said.Ask)
	case said.Here:
		c.confirm()
	}
}

// confirm tells the hub that the rank is there, though another one has lost the connection with
// it; but not if its group knows that the job has failed. Then it ends connections as it ends
// itself, and whoever has found out why the job has failed says so to the hub.
func (c *control) confirm() {
	c.mu.Lock()
	knows := c.job != nil && c.job.header.failure.Load() != 0
	c.mu.Unlock()
	if !knows {
		c.line.send(message{Here: true})
	}
}

// fail lets the ranks of the group know that the job has failed, unless it has failed
// before or is done.
func (c *control) fail(v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || c.verdict.failure.cause != 0 {
		return
	}
	c.verdict = v
	close(c.failed)
	if c.job != nil {
		c.job.fail(v.failure)
	}
}

// finish lets the ranks of the group know that the job is done.
func (c *control) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	if c.job != nil {
		c.job.header.allEnded.Store(1)
		c.job.wakeAll()
	}
}

// ask asks this rank whether it is quiet; watch sends the answer.
func (c *control) ask(question uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.question, c.wave = question, 0
}

// watch beats, listens for the beats of the hub, and answers its questions.
func (c *control) watch(ctx context.Context) {
	beat := beats(c.bound)
	defer beat.Stop()
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	var hub silence
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			c.answer()
		case <-beat.C:
			c.line.send(message{})
			if hub.tick(c.line.heard.Load(), c.hubIsRunning) {
				c.fail(verdict{failure: failure{silentFor, c.hub, milliseconds(c.bound)}})
			}
		}
	}
}

func (c *control) hubIsRunning() bool {
	p := c.hubProcess.Load()
	return p != nil && p.isRunning()
}

// answer passes the question that is open on to the rank, and answers it if that is
// quiet.
func (c *control) answer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.question == 0 || c.job == nil:
		return
	case c.wave == 0:
		c.wave = c.job.header.probe.Add(1)
		c.job.wake(c.rank)
		return
	}
	activity, isQuiet := c.job.quiet(c.rank, c.wave)
	if !isQuiet {
		return
	}
	state := &c.job.ranks[c.rank]
	c.line.send(message{Quiet: &quiet{
		Question: c.question, Activity: activity, Doing: c.job.doing(c.rank),
		Sent: state.sent.Load(), Received: state.received.Load(),
	}})
	c.question = 0
}

// tell tells the hub of a failure.
func (c *control) tell(f failure) { c.line.send(message{Failure: f.encode()}) }
