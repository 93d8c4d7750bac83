package memory

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"musubi/nic/mbc"
	"musubi/rma"
	"musubi/sim/fabric"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/topology"
	"musubi/units"
)

// modelOf returns the model of a cluster.
func modelOf(c *host.Cluster) *memoryBased { return c.Model.(*memoryBased) }

// memoryBus is the time of n bytes on the bus of a machine with bursts.
func memoryBus(c *host.Cluster, n int) units.Time {
	b := &c.Machine.Bus
	bursts := (n + int(b.Burst) - 1) / int(b.Burst)
	return units.Time(bursts)*b.Setup + b.Rate.Transfer(units.Bytes(n))
}

// TestMemoryBasedPushIsTheSumOfItsStages compares with the list of stages in the package
// documentation. The first use of a route misses.
func TestMemoryBasedPushIsTheSumOfItsStages(t *testing.T) {
	for _, to := range []int{1, 4, 63} { // 1, 2 and 7 switches on the path
		for _, n := range []int{1, 8, 100, 4096} {
			c := hosttest.NewCluster(t, "ssscore", "mesh:4x4", 4)
			m := c.Machine
			steps, _ := c.Routes.Path(0, to)
			switches := len(steps) + 1
			path := 2*m.Link.HostCable + units.Time(switches-1)*m.Link.Cable + units.Time(switches)*m.Switch.Latency
			serial := func(bytes int) units.Time {
				return m.Link.Rate.Transfer(units.Bytes((30 + 2*switches + bytes + 1) / 2 * 2))
			}
			sent := m.Host.Post + m.NIC.Start + sectionOf(m).OS.Interrupt + sectionOf(m).OS.Route + memoryBus(c, n)
			written := sent + path + serial(n) + m.NIC.Receive + memoryBus(c, n)
			acked := written + m.NIC.Reply + path + serial(0) + m.NIC.Receive + memoryBus(c, flagBytes) + m.NIC.Complete
			complete, noticed := hosttest.PushPing(t, c, to, n, rma.DMA)
			if want := acked + m.Host.Poll; complete != want {
				t.Errorf("%d bytes to rank %d complete after %v, want %v", n, to, complete, want)
			}
			if want := written + m.Host.Poll; noticed != want {
				t.Errorf("%d bytes to rank %d noticed after %v, want %v", n, to, noticed, want)
			}
		}
	}
}

// TestRemoteWriteOnTheWire counts what a write of 4 bytes takes on a link: 36 bytes.
func TestRemoteWriteOnTheWire(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2)
	hosttest.PushPing(t, c, 1, 4, rma.DMA)
	net := c.Net
	carried := c.Fabric.Carried()
	for name, link := range map[string]int{"from the source": fabric.InjectionLink(net, 0), "to the target": fabric.EjectionLink(net, 1)} {
		if got := carried[link].Flits * int64(c.Machine.Link.Flit); got != 36 {
			t.Errorf("the link %s has carried %d bytes, want 36", name, got)
		}
	}
	if got := carried[fabric.EjectionLink(net, 0)].Flits * int64(c.Machine.Link.Flit); got != 32 {
		t.Errorf("the acknowledgement has %d bytes, want 32", got)
	}
}

// TestFramesAreAsLongAsPackets compares the lengths that are simulated with those of the
// packet format.
func TestFramesAreAsLongAsPackets(t *testing.T) {
	c := hosttest.NewCluster(t, "ssscore", "mesh:4x4", 1)
	for _, to := range []int32{1, 5, 15} {
		for _, h := range []mbc.Header{
			{Type: mbc.Write}, {Type: mbc.Write, Size: 4}, {Type: mbc.Write, Size: 4096}, {Type: mbc.Read, Size: 100},
			{Type: mbc.FetchOp, Size: 10}, {Type: mbc.Result, Size: 8}, {Type: mbc.Ack},
		} {
			f := frame{h: h}
			f.h.Route = modelOf(c).paths.steps(nil, 0, to)
			modelOf(c).frames.measure(&f)
			if got := modelOf(c).frames.ringBytes(&f); got != f.h.Bytes() {
				t.Errorf("%v of %d bytes to host %d takes %d bytes on a link, and %d in the packet format", h.Type, h.Size, to, got, f.h.Bytes())
			}
		}
	}
}

