package nas

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// allScripts returns the scripts of all processes.
func allScripts(k *Kernel, class, ranks int) []Script {
	var scripts []Script
	for rank := range ranks {
		scripts = append(scripts, k.Script(class, ranks, rank))
	}
	return scripts
}

// perform carries out scripts in turn, each as far as messages have come. It fails
// if a message is not what its receiver waits for, if processes wait for ever, or
// if messages are left.
func perform(scripts []Script) error {
	type way struct{ from, to int }
	under := map[way][]int{} // bytes of messages under way
	at := make([]int, len(scripts))
	for moved := true; moved; {
		moved = false
		for rank := range scripts {
			all := slices.Concat(scripts[rank].iteration, scripts[rank].finish)
			for ; at[rank] < len(all); at[rank]++ {
				a := all[at[rank]]
				in := way{a.peer, rank}
				if a.kind == sendAction {
					under[way{rank, a.peer}] = append(under[way{rank, a.peer}], a.bytes)
				}
				if a.kind == receiveAction {
					if len(under[in]) == 0 {
						break
					}
					if under[in][0] != a.bytes {
						return fmt.Errorf("rank %d sends %d bytes to rank %d, which waits for %d", a.peer, under[in][0], rank, a.bytes)
					}
					under[in] = under[in][1:]
				}
				moved = true
			}
		}
	}
	for rank := range scripts {
		if all := len(scripts[rank].iteration) + len(scripts[rank].finish); at[rank] < all {
			return fmt.Errorf("rank %d waits for ever before action %d of %d", rank, at[rank]+1, all)
		}
	}
	for w, messages := range under {
		if len(messages) > 0 {
			return fmt.Errorf("%d messages from rank %d to rank %d are never received", len(messages), w.from, w.to)
		}
	}
	return nil
}

func TestScriptsMatch(t *testing.T) {
	const most = 36
	for i := range Kernels {
		k := &Kernels[i]
		for class := range Classes {
			for ranks := 1; ranks <= most; ranks++ {
				if !k.Fits(class, ranks) {
					continue
				}
				if err := perform(allScripts(k, class, ranks)); err != nil {
					t.Errorf("%s of class %s on %d ranks: %v", k.Name, Classes[class], ranks, err)
				}
			}
		}
	}
}

// volume counts the messages of all processes in one iteration, and their bytes.
func volume(k *Kernel, class, ranks int) (messages, bytes int) {
	for _, s := range allScripts(k, class, ranks) {
		for _, a := range s.iteration {
			if a.kind == sendAction {
				messages++
				bytes += a.bytes
			}
		}
	}
	return messages, bytes
}

func kernelNamed(name string) *Kernel {
	return &Kernels[slices.Index(Names(), name)]
}

// Messages of an iteration of class A with 64 processes, counted by hand from the
// algorithms.
func TestScriptsHaveTheMessagesOfTheAlgorithms(t *testing.T) {
	for name, want := range map[string]int{
		// Faces of six sides: on seven grids that all have points of (4 to 256 points),
		// once on the way down but for the finest, twice on the way up, and once at the
		// end; on the coarsest grid, of 8 processes, twice. To wake the others, half of
		// all send two messages along each of three axes.
		"mg": 64*6*(6+7*2+1) + 8*6*2 + 3*32*2,
		// Three partners in a row for 53 numbers and 26 products, and the transposed
		// place of all but the diagonal for 26 products.
		"cg": 64*3*(53+26) + 56*26,
		// Neighbours of a grid of 8 by 8 share 112 borders, which each plane crosses once
		// up and once down, and faces twice.
		"lu": 112 * (62 + 62 + 2),
		// Six faces, and 7 borders up and down along each axis.
		"sp": 64 * (6 + 3*7*2),
		"bt": 64 * (6 + 3*7*2),
		"is": 0,
	} {
		if got, _ := volume(kernelNamed(name), slices.Index(Classes, "A"), 64); got != want {
			t.Errorf("%s: %d messages; expected %d", name, got, want)
		}
	}
}

// However unevenly points are divided, the borders of all parts together are as
// large as the cuts through the whole grid.
func TestVolumeIsThatOfTheCuts(t *testing.T) {
	const point = 5 * 8 // bytes
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.IntRange(0, len(Classes)-1).Draw(t, "class")
		power := 1 << rapid.IntRange(0, 8).Draw(t, "log2 ranks")
		p := rapid.IntRange(1, 16).Draw(t, "cells")
		cuts := 3 * (p - 1)

		if n := luPoints[class]; luFits(class, power) {
			x, y := luShape(power)
			want := (x + y - 2) * (2*(n-2)*(n-2) + 2*2*n*n) * point // two sweeps; two points deep both ways
			if _, got := volume(kernelNamed("lu"), class, power); got != want {
				t.Errorf("lu on %d ranks: %d bytes; expected %d", power, got, want)
			}
		}
		if n := spPoints[class]; spFits(class, p*p) {
			want := cuts * (2*2*n*n*point + (22+10)*8*(n-2)*(n-2))
			if _, got := volume(kernelNamed("sp"), class, p*p); got != want {
				t.Errorf("sp on %d ranks: %d bytes; expected %d", p*p, got, want)
			}
		}
		if n := btPoints[class]; btFits(class, p*p) {
			largest := n/p + 1
			want := cuts * (2*2*n*n*point + (30+5)*8*p*p*largest*largest)
			if _, got := volume(kernelNamed("bt"), class, p*p); got != want {
				t.Errorf("bt on %d ranks: %d bytes; expected %d", p*p, got, want)
			}
		}
	})
}
