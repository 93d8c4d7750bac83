package memory

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// TestErrorsAreMended sends much over links that make many errors, by pushes and by both
// manners of multicast, in either of which packets keep their form or not.
func TestErrorsAreMended(t *testing.T) {
	for _, copies := range []string{"all", "inner"} {
		for _, convert := range []string{"false", "true"} {
			t.Run("copies="+copies+",convert="+convert, func(t *testing.T) {
				c := hosttest.NewCluster(t, "ssscore", "tree:arity=3,levels=2", 2, "conditions.errors", "1e-5", "remote.retry", "2ms", "remote.copies", copies, "remote.convert", convert)
				errorsAreMended(t, c)
				use := modelOf(c).use
				if (use.Converted > 0) != (convert == "true") || (use.Chained > 0) != (copies == "inner") {
					t.Errorf("%d packets of chains are copied, and %d copies go on as chains", use.Converted, use.Chained)
				}
			})
		}
	}
}

func errorsAreMended(t *testing.T, c *host.Cluster) {
	const n = 40_000
	memories := make([][]byte, len(c.Ranks))
	data := bytes.Repeat([]byte("many errors "), n/12)
	hosttest.Run(t, c, func(p rma.Process) error {
		memories[p.Rank()] = make([]byte, 3*len(data))
		segment := p.Expose(memories[p.Rank()])
		if p.Rank() > 0 {
			return nil
		}
		var to, behind []rma.Address
		for r := 1; r < p.Size(); r++ {
			op, err := p.Push(rma.Address{Rank: r, Segment: segment}, data, rma.DMA)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
			to = append(to, rma.Address{Rank: r, Segment: segment, Offset: len(data)})
			behind = append(behind, rma.Address{Rank: r, Segment: segment, Offset: 2 * len(data)})
		}
		m := p.(rma.Multicaster)
		copied, err := m.MulticastPush(to, data, rma.Multicast{By: rma.Hierarchical})
		if err != nil {
			return err
		}
		passed, err := m.MulticastPush(behind, data, rma.Multicast{By: rma.Chain})
		return errors.Join(err, p.Wait(copied), p.Wait(passed))
	})
	for r := 1; r < len(memories); r++ {
		if !bytes.Equal(memories[r], bytes.Repeat(data, 3)) {
			t.Errorf("rank %d does not have what was sent", r)
		}
	}
	if use := modelOf(c).use; use.Corrupt < 10 || use.SentAgain < use.Corrupt/2 {
		t.Errorf("%d packets with wrong bits, %d sent again; want many", use.Corrupt, use.SentAgain)
	}
}

// TestGivingUp lets a link make so many errors that nothing comes through in time.
func TestGivingUp(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2, "conditions.errors", "1e-4", "remote.retry", "100us", "remote.tries", "1", "remote.window", "1")
	err := c.Run(func(p rma.Process) error {
		segment := p.Expose(make([]byte, 1<<20))
		if p.Rank() > 0 {
			return nil
		}
		op, err := p.Push(rma.Address{Rank: 1, Segment: segment}, make([]byte, 1<<20), rma.DMA)
		return errors.Join(err, p.Wait(op))
	})
	if err == nil || !strings.Contains(err.Error(), "1 times without acknowledgement (remote.tries)") {
		t.Errorf("error %v; want one that says that the interface has given up", err)
	}
}

// TestNoErrorsCostNothing compares a run with so few errors that there are none with one
// without any: only the acknowledgements of interfaces are more.
func TestNoErrorsCostNothing(t *testing.T) {
	took := map[string]units.Time{}
	for _, rate := range []string{"0", "1e-18"} {
		complete, _ := hosttest.PushPing(t, hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2, "conditions.errors", rate), 1, 4096, rma.DMA)
		took[rate] = complete
	}
	if more := took["1e-18"] - took["0"]; more < 0 || more > units.Microsecond {
		t.Errorf("with links that can make errors, a push takes %v; without, %v", took["1e-18"], took["0"])
	}
}

// TestLostCopyIsLostBehindIt lets links make errors in packets that nobody acknowledges. What
// a head has not got comes to none of those behind it, and nothing waits for that.
func TestLostCopyIsLostBehindIt(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "tree:arity=4,levels=2", 4, "remote.copies", "inner", "conditions.errors", "1e-5")
	memories := castOnce(t, c, 40_000, rma.Multicast{By: rma.Hierarchical, Unacknowledged: true})
	for head := 4; head < len(memories); head += 4 {
		for r := head + 1; r < head+4; r++ {
			if !bytes.Equal(memories[r], memories[head]) {
				t.Errorf("rank %d has other data than rank %d, which it gets it from", r, head)
			}
		}
	}
	if use := modelOf(c).use; use.Corrupt == 0 {
		t.Error("no errors; want some")
	}
}

// TestAnswersForBranchesGetLost lets links make so many errors that many acknowledgements are
// lost, of hosts that answer for others as well. They answer again when the packet comes
// again.
func TestAnswersForBranchesGetLost(t *testing.T) {
	const n = 3000
	c := hosttest.NewCluster(t, "ssscore", "tree:arity=4,levels=2", 4, "remote.copies", "inner", "conditions.errors", "1e-4", "packet.payload", "128B", "remote.retry", "300us")
	memories := castOnce(t, c, n, rma.Multicast{By: rma.Hierarchical})
	for r := 1; r < len(memories); r++ {
		if !bytes.Equal(memories[r], bytes.Repeat([]byte{7}, n)) {
			t.Errorf("rank %d does not have the data", r)
		}
	}
}
