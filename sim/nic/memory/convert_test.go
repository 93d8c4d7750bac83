package memory

import (
	"bytes"
	"errors"
	"testing"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// castTimes lets rank 0 write to all others in a manner, when routes are known, and returns
// for how long until that is complete, and until each of the others notices.
func castTimes(t *testing.T, by rma.MulticastMethod, n int, set ...string) (complete units.Time, noticed []units.Time) {
	t.Helper()
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x1", 8, append(set, "link.rate", "100MB/s")...)
	noticed = make([]units.Time, len(c.Ranks))
	var begun units.Time
	hosttest.Run(t, c, func(p rma.Process) error {
		memory := make([]byte, n)
		segment := p.Expose(memory)
		if p.Rank() > 0 {
			err := p.WaitUntil(func() bool { return memory[n-1] == 2 })
			noticed[p.Rank()] = p.Now()
			return err
		}
		var to []rma.Address
		for r := 1; r < p.Size(); r++ {
			to = append(to, rma.Address{Rank: r, Segment: segment})
		}
		for _, value := range []byte{1, 2} {
			p.Compute(units.Millisecond)
			begun = p.Now()
			op, err := p.(rma.Multicaster).MulticastPush(to, bytes.Repeat([]byte{value}, n), rma.Multicast{By: by})
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
			complete = p.Now() - begun
		}
		return nil
	})
	for r := range noticed {
		noticed[r] -= begun
	}
	return complete, noticed
}

// TestConvertedChainReachesAllAtOnce compares a chain with one that switches copy behind its
// first member. That has it at the same time; the others have it when the second member of a
// chain would, and sooner by what tally and list take on the link, at 100 MB/s.
func TestConvertedChainReachesAllAtOnce(t *testing.T) {
	const n = 3000
	passed, inChain := castTimes(t, rma.Chain, n)
	converted, atOnce := castTimes(t, rma.Chain, n, "remote.convert", "true")
	copied, _ := castTimes(t, rma.Hierarchical, n)
	if atOnce[1] != inChain[1] {
		t.Errorf("the first member has it after %v; in a chain after %v", atOnce[1], inChain[1])
	}
	list := units.Time(6 + 2 + 2*(len(inChain)-3))
	for r := 2; r < len(atOnce); r++ {
		if want := inChain[2] - list*10*units.Nanosecond; atOnce[r] != want {
			t.Errorf("rank %d has it after %v, want %v", r, atOnce[r], want)
		}
	}
	if converted <= copied || converted >= passed {
		t.Errorf("complete after %v; want more than by switches alone, %v, and less than in a chain, %v", converted, copied, passed)
	}
}

// TestChainsThatAreNotConverted lets a chain go to another address at its last member, or only
// to two members: both stay chains.
func TestChainsThatAreNotConverted(t *testing.T) {
	for _, test := range []struct {
		name  string
		ranks int // that it goes to
		last  int // offset at the last one
		want  int64
	}{{"one address", 3, 0, 1}, {"two addresses", 3, 8, 0}, {"two members", 2, 0, 0}, {"one member", 1, 0, 0}} {
		c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2, "remote.convert", "true")
		memories := make([][]byte, len(c.Ranks))
		hosttest.Run(t, c, func(p rma.Process) error {
			memories[p.Rank()] = make([]byte, 16)
			segment := p.Expose(memories[p.Rank()])
			if p.Rank() > 0 {
				return nil
			}
			var to []rma.Address
			for r := range test.ranks {
				to = append(to, rma.Address{Rank: r + 1, Segment: segment})
			}
			to[test.ranks-1].Offset = test.last
			op, err := p.(rma.Multicaster).MulticastPush(to, []byte("to many!"), rma.Multicast{By: rma.Chain})
			return errors.Join(err, p.Wait(op))
		})
		if got := modelOf(c).use.Converted; got != test.want {
			t.Errorf("%s: %d chains are converted, want %d", test.name, got, test.want)
		}
		if last := memories[test.ranks]; string(last[test.last:][:8]) != "to many!" {
			t.Errorf("%s: the last member has %q", test.name, last)
		}
	}
}

// TestMulticastMeetsTwoAtOneHost lets rank 3 move to where rank 2 has been. Who has switches
// copy a packet to both, be it the source or a member that turns a chain, has learnt the one,
// and not the other, and takes both to be at one host.
func TestMulticastMeetsTwoAtOneHost(t *testing.T) {
	for _, by := range []rma.MulticastMethod{rma.Chain, rma.Hierarchical} {
		t.Run(by.String(), func(t *testing.T) { multicastToTwoAtOneHost(t, by) })
	}
}

