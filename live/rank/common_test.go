package rank

import (
	"bytes"
	"math/rand/v2"
	"musubi/live/livetest"
	"musubi/live/shm"
	"musubi/live/wire"
	"runtime"
	"sync"
	"testing"
)

// talk sends and receives records in turns with another rank, as a seed says: mostly of two
// words, some at once, of which some go by the common lines and some by the ring.
func talk(t *testing.T, r *Rank, other int, begins bool, turns int) {
	rng := rand.New(rand.NewPCG(1, 2))
	ring := r.out[other].ring
	number := 0
	for turn := range turns {
		for range 1 + rng.IntN(3) {
			n := 2 * shm.WordBytes
			if rng.IntN(4) == 0 {
				n = rng.IntN(ring.Out.Most + 1)
			}
			if want := recordBody(number, n); (turn%2 == 0) == begins {
				for !ring.WriteMessage(want[:min(n, shm.WordBytes)], want[min(n, shm.WordBytes):]) && !t.Failed() {
					runtime.Gosched()
				}
			} else {
				k, got := ring.Next()
				for ; k == 0 && !t.Failed(); k, got = ring.Next() {
					runtime.Gosched()
				}
				if k != wire.Message || !bytes.Equal(got, want) {
					t.Errorf("record %d: kind %d, % x; want % x", number, k, got, want)
					return
				}
				ring.In.Take(n)
				ring.In.Flush()
			}
			number++
		}
	}
}

func TestRanksAnswerByTheLinesTheyHaveInCommon(t *testing.T) {
	for _, ringBytes := range []int{1 << 10, 64 << 10} {
		for _, ranks := range [][2]int{{0, 1}, {2, 1}} {
			job, err := variant{ringBytes: ringBytes}.region(3)
			if err != nil {
				t.Fatal(err)
			}
			turns := 5_000
			if livetest.Race {
				turns = 300
			}
			var both sync.WaitGroup
			both.Go(func() { talk(t, New(job, ranks[0]), ranks[1], true, turns) })
			both.Go(func() { talk(t, New(job, ranks[1]), ranks[0], false, turns) })
			both.Wait()
			runtime.KeepAlive(job)
		}
	}
}

// No two ranks write to the same half.
func TestHalvesOfRanksAreTheirOwn(t *testing.T) {
	job, err := variant{ringBytes: 1 << 10}.region(3)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[*shm.Half]bool{}
	for from := range 3 {
		for to := range 3 {
			h := job.Half(from, to)
			if seen[h] {
				t.Errorf("from %d to %d: a half that others have", from, to)
			}
			seen[h] = true
		}
	}
	runtime.KeepAlive(job)
}

// recordBody makes the body of a record, which tells its number.
func recordBody(number, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(number*31 + i + 1)
	}
	return b
}
