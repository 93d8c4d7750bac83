package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// hub brings the ranks of a job together and keeps watch over them, where they do not
// all share memory with one parent. Each rank has a connection to it: it says where it
// is, learns where all others are, and is told when the job has failed or is done.
type hub struct {
	hubConfig
	gate    *gate
	stop    context.CancelFunc
	stopped <-chan struct{}
	tasks   sync.WaitGroup // all goroutines but those of the gate

	mu      sync.Mutex
	closed  bool
	members []*member // by rank; nil until it has come
	here    int       // members that have come
	absent  int       // rank that will not; noRank if none is known
	ended   int       // members whose program is done
	verdict verdict
	waves   waves
}

// hubConfig says what a hub is to do.
type hubConfig struct {
	size   int
	bound  time.Duration              // how long a rank may be silent; 0: for ever
	limit  time.Duration              // how long ranks may take to come; 0: for ever
	divide func([]introduction) []int // returns the group of each rank
	failed func(verdict)              // is told if the job fails
}

// member is a rank as the hub sees it. What can change is protected by the hub's lock.
type member struct {
	line *line
	introduction
	ended   bool
	gone    bool
	silence silence
	// suspicion is that its connection with another one is lost, as that one says; without
	// a cause there is none.
	suspicion failure
}

// newHub opens a hub at an address.
func newHub(id *identity, address string, cfg hubConfig) (*hub, error) {
	ctx, stop := context.WithCancel(context.Background())
	h := &hub{hubConfig: cfg, stop: stop, stopped: ctx.Done(), members: make([]*member, cfg.size), absent: noRank}
	h.waves.answers = make([]*quiet, cfg.size)
	var err error
	if h.gate, err = id.listen(address, h.admit); err != nil {
		stop()
		return nil, err
	}
	h.tasks.Go(func() { h.watch(ctx) })
	return h, nil
}

// Address is where ranks find the hub.
func (h *hub) Address() string { return h.gate.Address() }

// closing is how long a hub that is to close waits for ranks to go by themselves, so that
// they learn what it has told them last.
const closing = time.Second

// close ends the hub.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	members := h.present()
	h.mu.Unlock()
	h.stop()
	h.gate.Close()
	late := time.AfterFunc(closing, func() {
		for _, m := range members {
			m.line.conn.Close()
		}
	})
	h.tasks.Wait()
	late.Stop()
}

// present returns the members that are there. The lock is held.
func (h *hub) present() []*member {
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
func (h *hub) tell(m message) {
	for _, to := range h.present() {
		to.line.send(m)
	}
}

// admit takes in a process of the job that introduces itself as a rank.
func (h *hub) admit(conn net.Conn) error {
	m := &member{line: newLine(conn)}
	if err := conn.SetReadDeadline(time.Now().Add(usualPatience)); err != nil {
		return err
	}
	first, err := m.line.receive()
	if err != nil {
		return err
	}
	if first.Hello == nil {
		return errors.New("no introduction; expected one first")
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	m.introduction = *first.Hello
	return h.enter(m)
}

// enter enters a member. When all have come they are told of each other.
func (h *hub) enter(m *member) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	rank := m.Rank
	switch {
	case h.closed:
		return fmt.Errorf("the job has ended: %w", net.ErrClosed)
	case m.Size != h.size:
		return fmt.Errorf("a rank of a job of %d; expected one of %d", m.Size, h.size)
	case rank < 0 || rank >= h.size:
		return fmt.Errorf("rank %d; expected one from 0 to %d", rank, h.size-1)
	case h.members[rank] != nil:
		return fmt.Errorf("rank %d has come before, from %s", rank, h.members[rank].line.conn.RemoteAddr())
	}
	h.members[rank] = m
	h.here++
	h.tasks.Go(func() { h.serve(m) })
	if h.verdict.failure.cause != 0 {
		m.line.send(h.verdict.message())
	}
	if h.here == h.size {
		h.tell(message{Peers: h.directory(), Hub: peer{Node: node(), PID: os.Getpid()}})
	}
	h.miss()
	return nil
}

// lack tells that a rank will not come, as its process has ended well. That is a failure
// if others come.
func (h *hub) lack(rank int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.absent = rank
	h.miss()
}

// miss fails the job if some ranks have come and another will not. The lock is held.
func (h *hub) miss() {
	if v := (verdict{failure: failure{cause: missing, rank: h.absent}}); h.here > 0 && h.absent != noRank {
		h.tasks.Go(func() { h.fail(v) })
	}
}

// directory returns where all ranks are. Hosts are named only if there are several. The
// lock is held.
func (h *hub) directory() []peer {
	told := make([]introduction, h.size)
	peers := make([]peer, h.size)
	several := false
	for rank, m := range h.members {
		told[rank], peers[rank] = m.introduction, m.Peer
		several = several || m.Peer.Host != peers[0].Host
	}
	for rank, group := range h.divide(told) {
		peers[rank].Group = group
		if !several {
			peers[rank].Host = ""
		}
	}
	return peers
}

// serve listens to a member until it goes.
func (h *hub) serve(m *member) {
	defer m.line.conn.Close()
	for {
		said, err := m.line.receive()
		if err != nil {
			h.left(m)
			return
		}
		h.take(m, said)
	}
}

// take does what a member says.
func (h *hub) take(m *member, said message) {
	switch {
	case said.Failure != 0:
		h.hear(m.attest(decodeFailure(said.Failure), h.size))
	case said.Here:
		h.confirm(m)
	case said.Ended:
		h.end(m)
	case said.Quiet != nil:
		h.answer(m, said.Quiet)
	}
}

// attest returns a failure of a job of some ranks that the member tells of: nobody speaks
// for others.
func (m *member) attest(f failure, ranks int) failure {
	isOfTwo := f.cause == cut || f.cause == rejected
	if isOfTwo {
		f.status = m.Rank
	}
	if !isOfTwo || f.rank >= ranks {
		f.rank = m.Rank
	}
	return f
}

// end notes that the program of a member is done, and tells all when all are.
func (h *hub) end(m *member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.ended {
		return
	}
	m.ended = true
	if h.ended++; h.ended == h.size {
		h.tell(message{Ended: true})
	}
}
