package memory

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/routing"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// arranged asks for packets to all of some end points, one after the other, and returns the
// targets that switches copy each to, and the chains behind these.
func arranged(t *testing.T, m *memoryBased, from int32, ends []int32) (packets [][]int32, chains map[int32][]int32) {
	c := &cast{}
	for i, end := range ends {
		c.targets = append(c.targets, castTarget{end: end, next: none})
		c.order = append(c.order, int32(i))
	}
	chains = map[int32][]int32{}
	for left := c.order; len(left) > 0; {
		heads, reached := m.trees.arrange(from, c, left)
		if n := len(m.trees.lists(c, left[:heads])); n > 0 && n > m.trees.mostListed() {
			t.Errorf("lists of %d words beside data, in packets of %v; want at most %d", n, m.Machine.Packet.Payload, m.trees.mostListed())
		}
		var packet []int32
		for _, head := range left[:heads] {
			packet = append(packet, c.targets[head].end)
			for i := c.targets[head].next; i != none; i = c.targets[i].next {
				chains[c.targets[head].end] = append(chains[c.targets[head].end], c.targets[i].end)
			}
		}
		packets, left = append(packets, packet), left[reached:]
	}
	return packets, chains
}

// TestPacketsPartWhereSwitchesCopy draws which switches copy packets, and follows the paths of
// each packet by itself.
func TestPacketsPartWhereSwitchesCopy(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		network := []string{"mesh:2x3", "fattree:k=4", "tree:arity=3,levels=3", "random:switches=8,degree=3,seed=1"}[rng.IntN(4)]
		longest := 1 + rng.IntN(4)
		payload := []string{"4KiB", "64B", "24B", "16B"}[rng.IntN(4)]
		c := hosttest.NewCluster(t, "ssscore", network, 3, "remote.chain", fmt.Sprint(longest), "packet.payload", payload)
		m := modelOf(c)
		for sw := range m.trees.copies {
			m.trees.copies[sw] = rng.IntN(2) == 0
		}
		m.trees.copiesAll = !slices.Contains(m.trees.copies, false)
		var ends []int32
		for _, end := range rng.Perm(len(m.stations))[:1+rng.IntN(len(m.stations))] {
			ends = append(ends, int32(end))
		}
		from := int32(rng.IntN(len(m.stations)))
		packets, chains := arranged(t, m, from, ends)
		var reached []int32
		for _, heads := range packets {
			if sw := partsWrongly(m, from, heads); sw != none {
				t.Errorf("seed %d on %s: a packet from %d to %v parts at switch %d, which does not copy", seed, network, from, heads, sw)
			}
			for _, head := range heads {
				reached = append(append(reached, head), chains[head]...)
				if n := len(chains[head]); n > 0 && (m.trees.copies[m.paths.switchOf(head)] || n >= longest) {
					t.Errorf("seed %d on %s: %d follow %d; want at most %d, at a switch that does not copy", seed, network, n, head, longest-1)
				}
				for _, end := range chains[head] {
					if m.paths.switchOf(end) != m.paths.switchOf(head) {
						t.Errorf("seed %d on %s: %d follows %d, which is at another switch", seed, network, end, head)
					}
				}
			}
		}
		slices.Sort(reached)
		slices.Sort(ends)
		if !slices.Equal(reached, ends) {
			t.Errorf("seed %d on %s: packets get to %v, want %v", seed, network, reached, ends)
		}
	}
}

// partsWrongly returns a switch that does not copy and which a packet leaves by several ways,
// none if there is none.
func partsWrongly(m *memoryBased, from int32, heads []int32) int {
	next := map[string]int{} // by the path to a switch: the last way that the packet leaves it
	for _, head := range heads {
		path, _ := m.Routes.Path(int(from), int(head))
		at := m.paths.switchOf(from)
		for i := 0; i <= len(path); i++ {
			out := -1 - int(head)
			if i < len(path) {
				out = int(path[i])
			}
			before := fmt.Sprint(routing.Path(path[:i]))
			if was, ok := next[before]; ok && was != out && !m.trees.copies[at] {
				return at
			}
			next[before] = out
			if i < len(path) {
				at = m.Net.To(path[i].Channel()).Switch
			}
		}
	}
	return none
}

