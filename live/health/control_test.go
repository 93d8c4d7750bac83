package health

import (
	"musubi/live/livetest"
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
	"net"
	"testing"
	"time"
)

// A rank that ends as one of its group has failed loses its connections, of which others may
// hear before the hub hears of the failure. That counts all the same.
func TestRanksThatEndSinceAnotherHasFailed(t *testing.T) {
	t.Parallel()
	const size, other, failing, ending = 3, 0, 1, 2
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	told := make(chan Failure, 1)
	h, err := NewHub(id, "127.0.0.1:0", HubConfig{
		Size: size, Bound: time.Hour, Divide: func([]Introduction) []int { return []int{0, 1, 1} },
		Failed: func(v Outcome) { told <- v.Failure },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	var members []*Connection
	for rank := range ending {
		conn, err := identityOf(t, rank).Dial(t.Context(), h.Address(), tcp.Hub)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		members = append(members, NewConnection(conn))
		members[rank].Send(ControlMessage{Hello: &Introduction{Rank: rank, Size: size, Watched: true}})
	}
	c, err := CallHub(t.Context(), identityOf(t, ending), HubAt{ending, h.Address(), wire.NoRank, time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	self := tcp.Peer{Address: net.JoinHostPort("127.0.0.1", "1")}
	if err := c.Enter(Introduction{Rank: ending, Size: size, Peer: self, Watched: true}); err != nil {
		t.Fatal(err)
	}
	_, job, err := shm.NewRegion(size, []int{failing, ending}, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	c.Attach(job)
	want := Failure{Cause: Returned, Rank: failing}
	job.Fail(want.Encode())
	members[other].Send(ControlMessage{Failure: Failure{Cause: Cut, Rank: ending}.Encode()})
	time.Sleep(2 * PartingTime)
	members[failing].Send(ControlMessage{Failure: want.Encode()})
	if got := <-told; got != want {
		t.Errorf("the job fails with %+v, want %+v", got, want)
	}
}

// callOwnHub connects the only rank of a job to its hub, which may be silent for as long as bound.
func callOwnHub(t *testing.T, bound time.Duration) *Control {
	t.Helper()
	id, _ := livetest.TestIdentity(t, 1, tcp.Hub)
	h, err := NewHub(id, "127.0.0.1:0", HubConfig{
		Size: 1, Bound: time.Hour, Divide: func([]Introduction) []int { return []int{0} }, Failed: func(Outcome) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	c, err := CallHub(t.Context(), identityOf(t, 0), HubAt{0, h.Address(), wire.NoRank, bound})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A rank that takes long to open its own door, as it has few processors, introduces itself late and
// says nothing before: the hub takes what it hears first for who it is.
func TestRanksThatIntroduceThemselvesLate(t *testing.T) {
	t.Parallel()
	c := callOwnHub(t, LeastBound)
	t.Cleanup(c.Close)
	time.Sleep(2 * LeastBound)
	if err := c.Enter(Introduction{Rank: 0, Size: 1, Peer: tcp.Peer{Address: "127.0.0.1:1"}}); err != nil {
		t.Error(err)
	}
}

// A rank that learns from its group that all are done may hang up before the hub has told it here.
// The others of the group must not take that for a failure.
func TestHangingUpIsNoFailure(t *testing.T) {
	t.Parallel()
	c := callOwnHub(t, time.Hour)
	if err := c.Enter(Introduction{Rank: 0, Size: 1, Peer: tcp.Peer{Address: "127.0.0.1:1"}}); err != nil {
		t.Fatal(err)
	}
	_, job, err := shm.NewRegion(1, nil, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	c.Attach(job)
	c.Close()
	if word := job.Header.Failure.Load(); word != 0 {
		t.Errorf("the job fails with %+v as the rank hangs up, want no failure", DecodeFailure(word))
	}
}
