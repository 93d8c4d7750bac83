package live

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"musubi/live/livetest"
	"musubi/rma"
)

// haloWays are ways in which data goes between processes.
var haloWays = map[string]Config{
	"shared memory":       {Ranks: 4},
	"without copies":      {Ranks: 4, NoDirect: true},
	"TCP":                 {Ranks: 4, Transport: TransportTCP},
	"Unix sockets":        {Ranks: 4, Transport: TransportUnix},
	"both":                {Hosts: onThisHost(2, 2)},
	"both without copies": {Hosts: onThisHost(2, 2), NoDirect: true},
}

// isLeftOut reports whether tests leave a way to -long: the others have each of the ways of data. The race
// detector sees two, and has no long tests.
func isLeftOut(way string) bool {
	if livetest.Race {
		return way != "without copies" && way != "both"
	}
	usual := way == "shared memory" || way == "TCP" || way == "both without copies"
	return usual == *long
}

func TestHalosBetweenProcesses(t *testing.T) {
	for name, cfg := range haloWays {
		if isLeftOut(name) {
			continue
		}
		for _, program := range []string{"halo", "halo while all compute"} {
			t.Run(name+"/"+program, func(t *testing.T) {
				if _, output, err := start(t.Context(), cfg, program); err != nil {
					t.Errorf("%v\n%s", err, output)
				}
			})
		}
	}
}

// haloProgram exchanges in several ways.
func haloProgram(p rma.Process) ([]byte, error) {
	for _, queues := range []int{1, 2} {
		for _, window := range []bool{false, true} {
			if err := livetest.ExchangeHalos(8, 20<<10, queues, window)(p); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// Ranks that are killed while they, or others for them, carry out commands are named.
func TestKilledWhileCommandsAreCarriedOut(t *testing.T) {
	for name, cfg := range haloWays {
		if isLeftOut(name) {
			continue
		}
		t.Run(name, func(t *testing.T) { killBusyRanks(t, cfg, "halo without end", 2) })
	}
}

// haloWithoutEnd exchanges until something has gone wrong, and says what.
func haloWithoutEnd(p rma.Process) ([]byte, error) {
	fmt.Println("process", os.Getpid())
	err := livetest.ExchangeHalos(math.MaxInt, 20<<10, 2, false)(p)
	fmt.Println("told:", err)
	return nil, err
}

// writeToRank1 lets all others write to rank 1, one command after the other, until something
// has gone wrong, and says what.
func writeToRank1(p rma.Process) ([]byte, error) {
	const bytes = 20 << 10
	segment := p.Expose(make([]byte, bytes))
	q, err := p.(rma.Commander).OpenQueue(rma.QueueConfig{})
	if err != nil {
		return nil, err
	}
	if err := livetest.MeetAll(p); err != nil {
		return nil, err
	}
	fmt.Println("process", os.Getpid())
	put := rma.Command{Put: true, To: rma.Address{Rank: 1, Segment: segment}, Data: make([]byte, bytes), TargetQueue: rma.QueueAddress{Rank: 1, Queue: q.Number()}}
	for err == nil && p.Rank() != 1 {
		err = q.Post(put)
		start := time.Now()
		for done := false; err == nil && !done; {
			if time.Since(start) > time.Millisecond {
				time.Sleep(time.Millisecond) // rank 1 is no more, and this is not told yet
			}
			done, err = q.Completion()
		}
	}
	if err == nil {
		err = p.WaitUntil(func() bool { return false })
	}
	fmt.Println("told:", err)
	return nil, err
}

// haloWhileAllCompute looks at its memory, and is in no call, until an exchange is over.
// Nothing but that can end it, so the bound is long.
func haloWhileAllCompute(p rma.Process) ([]byte, error) {
	h, err := livetest.NewHalo(p, 50<<10, 2, false)
	if err != nil {
		return nil, err
	}
	for range 3 {
		h.Fill()
		if err := h.Start(); err != nil {
			return nil, err
		}
		for start := time.Now(); !h.ArrivedFromOthers(); {
			if time.Since(start) > time.Minute {
				return nil, fmt.Errorf("round %d is not over while all compute", h.Round)
			}
		}
		if err := h.Wait(); err != nil {
			return nil, err
		}
		if err := h.Check(); err != nil {
			return nil, err
		}
	}
	return nil, livetest.MeetAll(p)
}
