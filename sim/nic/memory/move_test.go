package memory

import (
	"encoding/binary"
	"errors"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
	"musubi/units"
)

// moving returns a cluster of three ranks on a line of three switches, and room to move.
func moving(t *testing.T, moves string, set ...string) *host.Cluster {
	t.Helper()
	cfg := hosttest.NewCluster(t, "ssscore", "mesh:1x3", 2, append(set, "conditions.migrations", moves)...).Config
	cfg.Hosts = cfg.Hosts[:3]
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWritesFollowInOrder lets two ranks write numbers that only grow to one that moves
// several times meanwhile, and looks at each that comes.
func TestWritesFollowInOrder(t *testing.T) {
	const last = 300
	for begin := units.Time(100); begin < 400; begin += 7 {
		us := func(t units.Time) string { return (t * units.Microsecond).String() }
		c := moving(t, "1@"+us(begin)+":5,1@"+us(begin+10)+":3,1@"+us(begin+20)+":4", "os.migrate", "5us", "os.interrupt", "1us", "os.access", "1us")
		words := make([]byte, 3*8)
		hosttest.Run(t, c, func(p rma.Process) error {
			segment := p.Expose(words)
			if p.Rank() != 1 {
				for i := range last {
					word := binary.LittleEndian.AppendUint64(nil, uint64(i+1))
					if _, err := p.Push(rma.Address{Rank: 1, Segment: segment, Offset: 8 * p.Rank()}, word, rma.DMA); err != nil {
						return err
					}
				}
				op, err := p.Fence()
				return errors.Join(err, p.Wait(op))
			}
			var seen [3]uint64
			return p.WaitUntil(func() bool {
				for r := range seen {
					now := binary.LittleEndian.Uint64(words[8*r:])
					if now < seen[r] {
						t.Errorf("a move at %v: number %d of rank %d comes after %d", us(begin), now, r, seen[r])
					}
					seen[r] = now
				}
				return seen[0] == last && seen[2] == last
			})
		})
		if n := modelOf(c).use.Migrations; n != 3 {
			t.Fatalf("moves at %v: %d migrations, want 3", us(begin), n)
		}
	}
}

// TestMovedProcessStaysBehindItself lets a process write at its new host over what it has
// begun to write at its old one.
func TestMovedProcessStaysBehindItself(t *testing.T) {
	const n = 300_000 // more than 4 ms
	c := moving(t, "0@500us:5")
	memory := make([]byte, n)
	hosttest.Run(t, c, func(p rma.Process) error {
		if p.Rank() == 1 {
			p.Expose(memory)
		}
		if p.Rank() != 0 {
			return nil
		}
		at := rma.Address{Rank: 1}
		if _, err := p.Push(at, make([]byte, n), rma.DMA); err != nil {
			return err
		}
		p.Compute(units.Millisecond)
		at.Offset = n - 1
		op, err := p.Push(at, []byte{1}, rma.DMA)
		return errors.Join(err, p.Wait(op))
	})
	if memory[n-1] != 1 || modelOf(c).use.Migrations != 1 {
		t.Errorf("after %d migrations, the last byte is %d; want one, and what was written last", modelOf(c).use.Migrations, memory[n-1])
	}
}
