package health

import (
	"context"
	"fmt"
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/tuning"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Control is the connection of a rank to the hub, which is served by goroutines of its
// own: so a rank that computes is known to live, and learns of failures.
type Control struct {
	connection *Connection
	rank       int
	bound      time.Duration
	hubHost    string
	hub        int                      // rank that has the hub; noRank: the launcher
	hubProcess atomic.Pointer[tcp.Peer] // nil until it says so
	stop       context.CancelFunc
	tasks      sync.WaitGroup
	Peers      []tcp.Peer    // all ranks, from enter on
	Tuning     tuning.Choice // by which they choose, if nobody has started them who tells; from enter on
	come       chan []tcp.Peer
	introduced chan struct{} // closed when the hub knows who this is: the first that it must hear
	failed     chan struct{} // closed when the job has failed

	mu       sync.Mutex
	done     bool // the programs of all ranks are done, or this rank has hung up
	outcome  Outcome
	job      *shm.Region // nil until attach
	question uint64      // that is open; 0 if none is
	wave     uint64      // of it, in the memory of the group; 0 as long as it has none
}

// HubAt is where the hub of a rank is.
type HubAt struct {
	Rank    int // that is to have a connection to it
	Address string
	Host    int           // rank in whose process the hub is; noRank: in the launcher
	Bound   time.Duration // how long it may be silent; 0: for ever
}

// CallHub connects a rank to the hub.
func CallHub(ctx context.Context, id *tcp.Identity, at HubAt) (*Control, error) {
	conn, err := id.Dial(ctx, at.Address, tcp.Hub)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(at.Address)
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("live: address of the hub: %w", err)
	}
	serving, stop := context.WithCancel(context.Background())
	c := &Control{
		connection: NewConnection(conn), rank: at.Rank, bound: at.Bound, hub: at.Host, hubHost: host, stop: stop,
		come: make(chan []tcp.Peer, 1), introduced: make(chan struct{}), failed: make(chan struct{}),
	}
	c.tasks.Go(c.listen)
	c.tasks.Go(func() {
		select {
		case <-c.introduced:
			c.watch(serving)
		case <-serving.Done():
		}
	})
	return c, nil
}

// Address returns the address at which the rank is to listen for others: that by which it
// reaches the hub. If that is on the same host, and may be reached from others, all.
func (c *Control) Address() string {
	if isUnspecified(c.hubHost) {
		return ""
	}
	host, _, _ := net.SplitHostPort(c.connection.conn.LocalAddr().String())
	if hub := net.ParseIP(c.hubHost); net.ParseIP(host).IsLoopback() && (hub == nil || !hub.IsLoopback()) {
		return ""
	}
	return host
}

// reach returns the address of another rank as this one can use it: ranks that listen at
// all addresses are on the host of the hub.
func (c *Control) reach(address string) string {
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

// Enter introduces the rank, and waits until all are there.
func (c *Control) Enter(h Introduction) error {
	c.connection.Send(ControlMessage{Hello: &h})
	close(c.introduced)
	select {
	case c.Peers = <-c.come:
	case <-c.failed:
		return fmt.Errorf("live: %s", c.reason().Sentence(func(rank int) string { return wire.RankOn(rank, "") }))
	}
	if len(c.Peers) != h.Size {
		return fmt.Errorf("live: the hub tells where %d ranks are; expected %d", len(c.Peers), h.Size)
	}
	for i := range c.Peers {
		c.Peers[i].Address = c.reach(c.Peers[i].Address)
	}
	return nil
}

// Attach lets failures be told to the ranks of a group.
func (c *Control) Attach(job *shm.Region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.job = job
	if c.outcome.Failure.Cause != 0 {
		job.Fail(c.outcome.Failure.Encode())
	}
}

// Close hangs up. That is no failure of the job: a rank may have learned from its group that all
// are done, before the hub has told it here, while others of the group still look.
func (c *Control) Close() {
	c.mu.Lock()
	c.done = true
	c.mu.Unlock()
	c.stop()
	c.connection.conn.Close()
	c.tasks.Wait()
}

func (c *Control) reason() Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outcome.Failure
}

// Standing says what all ranks do, for a job that is stuck.
func (c *Control) Standing() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outcome.standing
}

// listen does what the hub says, until it goes.
func (c *Control) listen() {
	for {
		said, err := c.connection.receive()
		if err != nil {
			c.fail(Outcome{Failure: Failure{Cause: gone, Rank: c.hub}})
			return
		}
		c.take(said)
	}
}

func (c *Control) take(said ControlMessage) {
	switch {
	case said.Hub.PID != 0:
		c.hubProcess.Store(&said.Hub)
	case said.Peers != nil:
		c.Tuning = said.Tuning // read after come
		c.come <- said.Peers
	case said.Failure != 0:
		c.fail(Outcome{DecodeFailure(said.Failure), said.Standing})
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
func (c *Control) confirm() {
	c.mu.Lock()
	knows := c.job != nil && c.job.Header.Failure.Load() != 0
	c.mu.Unlock()
	if !knows {
		c.connection.Send(ControlMessage{Here: true})
	}
}

// fail lets the ranks of the group know that the job has failed, unless it has failed
// before or is done.
func (c *Control) fail(v Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || c.outcome.Failure.Cause != 0 {
		return
	}
	c.outcome = v
	close(c.failed)
	if c.job != nil {
		c.job.Fail(v.Failure.Encode())
	}
}

// finish lets the ranks of the group know that the job is done.
func (c *Control) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	if c.job != nil {
		c.job.Header.AllEnded.Store(1)
		c.job.WakeAll()
	}
}

// ask asks this rank whether it is quiet; watch sends the answer.
func (c *Control) ask(question uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.question, c.wave = question, 0
}

// watch sends heartbeats, listens for those of the hub, and answers its questions.
func (c *Control) watch(ctx context.Context) {
	ticker := wire.Heartbeats(c.bound)
	defer ticker.Stop()
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	var hub silence
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			c.answer()
		case <-ticker.C:
			c.connection.Send(ControlMessage{})
			if hub.tick(c.connection.heard.Load(), c.hubIsThere) {
				c.fail(Outcome{Failure: Failure{SilentFor, c.hub, milliseconds(c.bound)}})
			}
		}
	}
}

// hubIsThere reports whether the hub is slow rather than gone, or this rank slow to hear it.
func (c *Control) hubIsThere() bool {
	p := c.hubProcess.Load()
	return c.connection.hasUnread() || p != nil && isPeerRunning(*p)
}

// answer passes the question that is open on to the rank, and answers it if that is
// quiet.
func (c *Control) answer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.question == 0 || c.job == nil:
		return
	case c.wave == 0:
		c.wave = c.job.Header.Probe.Add(1)
		c.job.Wake(c.rank)
		return
	}
	activity, isQuiet := c.job.Quiet(c.rank, c.wave)
	if !isQuiet {
		return
	}
	state := &c.job.Ranks[c.rank]
	c.connection.Send(ControlMessage{Quiet: &quiet{
		Question: c.question, Activity: activity, Doing: c.job.Doing(c.rank),
		Sent: state.Sent.Load(), Received: state.Received.Load(),
	}})
	c.question = 0
}

// Tell tells the hub of a failure.
func (c *Control) Tell(f Failure) { c.connection.Send(ControlMessage{Failure: f.Encode()}) }

// TellEnd tells the hub that the program of the rank is done.
func (c *Control) TellEnd() { c.connection.Send(ControlMessage{Ended: true}) }
