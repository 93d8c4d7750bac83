package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"musubi/live/livetest"
	"musubi/rma"
)

// processes reads from the output of a job which process each rank is, and calls all
// when it knows.
type processes struct {
	of   map[int]int // by rank
	want int
	all  func()
	text bytes.Buffer
}

func (o *processes) Write(line []byte) (int, error) {
	o.text.Write(line)
	var rank, pid int
	if n, _ := fmt.Sscanf(string(line), "rank %d: process %d", &rank, &pid); n == 2 {
		o.of[rank] = pid
		if len(o.of) == o.want {
			o.all()
		}
	}
	return len(line), nil
}

// startKnown runs a program, and calls all when the processes of its ranks are known.
func startKnown(ctx context.Context, cfg Config, ranks int, program string, all func(of map[int]int)) (*processes, error) {
	o := &processes{of: map[int]int{}, want: ranks}
	o.all = func() { all(o.of) }
	cfg.Output, cfg.Grace = o, cmp.Or(cfg.Grace, time.Minute)
	if cfg.Command == nil {
		cfg.Command = []string{os.Args[0]}
	}
	cfg.Env = []string{programVariable + "=" + program}
	_, err := Main(ctx, cfg, nil)
	return o, err
}

func TestCancelledJobsLeaveNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o, err := startKnown(ctx, Config{Ranks: 3}, 3, "pids", func(map[int]int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled job ends with %v, want %v", err, context.Canceled)
	}
	for _, pid := range o.of {
		if !isGone(pid) {
			t.Errorf("process %d of a cancelled job is still there", pid)
		}
	}
}

// isGone reports whether a process has ended; it may wait to be noticed by a parent.
func isGone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

func TestRanksEndWithTheirParent(t *testing.T) {
	parent := startParent(t, "one group", "pids")
	of := parent.processes(4)
	parent.signal(syscall.SIGKILL)
	parent.rest()
	for _, pid := range of {
		for !isGone(pid) { // if it never is, the test ends by its timeout
			time.Sleep(time.Millisecond)
		}
	}
}

// TestKilledAtAnyMoment kills a rank of a job that is busy with all kinds of
// operations. All others must be told which it was.
func TestKilledAtAnyMoment(t *testing.T) {
	for name, division := range divisions {
		t.Run(name, func(t *testing.T) { killBusyRanks(t, division, "busy", 3) })
	}
}

// TestKilledAmongBarriers is TestKilledAtAnyMoment where ranks wait for nothing but barriers
// and reductions.
func TestKilledAmongBarriers(t *testing.T) { killBusyRanks(t, Config{Ranks: 4}, "barriers", 6) }

// TestKilledManyTimes is both and TestKilledWhileCommandsAreCarriedOut, more often and at other moments.
func TestKilledManyTimes(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	for name, division := range divisions {
		t.Run(name, func(t *testing.T) { killBusyRanks(t, division, "busy", 4) })
	}
	killBusyRanks(t, Config{Ranks: 4}, "barriers", 7)
	for name, cfg := range haloWays {
		t.Run("halo, "+name, func(t *testing.T) { killBusyRanks(t, cfg, "halo without end", 3) })
	}
}

func killBusyRanks(t *testing.T, division Config, program string, jobs int) {
	const ranks = 4
	rng := rand.New(rand.NewPCG(3, uint64(jobs))) // other moments where there are more jobs
	if livetest.Race {
		jobs = min(jobs, 2)
	}
	for nth := range jobs {
		victim := rng.IntN(ranks)
		after := time.Duration(rng.IntN(20_000)) * time.Microsecond
		var killed error
		o, err := startKnown(t.Context(), division, ranks, program, func(of map[int]int) {
			time.Sleep(after)
			killed = syscall.Kill(of[victim], syscall.SIGKILL)
		})
		if killed != nil {
			t.Fatalf("job %d: killing rank %d: %v\n%s", nth, victim, killed, &o.text)
		}
		var failed *RankError
		if !errors.As(err, &failed) || failed.Rank != victim {
			t.Errorf("job %d ends with %v, want that rank %d was ended by a signal", nth, err, victim)
		}
		told := fmt.Sprintf("told: live: the process of rank %d was ended by a signal", victim)
		if got := strings.Count(o.text.String(), told); got != ranks-1 {
			t.Errorf("job %d: %d ranks are told that rank %d was killed, want %d:\n%s", nth, got, victim, ranks-1, &o.text)
		}
	}
}

// busy pushes, pulls, accumulates and sends without end, and compares what comes. It says
// what has ended that.
func busy(p rma.Process) ([]byte, error) {
	memory := make([]byte, p.Size()*part)
	segment, numbers := p.Expose(memory), p.Expose(make([]byte, part))
	fmt.Println("process", os.Getpid())
	err := exchange(p, segment, numbers)
	fmt.Println("told:", err)
	return nil, err
}

// part is how much of the memory of each rank another one uses.
const part = 3 * longBytes

func exchange(p rma.Process, segment, numbers int) error {
	rng := rand.New(rand.NewPCG(5, uint64(p.Rank())))
	receiver := rma.NewReceiver(p)
	got := make([]byte, part)
	for round := uint64(1); ; round++ {
		to, n := rng.IntN(p.Size()), 1+rng.IntN(part)
		at := rma.Address{Rank: to, Segment: segment, Offset: p.Rank() * part}
		data := bytes.Repeat([]byte{byte(round)}, n)
		pushed, err := p.Push(at, data, rma.DMA)
		if err == nil {
			err = p.Wait(pushed)
		}
		if err != nil {
			return err
		}
		pulled, err := p.Pull(at, got[:n])
		if err == nil {
			err = p.Wait(pulled)
		}
		if err != nil {
			return err
		}
		if !bytes.Equal(got[:n], data) {
			return fmt.Errorf("round %d: %d bytes came back other than they were pushed", round, n)
		}
		if err := addAndSubtract(p.(rma.Accumulator), rma.Address{Rank: to, Segment: numbers}, n); err != nil {
			return err
		}
		if err := turn(p, receiver, round); err != nil {
			return err
		}
	}
}

// addAndSubtract adds 1 to as many words as fit n bytes, and takes it back. All ranks do that
// to the same words, so none is ever more than there are ranks.
func addAndSubtract(p rma.Accumulator, at rma.Address, n int) error {
	ones, was := slices.Repeat([]int64{1}, n/8), make([]int64, n/8)
	added, err := p.Accumulate(at, rma.Sum, ones, nil)
	if err != nil {
		return err
	}
	for i := range ones {
		ones[i] = -1
	}
	subtracted, err := p.Accumulate(at, rma.Sum, ones, was)
	if err == nil {
		err = p.Wait(subtracted)
	}
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(was, func(w int64) bool { return w < 1 || w > int64(p.Size()) }); i >= 0 {
		return fmt.Errorf("word %d is %d when each of %d ranks has added 1 to it at most", i, was[i], p.Size())
	}
	return p.Wait(added)
}

// turn sends a message to the next rank and takes one of the rank before.
func turn(p rma.Process, receiver *rma.Receiver, round uint64) error {
	sent, err := p.IPush((p.Rank()+1)%p.Size(), binary.LittleEndian.AppendUint64(nil, round), rma.BOTF)
	if err != nil {
		return err
	}
	m, err := receiver.Receive()
	if err != nil {
		return err
	}
	if from := (p.Rank() + p.Size() - 1) % p.Size(); m.From != from || binary.LittleEndian.Uint64(m.Data) != round {
		return fmt.Errorf("round %d: a message of rank %d says % x", round, m.From, m.Data)
	}
	return p.Wait(sent)
}
