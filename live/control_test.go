package live

import (
	"net"
	"testing"
	"time"
)

// A rank that ends as one of its group has failed loses its connections, of which others may
// hear before the hub hears of the failure. That counts all the same.
func TestRanksThatEndSinceAnotherHasFailed(t *testing.T) {
	t.Parallel()
	const size, other, failing, ending = 3, 0, 1, 2
	id, _ := testIdentity(t, 1)
	judged := make(chan failure, 1)
	h, err := newHub(id, "127.0.0.1:0", hubConfig{
		size: size, bound: time.Hour, divide: func([]introduction) []int { return []int{0, 1, 1} },
		failed: func(v verdict) { judged <- v.failure },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	var members []*line
	for rank := range ending {
		conn, err := id.dial(t.Context(), h.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		members = append(members, newLine(conn))
		members[rank].send(message{Hello: &introduction{Rank: rank, Size: size, Watched: true}})
	}
	c, err := callHub(t.Context(), id, spec{Rank: ending, Size: size, Hub: h.Address(), HubOf: noRank, Bound: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	self := peer{Address: net.JoinHostPort("127.0.0.1", "1")}
	if err := c.enter(introduction{Rank: ending, Size: size, Peer: self, Watched: true}); err != nil {
		t.Fatal(err)
	}
	job, err := variant{ringBytes: 1 << 10}.regionFor(size, []int{failing, ending})
	if err != nil {
		t.Fatal(err)
	}
	c.attach(job)
	want := failure{cause: returned, rank: failing}
	job.fail(want)
	members[other].send(message{Failure: failure{cause: cut, rank: ending}.encode()})
	time.Sleep(2 * partingTime)
	members[failing].send(message{Failure: want.encode()})
	if got := <-judged; got != want {
		t.Errorf("the job fails with %+v, want %+v", got, want)
	}
}
