package workload

import (
	"slices"
	"strings"
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
		v := &values{texts: map[string]string{"bytes": text}}
		if got := v.sizes("bytes", Env{Payload: 1792}); v.err != nil || !slices.Equal(got, want) {
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
		v := &values{texts: map[string]string{"load": text}}
		if got := v.fractions("load"); v.err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, v.err, want)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	tests := []struct {
		workload string
		settings map[string]string
		env      Env
		want     string // part of the message
	}{
		{"pingpong", set("byte=8"), Env{Ranks: 2}, `no parameter "byte"; known: bytes, mechanism, copy, from, to, iterations, warmup`},
		{"pingpong", set("bytes=x"), Env{Ranks: 2}, "bytes=x: expected sizes"},
		{"pingpong", set("bytes=0"), Env{Ranks: 2}, "expected sizes of 1 to"},
		{"pingpong", set("bytes=,"), Env{Ranks: 2}, "expected sizes"},
		{"pingpong", set("bytes=2GiB"), Env{Ranks: 2}, "expected sizes"},
		{"pingpong", set("bytes=64..8"), Env{Ranks: 2}, "ends before it begins"},
		{"pingpong", set("bytes=8..64:0"), Env{Ranks: 2}, "expected sizes"},
		{"pingpong", set("bytes=1..64MiB:1"), Env{Ranks: 2}, "more than 1000 sizes"},
		{"pingpong", nil, Env{Ranks: 1}, "to=1: expected a rank, and there is only rank 0"},
		{"pingpong", set("to=0"), Env{Ranks: 2}, "another rank than from"},
		{"pingpong", set("to=each-distance"), Env{Ranks: 2}, "no switches"},
		{"pingpong", set("mechanism=dma"), Env{Ranks: 2}, "expected all, or a list out of push, ipush, botf"},
		{"pingpong", set("mechanism=pio"), Env{Ranks: 2}, "mechanism=pio: this machine has no BOTF"},
		{"pingpong", set("mechanism=push,botf"), Env{Ranks: 2}, "mechanism=push,botf: this machine has no BOTF"},
		{"pingpong", set("mechanism=queue"), Env{Ranks: 2}, "mechanism=queue: this machine has no command queues"},
		{"pingpong", set("mechanism=botf", "bytes=8..packet"), Env{Ranks: 2, Payload: 1792, BOTF: 64}, "at most 64 bytes, and 1792"},
		{"pingpong", set("copy=hot"), Env{Ranks: 2}, "expected all, or a list out of none, cached, uncached"},
		{"pingpong", nil, Env{}, "0 ranks"},
		{"stream", set("window=0"), Env{Ranks: 2}, "window=0: expected a whole number from 1"},
		{"stream", set("window=65536", "copy=cached", "bytes=64MiB"), Env{Ranks: 2}, "have more than 1GiB"},
		{"stream", set("operation=pull", "mechanism=pio", "bytes=8"), Env{Ranks: 2, BOTF: 64}, "operation=pull reads by DMA only"},
		{"stream", set("operation=pull", "mechanism=ipush"), Env{Ranks: 2}, "operation=pull reads by DMA only"},
		{"botf", nil, Env{Ranks: 2}, "this machine has no BOTF"},
		{"botf", set("windows=1..2"), Env{Ranks: 2, BOTF: 64}, "no windows to choose from; expected 1"},
		{"botf", set("windows=1..5"), windowEnv(), "this machine has 4 windows for each rank"},
		{"botf", set("windows=0"), windowEnv(), "expected numbers from 1 to 4"},
		{"botf", set("windows=3..2"), windowEnv(), "expected numbers from 1 to 4"},
		{"botf", set("windows=1,x"), windowEnv(), "expected numbers from 1 to 4"},
		{"botf", set("cache=hot"), windowEnv(), "expected all, or a list out of warm, cold"},
		{"botf", set("cache=warm,cold"), Env{Ranks: 2, BOTF: 64}, "does not model the cache of its processor; expected warm"},
		{"pattern", set("mechanism=ipush"), chain(64), "expected one of push, botf"},
		{"barrier", set("mechanism=pio"), Env{Ranks: 2}, "mechanism=pio: this machine has no BOTF"},
		{"pattern", set("pattern=vortex"), chain(64), "expected all, or a list out of bit-reversal"},
		{"pattern", set("pattern=bit-reversal"), chain(48), "permutes a power of two, and there are 12 switches"},
		{"pattern", set("pattern=transpose"), chain(32), "permutes a power of four, and there are 8 switches"},
		{"pattern", set("loop=closed"), chain(61), "switch 15 has only rank 60"},
		{"pattern", set("loop=open"), Env{Ranks: 8}, "no network to offer packets to"},
		{"pattern", nil, Env{Ranks: 9}, "pair of ranks 4 has only rank 8"},
		{"pattern", set("load=0.5"), chain(64), "has no meaning with loop=closed"},
		{"pattern", set("target=3"), chain(64), "has no meaning without pattern=hotspot"},
		{"pattern", set("pattern=hotspot", "target=16"), chain(64), "whole number from 0 to 15"},
		{"pattern", set("pattern=hotspot", "fraction=2"), chain(64), "fraction from 0 to 1"},
		{"pattern", set("loop=open", "rounds=3"), chain(64), "has no meaning with loop=open"},
		{"pattern", set("loop=open", "pattern=all"), chain(64), "one pattern at a time"},
		{"pattern", set("loop=open", "load=0"), chain(64), "above 0 and up to 1"},
		{"pattern", set("loop=open", "load=0.1..0.5"), chain(64), "a range such as 0.05..0.5:0.05"},
		{"pattern", set("loop=open", "load=1e-999999999..1:1"), chain(64), "above 0 and up to 1"},
		{"pattern", set("loop=open", "load=0.0001..1:0.0001"), chain(64), "more than 1000"},
		{"pattern", set("loop=open", "warmup=3"), chain(64), "a time such as"},
		{"pattern", set("loop=open", "measure=0us"), chain(64), "expected at least 1ps"},
		{"pattern", set("loop=open", "bytes=8,16"), chain(64), "one size at a time"},
		{"pattern", set("loop=open", "bytes=8", "flits=3"), chain(64), "has no meaning with flits"},
		{"barrier", nil, Env{Ranks: 1}, "needs two ranks"},
		{"halo", set("stencil=4d"), Env{Ranks: 2}, "expected one of 1d, 2d5, 2d9, 3d"},
		{"halo", set("protocol=quick"), Env{Ranks: 2}, "expected all, or a list out of auto, prdma, fast, mrc"},
		{"halo", set("queues=2", "protocol=mrc"), Env{Ranks: 2}, "queues=2: protocol=mrc says how many there are; expected 0, or protocol=auto"},
		{"halo", set("queues=49"), Env{Ranks: 2}, "expected numbers from 0 to 48"},
		{"halo", set("queues=3..1"), Env{Ranks: 2}, "expected numbers from 0 to 48"},
		{"halo", set("bytes=-1"), Env{Ranks: 2}, "expected sizes of 0 to 1GiB"},
		{"halo", set("compute=0us"), Env{Ranks: 2}, "expected at least 1ps"},
		{"halo", set("compute=long"), Env{Ranks: 2}, "a time such as"},
		{"halo", set("iterations=0"), Env{Ranks: 2}, "whole number from 1"},
		{"halo", set("warmup=0"), Env{Ranks: 2}, "whole number from 1"},
		{"barrier", set("algorithm=tree"), Env{Ranks: 2}, "expected one of multicast, dissemination"},
	}
	for _, test := range tests {
		_, err := runIdeal(test.workload, test.settings, test.env)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v: got %v; want %q", test.workload, test.settings, err, test.want)
		}
	}
	if _, err := Lookup("ping"); err == nil || !strings.Contains(err.Error(), "known: pingpong, stream, botf, pattern, barrier") {
		t.Errorf("unknown workload: %v", err)
	}
}
