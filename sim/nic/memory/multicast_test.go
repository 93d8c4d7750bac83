package memory

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
)

// castOnce lets rank 0 write to all others in a manner, and returns the memory of each.
func castOnce(t *testing.T, c *host.Cluster, n int, how rma.Multicast) [][]byte {
	t.Helper()
	memories := make([][]byte, len(c.Ranks))
	hosttest.Run(t, c, func(p rma.Process) error {
		memories[p.Rank()] = make([]byte, n)
		segment := p.Expose(memories[p.Rank()])
		if p.Rank() > 0 {
			return nil
		}
		var to []rma.Address
		for r := 1; r < p.Size(); r++ {
			to = append(to, rma.Address{Rank: r, Segment: segment})
		}
		op, err := p.(rma.Multicaster).MulticastPush(to, bytes.Repeat([]byte{7}, n), how)
		return errors.Join(err, p.Wait(op))
	})
	return memories
}

// multicastBytes lets rank 0 write to all others in a manner, and returns what its link and
// all links together have carried.
func multicastBytes(t *testing.T, how rma.Multicast, n int, set ...string) (first, all int64) {
	t.Helper()
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x8", 2, set...)
	memories := castOnce(t, c, n, how)
	for r := 1; r < len(memories); r++ {
		if memories[r][0] != 7 || memories[r][n-1] != 7 {
			t.Errorf("%+v: rank %d does not have the data", how, r)
		}
	}
	for i, load := range c.Fabric.Carried() {
		bytes := load.Flits * int64(c.Machine.Link.Flit)
		all += bytes
		if i == fabric.InjectionLink(c.Net, 0) {
			first = bytes
		}
	}
	return first, all
}

// TestMulticastLeavesOnce counts bytes on links. The source sends once what switches copy or
// interfaces pass on. By switches each link of the tree carries it once: there are as many
// links as switches but one, and one to each rank, and one from the source. A chain that
// goes from neighbour to neighbour takes at most twice that.
func TestMulticastLeavesOnce(t *testing.T) {
	const n, ranks, switches = 3000, 16, 8
	once, all := multicastBytes(t, rma.Multicast{By: rma.Hierarchical, Unacknowledged: true}, n)
	packet := int64(n + 30 + 2*switches) // the route has an element for each level
	if once != packet || all != packet*(ranks-1+switches-1+1) {
		t.Errorf("copied by switches, the first link carries %d bytes and all %d; want %d and %d", once, all, packet, packet*(ranks+switches-1))
	}
	passed, inChain := multicastBytes(t, rma.Multicast{By: rma.Chain, Unacknowledged: true}, n)
	if list := int64(8 + 2*(ranks-2)); passed != n+30+2+list {
		t.Errorf("in a chain, the first link carries %d bytes; want one packet of %d with a list of %d", passed, n, list)
	}
	turned, byBoth := multicastBytes(t, rma.Multicast{By: rma.Chain, Unacknowledged: true}, n, "remote.convert", "true")
	if copied := packet * (1 + switches - 1 + ranks - 2); turned != passed || byBoth != 2*passed+copied {
		t.Errorf("with a chain that is turned, the first link carries %d bytes and all %d; want %d, as much to its first member, and %d from there", turned, byBoth, passed, copied)
	}
	if inChain <= all || inChain > 2*all {
		t.Errorf("in a chain, links carry %d bytes; copied by switches %d", inChain, all)
	}
}

// TestOneAcknowledgementForMany counts what comes back to the source.
func TestOneAcknowledgementForMany(t *testing.T) {
	for _, how := range []struct {
		by      rma.MulticastMethod
		convert string
	}{{rma.Chain, "false"}, {rma.Chain, "true"}, {rma.Hierarchical, "false"}} {
		c := hosttest.NewCluster(t, "ssscore", "mesh:4x4", 2, "remote.convert", how.convert)
		castOnce(t, c, 8, rma.Multicast{By: how.by})
		got := c.Fabric.Carried()[fabric.EjectionLink(c.Net, 0)].Flits * int64(c.Machine.Link.Flit)
		if least, most := int64(30+6+2), int64(30+6+2*7); got < least || got > most {
			t.Errorf("%+v: %d bytes come back to the source; want one acknowledgement of %d to %d", how, got, least, most)
		}
	}
}

// TestMulticastIsConserved takes one target off the books of a multicast, as if a part of it
// had got lost and been acknowledged all the same. The run fails, and says what is missing where.
func TestMulticastIsConserved(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2)
	err := c.Run(func(p rma.Process) error {
		segment := p.Expose(make([]byte, 8))
		if p.Rank() > 0 {
			return nil
		}
		to := []rma.Address{{Rank: 1, Segment: segment}, {Rank: 2, Segment: segment}, {Rank: 3, Segment: segment}}
		op, err := p.(rma.Multicaster).MulticastPush(to, make([]byte, 8), rma.Multicast{By: rma.Chain})
		for i := range modelOf(c).casts.list {
			for member := range modelOf(c).casts.list[i].targets {
				target := &modelOf(c).casts.list[i].targets[member]
				target.lost = target.at.Rank == 2
			}
		}
		return errors.Join(err, p.Wait(op))
	})
	if want := "a multicast of rank 0 is complete, but 0 of 8 bytes are at rank 2"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v; want one that says %q", err, want)
	}
}
