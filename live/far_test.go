package live

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"musubi/rma"
	"musubi/rma/rmatest"
)

// mixes are jobs of several groups: for a number of ranks, the group of each.
var mixes = map[string]func(rank int) (group int){
	"each alone": func(rank int) int { return rank },
	"in pairs":   func(rank int) int { return rank / 2 },
	"in turn":    func(rank int) int { return rank % 2 },
}

// testJob is a job of several groups in this process, whose ranks are goroutines.
type testJob struct {
	ranks   []*rank
	regions map[int]*region // by group
	ended   atomic.Int32
	logs    []*logged // of each rank
}

// regionOf returns the region of a group.
func (v variant) regionOf(ranks int, members []int) *region {
	job, err := v.regionFor(ranks, members)
	if err != nil {
		panic(err) // there is no memory left
	}
	if v.sleeps {
		job.header.sleeps = 1
	}
	if v.noDirect {
		job.header.noDirect = 1
	}
	return job
}

// newTestJob makes a job and connects its ranks.
func newTestJob(t testing.TB, v variant, ranks int, groupOf func(rank int) int) *testJob {
	t.Helper()
	return newTestJobVia(t, v, ranks, groupOf, func(address string) string { return address })
}

// newTestJobVia makes a job whose ranks are told other addresses of each other.
func newTestJobVia(t testing.TB, v variant, ranks int, groupOf func(rank int) int, via func(address string) string) *testJob {
	t.Helper()
	j := &testJob{regions: map[int]*region{}}
	local := map[int][]int{}
	for rank := range ranks {
		local[groupOf(rank)] = append(local[groupOf(rank)], rank)
	}
	for group, members := range local {
		j.regions[group] = v.regionOf(ranks, members)
	}
	peers := make([]peer, ranks)
	for number := range ranks {
		r := newRank(j.regions[groupOf(number)], number)
		if v.hasty {
			r.waiter.patient = math.MaxInt
		}
		id, log := testIdentity(t, 1)
		id.plain = v.plain
		f, err := newFar(id, "127.0.0.1:0", number, ranks)
		if err != nil {
			t.Fatal(err)
		}
		peers[number] = peer{Host: fmt.Sprint("host", groupOf(number)), Group: groupOf(number), Address: via(f.gate.Address())}
		r.far = f
		j.ranks, j.logs = append(j.ranks, r), append(j.logs, log)
	}
	if err := j.each(func(r *rank) error { return r.connect(r.far, peers, usualBound) }); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *testJob) close() {
	for _, r := range j.ranks {
		r.far.close()
	}
}

