package live

import (
	"bytes"
	"math/rand/v2"
	"musubi/live/wire"
	"runtime"
	"sync"
	"testing"
)

// talk sends and receives records in turns with another rank, as a seed says: mostly of two
// words, some at once, of which some go by the common lines and some by the ring.
func talk(t *testing.T, r *rank, other int, begins bool, turns int) {
	rng := rand.New(rand.NewPCG(1, 2))
	out, in := &r.out[other], &r.in[other]
	number := 0
	for turn := range turns {
		for range 1 + rng.IntN(3) {
			n := 2 * wordBytes
			if rng.IntN(4) == 0 {
				n = rng.IntN(out.most + 1)
			}
			if want := body(number, n); (turn%2 == 0) == begins {
				for !out.writeCopy(want[:min(n, wordBytes)], want[min(n, wordBytes):]) && !t.Failed() {
					runtime.Gosched()
				}
			} else {
				k, got := in.next()
				for ; k == 0 && !t.Failed(); k, got = in.next() {
					runtime.Gosched()
				}
				out.acknowledge(in.ack)
				if k != wire.Message || !bytes.Equal(got, want) {
					t.Errorf("record %d: kind %d, % x; want % x", number, k, got, want)
					return
				}
				in.take(n)
				in.flush()
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
			const turns = 20_000
			var both sync.WaitGroup
			both.Go(func() { talk(t, newRank(job, ranks[0]), ranks[1], true, turns) })
			both.Go(func() { talk(t, newRank(job, ranks[1]), ranks[0], false, turns) })
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
	seen := map[*half]bool{}
	for from := range 3 {
		for to := range 3 {
			h := job.half(from, to)
			if seen[h] {
				t.Errorf("from %d to %d: a half that others have", from, to)
			}
			seen[h] = true
		}
	}
	runtime.KeepAlive(job)
}