func multicastToTwoAtOneHost(t *testing.T, by rma.MulticastMethod) {
	cfg := hosttest.NewCluster(t, "ssscore", "mesh:1x3", 2, "remote.convert", "true", "conditions.migrations", "2@10ms:5,3@20ms:2").Config
	cfg.Hosts = cfg.Hosts[:5]
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	memories := make([][]byte, 5)
	hosttest.Run(t, c, func(p rma.Process) error {
		memories[p.Rank()] = make([]byte, 4)
		segment := p.Expose(memories[p.Rank()])
		if p.Rank() > 0 {
			return p.WaitUntil(func() bool { return memories[p.Rank()][3] == 1 })
		}
		for i, ranks := range [][]int{{1, 2, 3, 4}, {1, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}} {
			if i == 1 {
				p.Compute(30 * units.Millisecond)
			}
			var to []rma.Address
			for _, r := range ranks {
				to = append(to, rma.Address{Rank: r, Segment: segment, Offset: i})
			}
			op, err := p.(rma.Multicaster).MulticastPush(to, []byte{1}, rma.Multicast{By: by})
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
		}
		return nil
	})
	for r, memory := range memories[1:] {
		want := []byte{1, 1, 1, 1}
		if r+1 == 2 {
			want[1] = 0
		}
		if !bytes.Equal(memory, want) {
			t.Errorf("rank %d has %v, want %v", r+1, memory, want)
		}
	}
	converted := int64(0)
	if by == rma.Chain { // but for the one to both at one host
		converted = 3
	}
	if use := modelOf(c).use; use.Converted != converted || use.Migrations != 2 {
		t.Errorf("%d of 4 multicasts are chains that are converted after %d migrations; want %d after 2", use.Converted, use.Migrations, converted)
	}
}

// TestUnconfirmedChainIsNotLost lets links make many errors. A chain that nobody acknowledges
// stays one, as what switches copy of it could be lost.
func TestUnconfirmedChainIsNotLost(t *testing.T) {
	const n = 40_000
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 3, "remote.convert", "true", "conditions.errors", "1e-5")
	memories := castOnce(t, c, n, rma.Multicast{By: rma.Chain, Unacknowledged: true})
	for r := 1; r < len(memories); r++ {
		if !bytes.Equal(memories[r], bytes.Repeat([]byte{7}, n)) {
			t.Errorf("rank %d does not have the data", r)
		}
	}
	if use := modelOf(c).use; use.Converted > 0 || use.Corrupt == 0 {
		t.Errorf("%d packets of the chain are converted, with %d errors; want none, with some", use.Converted, use.Corrupt)
	}
}

// TestWindowOfCopies lets a rank have much copied, and a member turn many chains, faster than
// one of the targets can answer, whose page is absent. Of what has not been answered, targets
// must be able to tell all apart: what would be too much waits, or stays a chain.
func TestWindowOfCopies(t *testing.T) {
	for _, test := range []struct {
		by    rma.MulticastMethod
		retry string
		want  int64 // chains that are converted
	}{{rma.Chain, "100ms", mbc.OnceWindow - 1}, {rma.Hierarchical, "100ms", 0}, {rma.Hierarchical, "2ms", 0}} {
		c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2, "remote.convert", "true", "conditions.errors", "1e-18", "conditions.absent", "1", "remote.retry", test.retry)
		memories := castMany(t, c, 2*mbc.OnceWindow, test.by)
		for r := 1; r < len(memories); r++ {
			if !bytes.Equal(memories[r], bytes.Repeat([]byte{1}, 2*mbc.OnceWindow)) {
				t.Errorf("%+v: rank %d has %v", test, r, memories[r])
			}
		}
		if got := modelOf(c).use.Converted; got != test.want {
			t.Errorf("%+v: %d chains are converted before any is answered", test, got)
		}
	}
}

// castMany lets rank 0 write so many bytes to all others, each by itself and all at once.
func castMany(t *testing.T, c *host.Cluster, many int, by rma.MulticastMethod) [][]byte {
	t.Helper()
	memories := make([][]byte, len(c.Ranks))
	hosttest.Run(t, c, func(p rma.Process) error {
		memories[p.Rank()] = make([]byte, many)
		segment := p.Expose(memories[p.Rank()])
		for i := 0; p.Rank() == 0 && i < many; i++ {
			var to []rma.Address
			for r := 1; r < p.Size(); r++ {
				to = append(to, rma.Address{Rank: r, Segment: segment, Offset: i})
			}
			if _, err := p.(rma.Multicaster).MulticastPush(to, []byte{1}, rma.Multicast{By: by}); err != nil {
				return err
			}
		}
		op, err := p.Fence()
		return errors.Join(err, p.Wait(op))
	})
	return memories
}
