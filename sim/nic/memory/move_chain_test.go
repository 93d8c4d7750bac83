package memory

import (
	"bytes"
	"errors"
	"strconv"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
)

// TestChainStaysInOrderWhileMembersMove lets a member of a chain move from a host whose way to
// the next member is full to one whose way there is free. Packets that it would pass on from
// there must not overtake those before them.
//
//	rank 0, rank 1 ... A --- B ... ranks 3 and 4, which fill B - D
//	                   |     |
//	  rank 1 later ... C --- D ... rank 2, rank 5
func TestChainStaysInOrderWhileMembersMove(t *testing.T) {
	const (
		hosts = 3 // at each switch
		n     = 200_000
	)
	cfg := hosttest.NewCluster(t, "ssscore", "mesh:2x2", hosts, "switch.buffer", "64KiB", "sram.receive", "24KiB", "sram.send", "24KiB", "sram.reserve", "10KiB",
		"os.migrate", "5us", "os.interrupt", "1us", "os.access", "1us").Config
	a, d := 0, 3
	path, _ := cfg.Routes.Path(a*hosts, d*hosts)
	b := cfg.Net.To(path[0].Channel()).Switch
	c := 3 - b
	cfg.Hosts = []int{a * hosts, a*hosts + 1, d * hosts, b * hosts, b*hosts + 1, d*hosts + 1}
	for _, at := range []string{"1ms", "2ms", "3ms"} {
		if err := cfg.Machine.Set("conditions.migrations", "1@"+at+":"+strconv.Itoa(c*hosts)); err != nil {
			t.Fatal(err)
		}
		cluster, err := host.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		memories := make([][]byte, len(cfg.Hosts))
		data := bytes.Repeat([]byte("in order"), n/8)
		hosttest.Run(t, cluster, func(p rma.Process) error {
			memories[p.Rank()] = make([]byte, 2*n)
			segment := p.Expose(memories[p.Rank()])
			switch p.Rank() {
			case 0:
				to := []rma.Address{{Rank: 1, Segment: segment}, {Rank: 2, Segment: segment}}
				op, err := p.(rma.Multicaster).MulticastPush(to, data, rma.Multicast{By: rma.Chain})
				return errors.Join(err, p.Wait(op))
			case 1:
				return p.WaitUntil(func() bool { return memories[1][n-1] == data[n-1] })
			case 3, 4:
				op, err := p.Push(rma.Address{Rank: 5, Segment: segment}, make([]byte, 2*n), rma.DMA)
				return errors.Join(err, p.Wait(op))
			}
			return nil
		})
		for r := 1; r <= 2; r++ {
			if !bytes.Equal(memories[r][:n], data) {
				t.Errorf("rank 1 moves at %s: rank %d does not have the data", at, r)
			}
		}
		if use := modelOf(cluster).use; use.Migrations != 1 || use.Forwarded == 0 {
			t.Errorf("rank 1 moves at %s: %d migrations, %d accesses sent on; want one in the midst of the multicast", at, use.Migrations, use.Forwarded)
		}
	}
}
