package health

import (
	"context"
	"errors"
	"fmt"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/tuning"
	"net"
	"os"
	"sync"
	"time"
)

// Hub brings the ranks of a job together and keeps watch over them, where they do not
// all share memory with one parent. Each rank has a connection to it: it says where it
// is, learns where all others are, and is told when the job has failed or is done.
type Hub struct {
	HubConfig
	Gate     *tcp.Acceptor
	identity *tcp.Identity
	stop     context.CancelFunc
	running  context.Context // until Close
	tasks    sync.WaitGroup  // all goroutines but those of the acceptor

	mu      sync.Mutex
	closed  bool
	members []*member // by rank; nil until it has come
	here    int       // members that have come
	absent  int       // rank that will not; noRank if none is known
	ended   int       // members whose program is done
	outcome Outcome
	waves   waves
}

// HubConfig says what a hub is to do.
type HubConfig struct {
	Size   int
	Bound  time.Duration              // how long a rank may be silent; 0: for ever
	Limit  time.Duration              // how long ranks may take to come; 0: for ever
	Divide func([]Introduction) []int // returns the group of each rank
	Tuning tuning.Choice              // by which ranks choose algorithms whom nobody else tells
	Failed func(Outcome)              // is told if the job fails
}

// member is a rank as the hub sees it. What can change is protected by the hub's lock.
type member struct {
	connection *Connection
	out        outbox
	Introduction
	ended   bool
	gone    bool
	silence silence // of whoever watches
	// suspicion is that its connection with another one is lost, as that one says; without
	// a cause there is none.
	suspicion Failure
}

// NewHub opens a hub at an address.
func NewHub(id *tcp.Identity, address string, cfg HubConfig) (*Hub, error) {
	ctx, stop := context.WithCancel(context.Background())
	h := &Hub{HubConfig: cfg, identity: id, stop: stop, running: ctx, members: make([]*member, cfg.Size), absent: wire.NoRank}
	h.waves.answers = make([]*quiet, cfg.Size)
	var err error
	if h.Gate, err = id.Listen(address, h.admit); err != nil {
		stop()
		return nil, err
	}
	h.tasks.Go(func() { h.watch(ctx) })
	return h, nil
}

// Address is where ranks find the hub.
func (h *Hub) Address() string { return h.Gate.Address() }

// closing is how long a hub that is to close waits for ranks to go by themselves, so that
// they learn what it has told them last.
const closing = time.Second

// Close ends the hub.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	members := h.present()
	h.mu.Unlock()
	h.stop()
	h.Gate.Close()
	late := time.AfterFunc(closing, func() {
		for _, m := range members {
			m.connection.conn.Close()
		}
	})
	h.tasks.Wait()
	late.Stop()
}

// present returns the members that are there. The lock is held.
func (h *Hub) present() []*member {
	var list []*member
	for _, m := range h.members {
		if m != nil && !m.gone {
			list = append(list, m)
		}
	}
	return list
}

// tell sends a message to all members. The lock is held, so that all get messages in
// the same order.
func (h *Hub) tell(m ControlMessage) {
	for _, to := range h.present() {
		to.out.post(m)
	}
}

// introduction is how long a process that has proved that it is a rank may take to introduce itself. It may
// share its processor with hundreds that start as well.
const introduction = time.Minute

// admit takes in a process of the job that introduces itself as a rank. The hub speaks first: on a host
// that has too much to do it may be long until the rank is entered, and meanwhile the rank knows by that
// which process it is that says nothing.
func (h *Hub) admit(conn net.Conn) error {
	connection := NewConnection(conn)
	m := &member{connection: connection, out: outbox{connection: connection, tasks: &h.tasks}}
	connection.Send(ControlMessage{Hub: tcp.Peer{Node: Node(), PID: os.Getpid()}})
	if err := conn.SetReadDeadline(time.Now().Add(introduction)); err != nil {
		return err
	}
	first, err := m.connection.receive()
	if err != nil {
		return err
	}
	if first.Hello == nil {
		return errors.New("no introduction; expected one first")
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	m.Introduction = *first.Hello
	if err := h.identity.CheckRank(conn, m.Rank); err != nil {
		return err
	}
	return h.enter(m)
}

// enter enters a member. When all have come they are told of each other.
func (h *Hub) enter(m *member) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	rank := m.Rank
	switch {
	case h.closed:
		return fmt.Errorf("the job has ended: %w", net.ErrClosed)
	case m.Size != h.Size:
		return fmt.Errorf("a rank of a job of %d; expected one of %d", m.Size, h.Size)
	case rank < 0 || rank >= h.Size:
		return fmt.Errorf("rank %d; expected one from 0 to %d", rank, h.Size-1)
	case h.members[rank] != nil:
		return fmt.Errorf("rank %d has come before, from %s", rank, h.members[rank].connection.conn.RemoteAddr())
	}
	h.members[rank] = m
	h.here++
	h.tasks.Go(func() { h.serve(m) })
	if h.outcome.Failure.Cause != 0 {
		m.out.post(h.outcome.message())
	}
	if h.here == h.Size {
		h.tell(ControlMessage{Peers: h.directory(), Tuning: h.Tuning})
	}
	h.miss()
	return nil
}

// Lack tells that a rank will not come, as its process has ended well. That is a failure
// if others come.
func (h *Hub) Lack(rank int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.absent = rank
	h.miss()
}

// miss fails the job if some ranks have come and another will not. The lock is held.
func (h *Hub) miss() {
	if v := (Outcome{Failure: Failure{Cause: missing, Rank: h.absent}}); h.here > 0 && h.absent != wire.NoRank {
		h.tasks.Go(func() { h.Fail(v) })
	}
}

// directory returns where all ranks are. Hosts are named only if there are several. The
// lock is held.
func (h *Hub) directory() []tcp.Peer {
	told := make([]Introduction, h.Size)
	peers := make([]tcp.Peer, h.Size)
	several := false
	for rank, m := range h.members {
		told[rank], peers[rank] = m.Introduction, m.Peer
		several = several || m.Peer.Host != peers[0].Host
	}
	for rank, group := range h.Divide(told) {
		peers[rank].Group = group
		if !several {
			peers[rank].Host = ""
		}
	}
	return peers
}

// serve listens to a member until it goes.
func (h *Hub) serve(m *member) {
	defer m.connection.conn.Close()
	for {
		said, err := m.connection.receive()
		if err != nil {
			h.left(m)
			return
		}
		h.take(m, said)
	}
}

// take does what a member says.
func (h *Hub) take(m *member, said ControlMessage) {
	switch {
	case said.Failure != 0:
		h.hear(m.attest(DecodeFailure(said.Failure), h.Size))
	case said.Here:
		h.confirm(m)
	case said.Ended:
		h.end(m)
	case said.Quiet != nil:
		h.answer(m, said.Quiet)
	}
}

// isThere reports whether the member is slow rather than gone, or the hub slow to hear it.
func (m *member) isThere() bool { return m.connection.hasUnread() || isPeerRunning(m.Peer) }

// attest returns a failure of a job of some ranks that the member tells of: nobody speaks
// for others.
func (m *member) attest(f Failure, ranks int) Failure {
	isOfTwo := f.Cause == Cut || f.Cause == Rejected
	if isOfTwo {
		f.Status = m.Rank
	}
	if !isOfTwo || f.Rank >= ranks {
		f.Rank = m.Rank
	}
	return f
}

// end notes that the program of a member is done, and tells all when all are.
func (h *Hub) end(m *member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.ended {
		return
	}
	m.ended = true
	if h.ended++; h.ended == h.Size {
		h.tell(ControlMessage{Ended: true})
	}
}
