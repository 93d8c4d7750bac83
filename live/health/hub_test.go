package health

import (
	"musubi/live/livetest"
	"musubi/live/tcp"
	"musubi/live/wire"
	"os"
	"testing"
	"time"
)

// identityOf returns the identity of a rank.
func identityOf(t *testing.T, rank int) *tcp.Identity {
	t.Helper()
	id, _ := livetest.TestIdentity(t, 1, tcp.Party(rank))
	return id
}

// A process of the job that says what cannot be is refused, counted, and harms nobody.
func TestHubRefusesWhatCannotBe(t *testing.T) {
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	h, err := NewHub(id, "127.0.0.1:0", HubConfig{
		Size: 2, Divide: func([]Introduction) []int { return []int{0, 1} },
		Failed: func(v Outcome) { t.Errorf("the job fails with %+v", v.Failure) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	as := func(party tcp.Party, m ControlMessage) *Connection {
		conn, err := identityOf(t, int(party)).Dial(t.Context(), h.Address(), tcp.Hub)
		if err != nil {
			t.Fatal(err)
		}
		l := NewConnection(conn)
		if said, err := l.receive(); err != nil || said.Hub.PID != os.Getpid() {
			t.Errorf("ranks are told %+v, %v first, before they introduce themselves; want the process of the hub", said, err)
		}
		l.Send(m)
		return l
	}
	call := func(m ControlMessage) *Connection {
		if m.Hello == nil {
			return as(1, m)
		}
		return as(tcp.Party(m.Hello.Rank), m)
	}
	introduce := func(rank, size int) ControlMessage {
		return ControlMessage{Hello: &Introduction{Rank: rank, Size: size}}
	}
	first := call(introduce(0, 2))
	defer first.conn.Close()
	for { // until rank 0 is in
		h.mu.Lock()
		here := h.here
		h.mu.Unlock()
		if here == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	bad := []ControlMessage{introduce(0, 2), introduce(2, 2), introduce(-1, 2), introduce(1, 3), {}, {Ended: true}}
	for _, m := range bad {
		l := call(m)
		if said, err := l.receive(); err == nil {
			t.Errorf("%+v is answered with %+v, want an end", m, said)
		}
		l.conn.Close()
	}
	livetest.AwaitRefusals(t, h.Gate, tcp.BadHello, len(bad))
	impostor := as(0, introduce(1, 2))
	if said, err := impostor.receive(); err == nil {
		t.Errorf("rank 0 introduces itself as rank 1, and is answered with %+v; want an end", said)
	}
	impostor.conn.Close()
	for h.Gate.Refused()[tcp.AnotherParty.String()] == 0 { // if it never is, the test ends by its timeout
		time.Sleep(time.Millisecond)
	}
	second := call(introduce(1, 2))
	defer second.conn.Close()
	for _, l := range []*Connection{first, second} {
		if said, err := l.receive(); err != nil || len(said.Peers) != 2 {
			t.Errorf("ranks are told %+v, %v; want where both are", said, err)
		}
	}
	first.Send(ControlMessage{Ended: true})
	second.Send(ControlMessage{Ended: true})
	for _, l := range []*Connection{first, second} {
		for {
			said, err := l.receive()
			if err != nil {
				t.Fatal("ranks are not told that all have ended:", err)
			}
			if said.Ended {
				break
			}
		}
	}
}

// Nobody speaks for other ranks, or names one that there is not.
func TestFailuresThatMembersTellOf(t *testing.T) {
	m := &member{Introduction: Introduction{Rank: 1}}
	for _, c := range []struct{ told, want Failure }{
		{Failure{Cause: Returned, Rank: 1}, Failure{Cause: Returned, Rank: 1}},
		{Failure{Cause: Returned, Rank: 2}, Failure{Cause: Returned, Rank: 1}},
		{Failure{Cause: gone, Rank: wire.NoRank}, Failure{Cause: gone, Rank: 1}},
		{Failure{Cut, 2, 1}, Failure{Cut, 2, 1}},
		{Failure{Cut, 2, 0}, Failure{Cut, 2, 1}},
		{Failure{Rejected, 4, -9}, Failure{Rejected, 1, 1}},
	} {
		if got := m.attest(c.told, 4); got != c.want {
			t.Errorf("rank 1 tells of %+v, which is taken for %+v; want %+v", c.told, got, c.want)
		}
	}
}