// each does something for all ranks at once.
func (j *testJob) each(do func(r *rank) error) error {
	errs := make([]error, len(j.ranks))
	var all sync.WaitGroup
	for i, r := range j.ranks {
		all.Go(func() {
			if err := do(r); err != nil {
				errs[i] = fmt.Errorf("rank %d: %w", i, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// run runs a program on all ranks, and ends the job. As the hub does, it tells all groups of a
// failure in one, and that all programs are done.
func (j *testJob) run(program func(rma.Process) error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(len(j.ranks) + 1)) // a rank that yields keeps its thread
	defer j.close()
	return j.each(func(r *rank) error {
		_, err := r.run(func(p rma.Process) ([]byte, error) {
			if err := program(p); err != nil {
				return nil, err
			}
			j.ended.Add(1)
			for _, job := range j.regions {
				job.wakeAll()
			}
			if err := r.await(inEnd, func() bool { return int(j.ended.Load()) == len(j.ranks) }); err != nil {
				return nil, err
			}
			for _, job := range j.regions {
				job.header.allEnded.Store(1) // before any connection ends
			}
			return nil, nil
		})
		if err != nil {
			for _, job := range j.regions {
				job.fail(failure{cause: returned, rank: r.number})
			}
		}
		return err
	})
}

// meetRank connects a rank with another one, and takes nothing of what that sends.
func meetRank(r *rank, other int) *stream {
	s := r.out[other].stream
	r.far.reach(s)
	return s
}

// Without -long it is tested in the two variants that have most to do.
func TestContractOverStreams(t *testing.T) {
	plain := variants["sleeping"]
	plain.plain = true
	hasty := variants["small rings"]
	hasty.hasty = true // else it is only on a busy machine
	for name, test := range map[string]struct {
		variant variant
		groupOf func(rank int) int
	}{
		"each alone/sleeping":  {variants["sleeping"], mixes["each alone"]},
		"each alone/plain":     {plain, mixes["each alone"]},
		"in pairs/small rings": {variants["small rings"], mixes["in pairs"]},
		"in pairs/hasty":       {hasty, mixes["in pairs"]},
	} {
		if !*long && name != "each alone/plain" && name != "in pairs/small rings" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rmatest.Test(t, rmatest.World{Packet: Packet, BOTF: MaxBOTF, Clock: hostClock, Run: func(ranks int, program func(rma.Process) error) error {
				return newTestJob(t, test.variant, ranks, test.groupOf).run(program)
			}})
		})
	}
}

// A rank that waits long enough sleeps, and is woken by what comes over its streams.
func TestFailuresOverStreamsReachTheirOperations(t *testing.T) {
	for name, groupOf := range mixes {
		t.Run(name, func(t *testing.T) {
			if err := newTestJob(t, variants["sleeping"], 3, groupOf).run(failAmongOthers); err != nil {
				t.Error(err)
			}
		})
	}
}

// A rank that has let others have the processor, or has done something else, looks at its
// streams at once, though it shares memory with others: it may take long each time.
func TestWhoHasBeenAwayLooksAtStreams(t *testing.T) {
	for name, test := range map[string]struct {
		variant string
		away    func(r *rank) error
	}{
		"idle, spinning": {"spinning", func(r *rank) error {
			r.waiter.rounds = spinsAlone
			return r.idle(inWait)
		}},
		"idle, sleeping": {"sleeping", func(r *rank) error {
			r.waiter.rounds = spinsShared
			return r.idle(inWait)
		}},
		"at once, sleeping": {"sleeping", func(r *rank) error {
			r.reached = breathEvery - 1
			r.breathe()
			return nil
		}},
		"computing": {"spinning", func(r *rank) error {
			for begin := r.Now(); r.Now()-begin <= awayTime; {
			}
			_, err := r.Poll()
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := newTestJob(t, variants[test.variant], 3, mixes["in pairs"]).run(func(p rma.Process) error {
				r := p.(*rank)
				switch r.number {
				case 1:
					return nil
				case 2:
					meetRank(r, 0)
					_, err := r.IPushCopy(0, nil, one)
					return err
				}
				s := meetRank(r, 2)
				for !s.readable {
					r.far.ready.look(r.far.streams)
				}
				r.far.turn = farEvery
				err := test.away(r)
				if r.poll(); s.received == 0 {
					t.Error("it has not looked")
				}
				r.resume()
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// To ask for what is complete costs no look at the streams. It ends a loan, as each call does
// that looks for something.
func TestWhatIsCompleteIsFoundWithoutLooking(t *testing.T) {
	err := newTestJob(t, variants["spinning"], 2, mixes["each alone"]).run(func(p rma.Process) error {
		r, segment := p.(*rank), p.Expose(make([]byte, 1))
		if r.number == 1 {
			meetRank(r, 0)
			_, err := r.IPushCopy(0, nil, one)
			return err
		}
		op, err := r.Push(rma.Address{Rank: 1, Segment: segment}, one, rma.DMA)
		for !r.isComplete(r.ops.find(op)) {
			r.poll()
		}
		_, _, borrowed := r.NextInPlace()
		turn := r.far.turn
		done, tested := r.Test(op)
		if !done || r.lends() || r.far.turn != turn {
			t.Errorf("done: %v, a loan is left: %v, looks at the streams: %d; expected none and nothing", done, r.lends(), turn-r.far.turn)
		}
		return errors.Join(err, borrowed, tested)
	})
	if err != nil {
		t.Error(err)
	}
}

// Over streams nothing is allocated but what crypto/tls does, once for each record that it
// receives: one with the push, and one with what acknowledges it. Under the race detector
// its pool of buffers forgets some, which costs another two.
func TestOperationsOverStreamsHardlyAllocate(t *testing.T) {
	const perPush = 4
	j := newTestJob(t, variants["spinning"], 2, mixes["each alone"])
	err := j.run(func(p rma.Process) error {
		to := rma.Address{Rank: 1, Segment: p.Expose(make([]byte, 4<<10))}
		if p.Rank() == 1 {
			return nil
		}
		data := make([]byte, 4<<10)
		const rounds = 100
		var before, after runtime.MemStats
		for i := range 2 * rounds {
			if i == rounds { // buffers have their size
				runtime.ReadMemStats(&before)
			}
			op, err := p.Push(to, data, rma.DMA)
			if err := errors.Join(err, p.Wait(op)); err != nil {
				return err
			}
		}
		runtime.ReadMemStats(&after)
		if got := (after.Mallocs - before.Mallocs) / rounds; got > perPush {
			t.Errorf("a push allocates %d times; want at most %d", got, perPush)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
