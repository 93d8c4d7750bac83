package hosttest_test

import (
	"errors"
	"strings"
	"testing"

	"musubi/rma"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// TestEveryPieceIsABurst compares transfers of scattered data with transfers of as
// much that lies in one piece.
func TestEveryPieceIsABurst(t *testing.T) {
	const n, setup = 240, 50 * units.Nanosecond
	three, four := rma.List(80, 0, 100, 900), rma.Strided(60, 200, 4)
	for _, c := range []struct {
		name      string
		by        rma.Mechanism
		pull      bool
		near, far rma.Layout
		bursts    units.Time // beside those that data in one piece takes
	}{
		{"gather", rma.DMA, false, three, rma.Layout{}, 2},
		{"scatter", rma.DMA, false, rma.Layout{}, four, 3},
		{"gather and scatter", rma.DMA, false, three, four, 5},
		{"by PIO the processor gathers", rma.BOTF, false, three, four, 3},
		{"pull and gather there", rma.DMA, true, rma.Layout{}, four, 3},
		{"pull and scatter here", rma.DMA, true, three, rma.Layout{}, 2},
		{"elements side by side are one piece", rma.DMA, false, rma.Strided(60, 60, 4), rma.List(120, 40, 160), 0},
	} {
		for _, name := range []string{"rhinet2", "loggp"} {
			took := func(near, far rma.Layout) (d units.Time) {
				set := []string{"bus.setup", "50ns"}
				if name == "loggp" {
					set = nil
				}
				hosttest.Run(t, hosttest.NewRanks(t, name, 2, set...), func(p rma.Process) error {
					segment := p.Expose(make([]byte, 1000))
					if p.Rank() > 0 {
						return nil
					}
					local := make([]byte, 1000)
					if near.IsContiguous() {
						local = local[:n]
					}
					var op rma.Op
					var err error
					if at := (rma.Address{Rank: 1, Segment: segment}); c.pull {
						op, err = p.PullLayout(at, far, local, near)
					} else {
						op, err = p.PushLayout(at, far, local, near, c.by)
					}
					err = errors.Join(err, p.Wait(op))
					d = p.Now()
					return err
				})
				return d
			}
			want := c.bursts * setup
			if name == "loggp" {
				want = 0
			}
			if got := took(c.near, c.far) - took(rma.Layout{}, rma.Layout{}); got != want {
				t.Errorf("%s: %s takes %v more than in one piece, want %v", name, c.name, got, want)
			}
		}
	}
}

// TestAWrappedPacketIsTwoBursts sends messages to a ring that the second has to go
// round.
func TestAWrappedPacketIsTwoBursts(t *testing.T) {
	second := func(ring int) units.Time {
		c := hosttest.NewRanks(t, "rhinet2", 2, "bus.setup", "50ns")
		var noticed units.Time
		hosttest.Run(t, c, func(p rma.Process) error {
			if p.Rank() == 0 {
				return errors.Join(hosttest.Send(p, 1, make([]byte, 1500)), hosttest.Send(p, 1, make([]byte, 1500)))
			}
			if err := p.Rings(rma.PrivateRings(2, ring)); err != nil {
				return err
			}
			if _, err := hosttest.Receive(p); err != nil {
				return err
			}
			_, err := p.Next()
			noticed = p.Now()
			return err
		})
		return noticed
	}
	if got, want := second(2000)-second(4000), 50*units.Nanosecond; got != want {
		t.Errorf("a packet that wraps around takes %v more, want %v", got, want)
	}
}

// TestLayoutsOutsideOfMemory has transfers fail at once if they name memory of the
// caller that is not there, and at Wait if it is that of the target.
func TestLayoutsOutsideOfMemory(t *testing.T) {
	whole := rma.Layout{}
	for _, c := range []struct {
		name      string
		near, far rma.Layout
		atOnce    bool
		want      string
	}{
		{"here", rma.Strided(10, 90, 2), whole, true, "reach beyond 50 bytes"},
		{"a list here", rma.List(10, 0, 41), whole, true, "reaches beyond 50 bytes"},
		{"different sizes", rma.Strided(10, 20, 2), rma.Strided(10, 20, 3), true, "20 bytes here and 30 bytes at rank 1; expected as many"},
		{"there", rma.Strided(10, 20, 2), rma.Strided(10, 90, 2), false, "access to rank 1 segment 0 offset 8"},
		{"a list there", rma.Strided(10, 20, 2), rma.List(10, 0, 83), false, "reaches beyond 92 bytes"},
		{"offsets are missing", rma.Strided(10, 20, 2), rma.Layout{Element: 10, Count: 2, Offsets: []int{0}}, false, "at 1 offsets"},
		{"all of it", whole, whole, false, "access to 50 bytes at rank 1 segment 0 offset 8, outside the segment's 20 bytes"},
	} {
		for _, name := range []string{"rhinet2", "loggp"} {
			hosttest.Run(t, hosttest.NewRanks(t, name, 2), func(p rma.Process) error {
				size := 100
				if c.far.IsContiguous() {
					size = 20
				}
				at := rma.Address{Rank: 1, Segment: p.Expose(make([]byte, size)), Offset: 8}
				if p.Rank() > 0 {
					return nil
				}
				push, pushed := p.PushLayout(at, c.far, make([]byte, 50), c.near, rma.DMA)
				pull, pulled := p.PullLayout(at, c.far, make([]byte, 50), c.near)
				if !c.atOnce {
					if pushed != nil || pulled != nil {
						t.Errorf("%s: %s: errors %v and %v at once", name, c.name, pushed, pulled)
					}
					pushed, pulled = p.Wait(push), p.Wait(pull)
				}
				for _, err := range []error{pushed, pulled} {
					if err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("%s: %s: got error %v; want one that says %q", name, c.name, err, c.want)
					}
				}
				return nil
			})
		}
	}
}