// TestStreamIsBound measures a long stream of pages. Bus, SRAM and link bound it, the
// slowest of them.
func TestStreamIsBound(t *testing.T) {
	const pages = 200
	for _, c := range []struct {
		name string
		set  []string
		want float64 // MB/s
	}{
		{"by the bus", nil, 4096 / 61.44},
		{"by the SRAM, which each byte enters and leaves", []string{"bus.rate", "1GB/s", "bus.setup", "0ns"}, 200 * 4096.0 / (4096 + 4128)},
		{"by the link", []string{"bus.rate", "1GB/s", "bus.setup", "0ns", "sram.rate", "1GB/s"}, 106.25 * 4096 / 4128},
	} {
		cluster := hosttest.NewCluster(t, "ssscore", "mesh:1x2", 2, c.set...)
		var took units.Time
		hosttest.Run(t, cluster, func(p rma.Process) error {
			segment := p.Expose(make([]byte, pages*mbc.PageSize))
			if p.Rank() != 0 {
				return nil
			}
			at := rma.Address{Rank: 1, Segment: segment}
			op, err := p.Push(at, make([]byte, 8), rma.DMA)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
			begin := p.Now()
			op, err = p.Push(at, make([]byte, pages*mbc.PageSize), rma.DMA)
			err = errors.Join(err, p.Wait(op))
			took = p.Now() - begin
			return err
		})
		got := pages * mbc.PageSize / took.Seconds() / 1e6
		if math.Abs(got/c.want-1) > 0.02 {
			t.Errorf("%s: %.1f MB/s, want %.1f", c.name, got, c.want)
		}
	}
}

// TestNoPacketCrossesAPage pushes from any place in a page to any other.
func TestNoPacketCrossesAPage(t *testing.T) {
	for _, near := range []int{0, 1, 100, 4095} {
		for _, far := range []int{0, 1, 4000} {
			for _, n := range []int{1, 96, 97, 4096, 5000} {
				a := access{Request: host.Request{Action: host.Push, Address: rma.Address{Offset: far}}, size: n, base: firstPage*mbc.PageSize + uint32(near)}
				for at := 0; at < n; {
					_, _, bytes := a.cut(at, mbc.PageSize)
					if bytes < 1 || !mbc.WithinPage(uint32(near+at), bytes) || !mbc.WithinPage(uint32(far+at), bytes) {
						t.Fatalf("%d bytes from %d to %d are cut at %d to a packet of %d", n, near, far, at, bytes)
					}
					at += bytes
				}
			}
		}
	}
}

// caseRun pushes 8 bytes from rank 0 to rank 1, after a push that has found the route, and
// says how long that took.
func caseRun(t *testing.T, prepare func(*host.Cluster), set ...string) (took units.Time, use CaseUse, memory []byte, err error) {
	t.Helper()
	c := hosttest.NewCluster(t, "ssscore", "mesh:1x3", 2, set...)
	cfg := c.Config
	cfg.Hosts = cfg.Hosts[:2]
	c, e := host.New(cfg)
	if e != nil {
		t.Fatal(e)
	}
	memory = make([]byte, 8)
	hosttest.Run(t, c, func(p rma.Process) error {
		first, second := p.Expose(make([]byte, 8)), p.Expose(memory)
		if p.Rank() == 1 {
			p.Compute(10 * units.Millisecond)
			return nil
		}
		op, e := p.Push(rma.Address{Rank: 1, Segment: first}, make([]byte, 8), rma.DMA)
		if e := errors.Join(e, p.Wait(op)); e != nil {
			return e
		}
		p.Compute(units.Millisecond - p.Now())
		prepare(c)
		before, begin := modelOf(c).use, p.Now()
		op, e = p.Push(rma.Address{Rank: 1, Segment: second}, []byte{1, 2, 3, 4, 5, 6, 7, 8}, rma.DMA)
		if e != nil {
			return e
		}
		err = p.Wait(op)
		took, use = p.Now()-begin, modelOf(c).use
		use.Direct -= before.Direct
		use.Misses -= before.Misses
		return nil
	})
	return took, use, memory, err
}

