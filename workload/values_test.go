package workload

import (
	"slices"
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string][]int{
		"8":              {8},
		"8,64,1792":      {8, 64, 1792},
		"8..1792":        {8, 16, 32, 64, 128, 256, 512, 1024, 1792},
		"6..20, 1KiB":    {6, 8, 16, 20, 1024},
		"64..64":         {64},
		"1..4":           {1, 2, 4},
		"packet":         {1792},
		"512..packet":    {512, 1024, 1792},
		"1792,packet":    {1792},
		"2KiB..8KiB":     {2048, 4096, 8192},
		"1000,8..8,2kB":  {1000, 8, 2000},
		"8..100:32":      {8, 40, 72, 100},
		"1..3:1, 8..8:8": {1, 2, 3, 8},
	} {
		v := &Values{texts: map[string]string{"bytes": text}}
		if got := v.Sizes("bytes", Env{Payload: 1792}); v.err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, v.err, want)
		}
	}
}

func TestFractionsCountInDecimals(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1,0.2":      {0.1, 0.2},
		"0.05..0.2:.1": {0.05, 0.15},
		"0.1..0.5:0.1": {0.1, 0.2, 0.3, 0.4, 0.5},
		"1":            {1},
	} {
		v := &Values{texts: map[string]string{"load": text}}
		if got := v.Fractions("load"); v.err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, v.err, want)
		}
	}
}
