package wire

import (
	"musubi/onesided"
	"testing"
)

func TestCombinationsTravel(t *testing.T) {
	for by := onesided.NoOp; by <= onesided.Replace; by++ {
		for _, wants := range []bool{false, true} {
			c := Combination{By: by, Wants: wants}
			if got, err := DecodeCombination(c.Encode()); err != nil || got != c {
				t.Errorf("%+v comes back as %+v, error %v", c, got, err)
			}
		}
	}
	for _, b := range []uint64{uint64(onesided.Replace) + 1, 2 * WantsBit, 1 << 63} {
		if c, err := DecodeCombination(b); err == nil {
			t.Errorf("%#x is read as %+v", b, c)
		}
	}
}