// TestBranchesGoOnAsChains counts bytes on links of a tree of which only the root copies
// packets. Its source sends one packet to the three others at its switch, and one that the
// root copies to the other three switches; at each, it goes on from host to host.
func TestBranchesGoOnAsChains(t *testing.T) {
	const n = 1000
	c := hosttest.NewCluster(t, "ssscore", "tree:arity=4,levels=2", 4, "remote.copies", "inner")
	memories := castOnce(t, c, n, rma.Multicast{By: rma.Hierarchical, Unacknowledged: true})
	for r := 1; r < len(memories); r++ {
		if memories[r][0] != 7 || memories[r][n-1] != 7 {
			t.Errorf("rank %d does not have the data", r)
		}
	}
	const (
		header = n + 30
		near   = 2 + 2*(1+3)   // a list of three
		far    = 2 + 2*3*(1+4) // three of four
	)
	carried := c.Fabric.Carried()
	bytes := func(link int) int64 { return carried[link].Flits * int64(c.Machine.Link.Flit) }
	if got, want := bytes(fabric.InjectionLink(c.Net, 0)), int64(header+near+2+header+far+3*2); got != want {
		t.Errorf("the first link carries %d bytes, want two packets of %d", got, want)
	}
	inTurn := []int64{ // into the hosts of a switch behind the root
		header + far + 3*2,
		header + 2 + 8 + 2 + 2*2, // tally, number, the two that are left, and who has made it a chain
		header + 2 + 8 + 2 + 2,
		header + 2 + 8 + 2,
	}
	for host, want := range inTurn {
		if got := bytes(fabric.EjectionLink(c.Net, 4+host)); got != want {
			t.Errorf("host %d gets %d bytes, want %d", 4+host, got, want)
		}
	}
	use := modelOf(c).use
	if use.Chained != 4 {
		t.Errorf("%d copies go on as chains, want one at each switch", use.Chained)
	}
	if want := int64(15 + 2 + 3*3); use.Misses != want {
		t.Errorf("%d routes are not known; want %d, for which the source looks all hosts up, and each that goes on the next one", use.Misses, want)
	}
}

// TestPacketsHoldTheirLists sends more than a packet takes to few and to many, by packets of
// many lengths. None is longer than it may be, in either form, or a run fails.
func TestPacketsHoldTheirLists(t *testing.T) {
	const n = 300
	for _, payload := range []string{"16B", "17B", "18B", "19B", "30B", "31B", "64B", "127B", "128B", "300B"} {
		for _, network := range []string{"tree:arity=2,levels=2", "tree:arity=4,levels=2"} {
			for _, by := range []rma.MulticastMethod{rma.Chain, rma.Hierarchical} {
				c := hosttest.NewCluster(t, "ssscore", network, 3, "remote.copies", "inner", "remote.convert", "true", "packet.payload", payload)
				for r, memory := range castOnce(t, c, n, rma.Multicast{By: by})[1:] {
					if !bytes.Equal(memory, bytes.Repeat([]byte{7}, n)) {
						t.Errorf("%s of %s by %v: rank %d does not have the data", network, payload, by, r+1)
					}
				}
			}
		}
	}
}

// TestListsTakeRoomOfData sends a page to all others: with the lists in front of it, it takes
// two packets to each side of the switch of the source.
func TestListsTakeRoomOfData(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "tree:arity=4,levels=2", 4, "remote.copies", "inner")
	castOnce(t, c, 4096, rma.Multicast{By: rma.Hierarchical, Unacknowledged: true})
	got := c.Fabric.Carried()[fabric.InjectionLink(c.Net, 0)].Flits * int64(c.Machine.Link.Flit)
	if want := int64(2*4096 + 2*(30+10+2) + 2*(30+32+3*2)); got != want {
		t.Errorf("the first link carries %d bytes, want %d", got, want)
	}
}