// TestCasesOfReceiving takes each case by itself, and what it costs.
func TestCasesOfReceiving(t *testing.T) {
	direct, use, _, err := caseRun(t, func(*host.Cluster) {})
	if err != nil || use.Direct != 2 || use.Interrupts != 1 { // the write and its acknowledgement; a route before
		t.Fatalf("a direct access ends with %v: %+v", err, use)
	}
	const interrupt, access, page, route = 10 * units.Microsecond, 10 * units.Microsecond, 10 * units.Millisecond, 5 * units.Microsecond
	for _, c := range []struct {
		name    string
		set     []string
		prepare func(*host.Cluster)
		more    units.Time // than a direct access takes
		count   func(*CaseUse) int64
		refused bool
	}{
		{name: "not scheduled", more: interrupt + access, count: func(u *CaseUse) int64 { return u.NotScheduled },
			prepare: func(c *host.Cluster) {
				c.Processors[1] = host.NewProcessor(0.001, units.Millisecond, 0.5)
			}},
		{name: "page absent", more: interrupt + access + page, count: func(u *CaseUse) int64 { return u.Absent * u.PageIns },
			prepare: func(c *host.Cluster) {
				s := &modelOf(c).residents.processes[1].space
				s.pages.Set(int(s.bases[1]), false)
			}},
		{name: "forged", refused: true, more: -memoryBus8, count: func(u *CaseUse) int64 { return u.Forged },
			prepare: func(c *host.Cluster) { modelOf(c).residents.processes[0].claim = claim{made: true} }},
		{name: "not scheduled and absent", more: interrupt + access + page, count: func(u *CaseUse) int64 { return u.NotScheduled * u.PageIns },
			prepare: func(c *host.Cluster) {
				c.Processors[1] = host.NewProcessor(0.001, units.Millisecond, 0.5)
				s := &modelOf(c).residents.processes[1].space
				s.pages.Set(int(s.bases[1]), false)
			}},
		{name: "route miss", more: interrupt + route, count: func(u *CaseUse) int64 { return u.Misses },
			prepare: func(c *host.Cluster) { modelOf(c).residents.stationOf(0).routing.routes.Invalidate(1) }},
	} {
		took, use, memory, err := caseRun(t, c.prepare, c.set...)
		if took != direct+c.more || c.count(&use) != 1 {
			t.Errorf("%s: takes %v, want %v; %+v", c.name, took, direct+c.more, use)
		}
		if written := memory[7] == 8; written == c.refused || (err != nil) != c.refused {
			t.Errorf("%s: written %v, with error %v", c.name, written, err)
		}
	}
}

// memoryBus8 is the time of 8 bytes on the bus, which what is refused does not take.
const memoryBus8 = 240 * units.Nanosecond

// TestMigrationLosesNothing lets a rank move while others write to it and it writes to them,
// and looks at the way: first by its old host, then to the new one.
func TestMigrationLosesNothing(t *testing.T) {
	const writes = 1200
	cfg := hosttest.NewCluster(t, "ssscore", "mesh:1x3", 2, "conditions.migrations", "1@300us:4, 1@6ms:5").Config
	cfg.Hosts = cfg.Hosts[:3]
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	hosttest.Run(t, c, func(p rma.Process) error {
		memory := make([]byte, 3*8)
		segment := p.Expose(memory)
		for i := range writes {
			to := (p.Rank() + 1 + i%2) % 3
			if _, err := p.Push(rma.Address{Rank: to, Segment: segment, Offset: 8 * p.Rank()}, text8(i), rma.DMA); err != nil {
				return err
			}
			p.Compute(5 * units.Microsecond)
		}
		op, err := p.Fence()
		return errors.Join(err, p.Wait(op), p.WaitUntil(func() bool { return lastWrites(memory, p.Rank(), writes) }))
	})
	use := modelOf(c).use
	if use.Migrations != 2 || use.Forwarded == 0 || modelOf(c).residents.processes[1].at != 5 {
		t.Errorf("%+v; want two migrations, and accesses that are forwarded", use)
	}
	// Each of three ranks asks for two routes, the one that moves twice again at its new
	// hosts, and both others for the way there.
	if want := int64(6 + 2*(2+2)); use.Misses != want {
		t.Errorf("%d routes were missed, want %d", use.Misses, want)
	}
}

func text8(i int) []byte { return []byte(fmt.Sprintf("%7d.", i)) }

// lastWrites reports whether the last write of each other rank is there: one of its last
// two goes to this rank.
func lastWrites(memory []byte, me, writes int) bool {
	for from := range 3 {
		got := string(memory[8*from:][:8])
		if from != me && got != string(text8(writes-1)) && got != string(text8(writes-2)) {
			return false
		}
	}
	return true
}

func TestMoreHostsThanHeadersCanName(t *testing.T) {
	cfg := hosttest.NewCluster(t, "ssscore", "fullmesh:1", 2).Config
	net := *cfg.Net
	net.EndPoints = make([]topology.EndPoint, 1<<16+1)
	cfg.Net = &net
	if _, err := host.New(cfg); err == nil || !strings.Contains(err.Error(), "65537 hosts; packets of machine ssscore can name 65536") {
		t.Errorf("error %v", err)
	}
}
