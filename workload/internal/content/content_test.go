package content_test

import (
	"fmt"
	"testing"

	"musubi/rma"
	"musubi/workload/internal/content"
	"musubi/workload/internal/ideal"
)

// Data passes its check, and with any one byte changed it does not. The error names the byte.
func TestEveryByteIsChecked(t *testing.T) {
	const ranks, size = 5, 200
	world := ideal.World{}
	err := world.Run(ranks, func(p rma.Process) error {
		c := content.New(p, 3*size)
		c.Sum()
		for offset := 0; offset < 3*size; offset += size {
			sum := make([]byte, size)
			for rank := range ranks {
				data := append([]byte(nil), c.Of(rank, offset, size)...)
				for i := range sum {
					sum[i] += data[i]
				}
				checkedEverywhere(t, data, fmt.Sprintf("from rank %d", rank), func() error { return c.Check(data, rank, offset) })
				checkedEverywhere(t, sum, fmt.Sprintf("of the sum over ranks 0 to %d", rank), func() error { return c.CheckSum(sum, rank, offset) })
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkedEverywhere fails the test unless a check accepts data, and finds each change of a byte.
func checkedEverywhere(t *testing.T, data []byte, whose string, check func() error) {
	t.Helper()
	if err := check(); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		right := data[i]
		data[i] ^= 1 << (i % 8)
		want := fmt.Sprintf("byte %d %s is %#02x; expected %#02x", i, whose, data[i], right)
		if err := check(); err == nil || err.Error() != want {
			t.Fatalf("error %v; expected %s", err, want)
		}
		data[i] = right
	}
}

// Ranks and offsets have different data.
func TestDataDiffers(t *testing.T) {
	const ranks, size = 8, 16
	world := ideal.World{}
	err := world.Run(ranks, func(p rma.Process) error {
		c, seen := content.New(p, ranks*size), map[string]bool{}
		for rank := range ranks {
			for part := range ranks {
				seen[string(c.Of(rank, part*size, size))] = true
			}
		}
		if len(seen) != ranks*ranks {
			t.Errorf("%d parts of %d are different", len(seen), ranks*ranks)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Blocks pass their check. With a byte in one changed, or one between them written, they do not.
func TestBlocksAreChecked(t *testing.T) {
	const bytes, stride, extent = 3, 7, 5*7 + 3
	world := ideal.World{}
	err := world.Run(2, func(p rma.Process) error {
		c := content.New(p, extent)
		for changed := range extent + 1 {
			got := make([]byte, extent)
			for at := 0; at < extent; at += stride {
				copy(got[at:], c.Of(1, at, bytes))
			}
			if changed < extent {
				got[changed]++
			}
			if err := c.CheckBlocks(got, 1, bytes, stride); (err == nil) != (changed == extent) {
				t.Errorf("byte %d of %d changed: error %v", changed, extent, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
