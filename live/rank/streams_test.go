package rank

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"musubi/live/health"
	"musubi/live/livetest"
	"musubi/live/shm"
	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"
)

// mixes are jobs of several groups: for a number of ranks, the group of each.
var mixes = map[string]func(rank int) (group int){
	"each alone": func(rank int) int { return rank },
	"in pairs":   func(rank int) int { return rank / 2 },
	"in turn":    func(rank int) int { return rank % 2 },
}

// testJob is a job of several groups in this process, whose ranks are goroutines.
type testJob struct {
	ranks   []*Rank
	regions map[int]*shm.Region // by group
	ended   atomic.Int32
	logs    []*livetest.Logged // of each rank
}

// regionOf returns the region of a group.
func (v variant) regionOf(ranks int, members []int) *shm.Region {
	job, err := v.regionFor(ranks, members)
	if err != nil {
		panic(err) // there is no memory left
	}
	if v.sleeps {
		job.Header.Sleeps = 1
	}
	if v.noDirect {
		job.Header.NoDirect = 1
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
	j := &testJob{regions: map[int]*shm.Region{}}
	local := map[int][]int{}
	for rank := range ranks {
		local[groupOf(rank)] = append(local[groupOf(rank)], rank)
	}
	for group, members := range local {
		j.regions[group] = v.regionOf(ranks, members)
	}
	peers := make([]tcp.Peer, ranks)
	for number := range ranks {
		r := New(j.regions[groupOf(number)], number)
		if v.hasty {
			r.waiter.patient = math.MaxInt
		}
		id, log := livetest.TestIdentity(t, 1, tcp.Party(number))
		id.Protection = v.by
		f, err := tcp.New(id, "127.0.0.1:0", number, ranks)
		if err != nil {
			t.Fatal(err)
		}
		peers[number] = tcp.Peer{Host: fmt.Sprint("host", groupOf(number)), Group: groupOf(number), Address: via(f.Acceptor.Address())}
		r.far = f
		j.ranks, j.logs = append(j.ranks, r), append(j.logs, log)
	}
	if err := j.each(func(r *Rank) error { return r.connect(r.far, peers, health.UsualBound) }); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *testJob) close() {
	for _, r := range j.ranks {
		r.far.Close()
	}
}

// each does something for all ranks at once.
func (j *testJob) each(do func(r *Rank) error) error {
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
	return j.each(func(r *Rank) error {
		_, err := run(r, func(p rma.Process) ([]byte, error) {
			if err := program(p); err != nil {
				return nil, err
			}
			j.ended.Add(1)
			for _, job := range j.regions {
				job.WakeAll()
			}
			if err := r.await(shm.InEnd, func() bool { return int(j.ended.Load()) == len(j.ranks) }); err != nil {
				return nil, err
			}
			for _, job := range j.regions {
				job.Header.AllEnded.Store(1) // before any connection ends
			}
			return nil, nil
		})
		if err != nil {
			for _, job := range j.regions {
				job.Fail(health.Failure{Cause: health.Returned, Rank: r.number}.Encode())
			}
		}
		return err
	})
}

// meetRank connects a rank with another one, and takes nothing of what that sends.
func meetRank(r *Rank, other int) *tcp.Stream {
	s := r.out[other].way.(*tcp.Stream)
	r.far.Reach(s)
	return s
}

// It is tested in the two variants that have most to do, with -long in the others, and with the race
// detector in the one that has both rings and streams.
func TestContractOverStreams(t *testing.T) {
	plain := variants["sleeping"]
	plain.by = wire.Unprotected
	records := variants["sleeping"]
	records.by = wire.Records
	hasty := variants["small rings"]
	hasty.hasty = true // else it is only on a busy machine
	for name, test := range map[string]struct {
		variant variant
		groupOf func(rank int) int
	}{
		"each alone/sleeping":  {variants["sleeping"], mixes["each alone"]},
		"each alone/plain":     {plain, mixes["each alone"]},
		"each alone/records":   {records, mixes["each alone"]},
		"in pairs/small rings": {variants["small rings"], mixes["in pairs"]},
		"in pairs/hasty":       {hasty, mixes["in pairs"]},
	} {
		usual := name == "in pairs/small rings" || name == "each alone/plain" && !livetest.Race
		if usual == *long {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rmatest.Test(t, rmatest.World{Packet: Packet, BOTF: MaxBOTF, Clock: livetest.HostClock, Run: func(ranks int, program func(rma.Process) error) error {
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
		away    func(r *Rank) error
	}{
		"idle, spinning": {"spinning", func(r *Rank) error {
			r.waiter.rounds = spinsAlone
			return r.idle(shm.InWait)
		}},
		"idle, sleeping": {"sleeping", func(r *Rank) error {
			r.waiter.rounds = spinsShared
			return r.idle(shm.InWait)
		}},
		"at once, sleeping": {"sleeping", func(r *Rank) error {
			r.reached = progressEvery - 1
			r.progressAtTimes()
			return nil
		}},
		"computing": {"spinning", func(r *Rank) error {
			for begin := r.Now(); r.Now()-begin <= units.Millisecond; {
			}
			_, err := r.Poll()
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := newTestJob(t, variants[test.variant], 3, mixes["in pairs"]).run(func(p rma.Process) error {
				r := p.(*Rank)
				switch r.number {
				case 1:
					return nil
				case 2:
					meetRank(r, 0)
					_, err := r.IPushCopy(0, nil, one)
					return err
				}
				s := meetRank(r, 2)
				for !s.Readable {
					r.far.Ready.Look(r.far.Streams)
				}
				r.far.Turn = 1 << 10 // so many polls do not look
				err := test.away(r)
				if r.poll(); s.Received == 0 {
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
		r, segment := p.(*Rank), p.Expose(make([]byte, 1))
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
		turn := r.far.Turn
		done, tested := r.Test(op)
		if !done || r.holdsMessage() || r.far.Turn != turn {
			t.Errorf("done: %v, a loan is left: %v, looks at the streams: %d; expected none and nothing", done, r.holdsMessage(), turn-r.far.Turn)
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