// TestOneAcknowledgementForBranches counts what comes back to the source: for each of its two
// packets, one.
func TestOneAcknowledgementForBranches(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "tree:arity=4,levels=2", 4, "remote.copies", "inner")
	castOnce(t, c, 8, rma.Multicast{By: rma.Hierarchical})
	got := c.Fabric.Carried()[fabric.EjectionLink(c.Net, 0)].Flits * int64(c.Machine.Link.Flit)
	if want := int64(30 + 6 + 2*1 + 30 + 6 + 2*3); got != want {
		t.Errorf("%d bytes come back to the source; want one acknowledgement from its switch and one by the root, of %d", got, want)
	}
}

// TestNoSwitchCopies lets programs know what there is.
func TestNoSwitchCopies(t *testing.T) {
	for _, test := range []struct {
		network, copies string
		want            bool
	}{{"tree:arity=4,levels=2", "all", true}, {"tree:arity=4,levels=2", "inner", true}, {"tree:arity=4,levels=2", "none", false}, {"mesh:1x2", "inner", false}} {
		c := hosttest.NewCluster(t, "ssscore", test.network, 2, "remote.copies", test.copies)
		hosttest.Run(t, c, func(p rma.Process) error {
			segment := p.Expose(make([]byte, 8))
			m := p.(rma.Multicaster)
			if got := m.Multicasts(rma.Hierarchical); got != test.want || !m.Multicasts(rma.Chain) {
				t.Errorf("%+v: switches copy packets: %v", test, got)
			}
			op, err := m.MulticastPush([]rma.Address{{Segment: segment}}, make([]byte, 8), rma.Multicast{By: rma.Hierarchical})
			if (err == nil) != test.want {
				t.Errorf("%+v: error %v", test, err)
			}
			if err != nil {
				return nil
			}
			return p.Wait(op)
		})
	}
}

// TestHeadOfBranchMoves lets the rank move that gets the copy for all at its switch. The host
// that it has left sends it on, as a chain that has the others behind it.
func TestHeadOfBranchMoves(t *testing.T) {
	const n = 5000 // in three packets, as lists leave less than a page to the first
	cfg := hosttest.NewCluster(t, "ssscore", "tree:arity=2,levels=2", 4, "remote.copies", "inner", "conditions.migrations", "1@10ms:1").Config
	cfg.Hosts = []int{0, 4, 5, 6}
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	memories := make([][]byte, len(cfg.Hosts))
	hosttest.Run(t, c, func(p rma.Process) error {
		memories[p.Rank()] = make([]byte, n)
		segment := p.Expose(memories[p.Rank()])
		if p.Rank() > 0 {
			return p.WaitUntil(func() bool { return memories[p.Rank()][n-1] == 2 })
		}
		var to []rma.Address
		for r := 1; r < p.Size(); r++ {
			to = append(to, rma.Address{Rank: r, Segment: segment})
		}
		for _, value := range []byte{1, 2} {
			op, err := p.(rma.Multicaster).MulticastPush(to, bytes.Repeat([]byte{value}, n), rma.Multicast{By: rma.Hierarchical})
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
			p.Compute(20 * units.Millisecond)
		}
		return nil
	})
	for r := 1; r < len(memories); r++ {
		if !bytes.Equal(memories[r], bytes.Repeat([]byte{2}, n)) {
			t.Errorf("rank %d does not have the data", r)
		}
	}
	if use := modelOf(c).use; use.Chained != 6 || use.Forwarded != 3 || use.Migrations != 1 {
		t.Errorf("%d copies go on as chains, %d accesses are sent on after %d migrations; want 6, 3 and 1", use.Chained, use.Forwarded, use.Migrations)
	}
}

// TestChainToOneSwitchStaysOne lets a chain have nobody to be copied for behind its first
// member: the two others are at a switch that does not copy.
func TestChainToOneSwitchStaysOne(t *testing.T) {
	cfg := hosttest.NewCluster(t, "ssscore", "tree:arity=2,levels=2", 4, "remote.copies", "inner", "remote.convert", "true").Config
	cfg.Hosts = []int{0, 1, 4, 5}
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	castOnce(t, c, 8, rma.Multicast{By: rma.Chain})
	if use := modelOf(c).use; use.Converted != 0 {
		t.Errorf("%d chains are converted, want none", use.Converted)
	}
}
