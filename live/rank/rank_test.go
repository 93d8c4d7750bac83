package rank

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"musubi/internal/check"
	"musubi/live/livetest"
	"musubi/live/shm"
	"musubi/live/wire"
	"musubi/rma"
	"musubi/rma/rmatest"
)

func TestMain(m *testing.M) {
	check.CollectLess()
	m.Run()
}

var long = flag.Bool("long", false, "test the contract in the variants that are left out without")

// variant is a way in which a job inside this process is run.
type variant struct {
	sleeps, noDirect bool
	ringBytes        int
	arenaBytes       int
	by               wire.Protection // of streams
	hasty            bool            // ranks sleep at once when there is nothing to do
}

var variants = map[string]variant{
	"spinning":       {ringBytes: 64 << 10},
	"windows":        {ringBytes: 64 << 10, arenaBytes: 8 << 20},
	"small arenas":   {ringBytes: 1 << 10, arenaBytes: 2 * shm.ArenaGrain, sleeps: true},
	"sleeping":       {ringBytes: 64 << 10, sleeps: true},
	"without copies": {ringBytes: 64 << 10, noDirect: true},
	"small rings":    {ringBytes: 1 << 10, noDirect: true, sleeps: true},
}

// inProcess runs a program in a job whose ranks are goroutines, so that the race
// detector sees all of them. It does not look at windows: there it is the program
// that says what may change when.
func inProcess(v variant, ranks int, program func(rma.Process) error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(ranks + 1)) // a rank that yields keeps its thread
	job, err := v.region(ranks)
	if err != nil {
		return err
	}
	if v.sleeps {
		job.Header.Sleeps = 1
	}
	if v.noDirect {
		job.Header.NoDirect = 1
	}
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			_, err := run(New(job, rank), func(p rma.Process) ([]byte, error) { return nil, program(p) })
			if err != nil {
				errs[rank] = fmt.Errorf("rank %d: %w", rank, err)
			}
		})
	}
	all.Wait()
	runtime.KeepAlive(job) // whose memory ranks use to their end
	return errors.Join(errs...)
}

// allOf returns the numbers of all ranks of a job.
func allOf(ranks int) []int {
	all := make([]int, ranks)
	for rank := range all {
		all[rank] = rank
	}
	return all
}

// region returns that of a job of one group.
func (v variant) region(ranks int) (*shm.Region, error) { return v.regionFor(ranks, allOf(ranks)) }

// regionFor returns that of a group of a job. It is memory of the system, which nobody has to clear; but memory of Go for the
// race detector, which looks at no other, unless there are arenas: it would look at all of them.
func (v variant) regionFor(ranks int, members []int) (*shm.Region, error) {
	bytes := shm.RegionBytes(ranks, v.ringBytes, v.arenaBytes)
	if v.arenaBytes == 0 && livetest.Race {
		words := make([]uint64, bytes/8)
		return shm.Format(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), bytes), ranks, members, v.ringBytes, 0), nil
	}
	file, memory, err := shm.NewMemory(bytes)
	if err != nil {
		return nil, err
	}
	job := shm.Format(memory, ranks, members, v.ringBytes, v.arenaBytes)
	runtime.AddCleanup(job, shm.UnmapMemory, memory)
	return job, file.Close()
}

// It is tested with windows, with the race detector in a variant of which that sees all memory, and with
// -long in the others. TestContractOverStreams has small rings, too, beside streams.
func TestContractInOneProcess(t *testing.T) {
	for name, v := range variants {
		usual := map[bool]string{false: "windows", true: "small rings"}[livetest.Race]
		if (name == usual) == *long {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rmatest.Test(t, rmatest.World{Packet: Packet, BOTF: MaxBOTF, Clock: livetest.HostClock, Run: func(ranks int, program func(rma.Process) error) error {
				return inProcess(v, ranks, program)
			}})
		})
	}
}

// A target can tell of one failure at a time. Many that come at once must each reach
// the operation they belong to, and no other, whether it is waited for or not.
func TestFailuresReachTheirOperations(t *testing.T) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) {
			if err := inProcess(v, 3, failAmongOthers); err != nil {
				t.Error(err)
			}
		})
	}
}

func failAmongOthers(p rma.Process) error {
	const count, size = 200, 2 * directBytes
	segment := p.Expose(make([]byte, size))
	if p.Rank() > 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	data, into := make([]byte, size), make([]byte, size)
	type started struct {
		op    rma.Op
		fails bool
	}
	var list []started
	for i := range count {
		s := started{fails: rng.IntN(2) == 0}
		at := rma.Address{Rank: 1 + rng.IntN(2), Segment: segment}
		if s.fails {
			at.Offset = size
		}
		n := 1 + rng.IntN([]int{10, size - 1}[i%2])
		var err error
		if rng.IntN(2) == 0 {
			s.op, err = p.Push(at, data[:n], rma.DMA)
		} else {
			s.op, err = p.Pull(at, into[:n])
		}
		if err != nil {
			return err
		}
		if rng.IntN(4) > 0 {
			list = append(list, s)
		}
	}
	for _, i := range rng.Perm(len(list)) {
		if err := p.Wait(list[i].op); (err != nil) != list[i].fails {
			return fmt.Errorf("operation %d of %d ends with %v; want an error: %v", i, len(list), err, list[i].fails)
		}
	}
	return nil
}

// A message without an operation that its target can never take fails a later call of
// its sender.
func TestMessagesWithoutOperationFailLater(t *testing.T) {
	for name, c := range map[string]struct {
		rings rma.Rings
		want  string
	}{
		"no ring":  {rma.Rings{Private: []rma.Ring{{Bytes: Packet, Senders: []int{1}}}}, "rank 1 has no receive ring for messages of this rank"},
		"too long": {rma.PrivateRings(2, Packet), "whose receive ring tells of whole messages and has 4096 bytes, is longer than that"},
	} {
		t.Run(name, func(t *testing.T) {
			err := inProcess(variants["spinning"], 2, func(p rma.Process) error {
				if p.Rank() == 1 {
					return p.Rings(c.rings)
				}
				if sent, err := p.(rma.Messenger).IPushCopy(1, make([]byte, Packet), make([]byte, 1)); !sent || err != nil {
					return fmt.Errorf("sent %v, %v; want it to be sent", sent, err)
				}
				_, err := p.Next()
				if err == nil || !strings.Contains(err.Error(), c.want) {
					return fmt.Errorf("Next after a message that cannot be taken: %v; want %q", err, c.want)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Ranks say that they share processors only if all of the job know that of each other.
func TestOversubscribed(t *testing.T) {
	for _, test := range []struct {
		variant string
		group   []int
		want    bool
	}{
		{"sleeping", []int{0, 1}, true},
		{"sleeping", []int{0}, false},
		{"spinning", []int{0, 1}, false},
	} {
		r := New(variants[test.variant].regionOf(2, test.group), 0)
		if got := r.Oversubscribed(); got != test.want {
			t.Errorf("%s, ranks %v of 2 on this host: %v; expected %v", test.variant, test.group, got, test.want)
		}
	}
}

// run runs a program as a rank.
func run(r *Rank, program func(rma.Process) ([]byte, error)) ([]byte, error) {
	if err := r.Begin(); err != nil {
		return nil, err
	}
	result, err := program(r)
	return result, r.End(err)
}
