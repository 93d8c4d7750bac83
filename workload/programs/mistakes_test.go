package programs

import (
	"strings"
	"testing"

	"musubi/workload"
	"musubi/workload/internal/ideal"
)

func TestMistakesAreNamed(t *testing.T) {
	tests := []struct {
		workload string
		settings map[string]string
		env      workload.Env
		want     string // part of the message
	}{
		{"pingpong", ideal.Set("byte=8"), workload.Env{Ranks: 2}, `no parameter "byte"; known: bytes, mechanism, copy, from, to, iterations, warmup`},
		{"pingpong", ideal.Set("bytes=x"), workload.Env{Ranks: 2}, "bytes=x: expected sizes"},
		{"pingpong", ideal.Set("bytes=0"), workload.Env{Ranks: 2}, "expected sizes of 1 to"},
		{"pingpong", ideal.Set("bytes=,"), workload.Env{Ranks: 2}, "expected sizes"},
		{"pingpong", ideal.Set("bytes=2GiB"), workload.Env{Ranks: 2}, "expected sizes"},
		{"pingpong", ideal.Set("bytes=64..8"), workload.Env{Ranks: 2}, "ends before it begins"},
		{"pingpong", ideal.Set("bytes=8..64:0"), workload.Env{Ranks: 2}, "expected sizes"},
		{"pingpong", ideal.Set("bytes=1..64MiB:1"), workload.Env{Ranks: 2}, "more than 1000 sizes"},
		{"pingpong", nil, workload.Env{Ranks: 1}, "to=1: expected a rank, and there is only rank 0"},
		{"pingpong", ideal.Set("to=0"), workload.Env{Ranks: 2}, "another rank than from"},
		{"pingpong", ideal.Set("to=each-distance"), workload.Env{Ranks: 2}, "no switches"},
		{"pingpong", ideal.Set("mechanism=dma"), workload.Env{Ranks: 2}, "expected all, or a list out of push, ipush, botf"},
		{"pingpong", ideal.Set("mechanism=pio"), workload.Env{Ranks: 2}, "mechanism=pio: this machine has no BOTF"},
		{"pingpong", ideal.Set("mechanism=push,botf"), workload.Env{Ranks: 2}, "mechanism=push,botf: this machine has no BOTF"},
		{"pingpong", ideal.Set("mechanism=queue"), workload.Env{Ranks: 2}, "mechanism=queue: this machine has no command queues"},
		{"pingpong", ideal.Set("mechanism=botf", "bytes=8..packet"), workload.Env{Ranks: 2, Payload: 1792, BOTF: 64}, "at most 64 bytes, and 1792"},
		{"pingpong", ideal.Set("copy=hot"), workload.Env{Ranks: 2}, "expected all, or a list out of none, cached, uncached"},
		{"pingpong", nil, workload.Env{}, "0 ranks"},
		{"stream", ideal.Set("window=0"), workload.Env{Ranks: 2}, "window=0: expected a whole number from 1"},
		{"stream", ideal.Set("window=65536", "copy=cached", "bytes=64MiB"), workload.Env{Ranks: 2}, "have more than 1GiB"},
		{"stream", ideal.Set("operation=pull", "mechanism=pio", "bytes=8"), workload.Env{Ranks: 2, BOTF: 64}, "operation=pull reads by DMA only"},
		{"stream", ideal.Set("operation=pull", "mechanism=ipush"), workload.Env{Ranks: 2}, "operation=pull reads by DMA only"},
		{"botf", nil, workload.Env{Ranks: 2}, "this machine has no BOTF"},
		{"botf", ideal.Set("windows=1..2"), workload.Env{Ranks: 2, BOTF: 64}, "no windows to choose from; expected 1"},
		{"botf", ideal.Set("windows=1..5"), ideal.WindowsEnv(), "this machine has 4 windows for each rank"},
		{"botf", ideal.Set("windows=0"), ideal.WindowsEnv(), "expected numbers from 1 to 4"},
		{"botf", ideal.Set("windows=3..2"), ideal.WindowsEnv(), "expected numbers from 1 to 4"},
		{"botf", ideal.Set("windows=1,x"), ideal.WindowsEnv(), "expected numbers from 1 to 4"},
		{"botf", ideal.Set("cache=hot"), ideal.WindowsEnv(), "expected all, or a list out of warm, cold"},
		{"botf", ideal.Set("cache=warm,cold"), workload.Env{Ranks: 2, BOTF: 64}, "does not model the cache of its processor; expected warm"},
		{"pattern", ideal.Set("mechanism=ipush"), ideal.Chain(64), "expected one of push, botf"},
		{"barrier", ideal.Set("mechanism=pio"), workload.Env{Ranks: 2}, "mechanism=pio: this machine has no BOTF"},
		{"pattern", ideal.Set("pattern=vortex"), ideal.Chain(64), "expected all, or a list out of bit-reversal"},
		{"pattern", ideal.Set("pattern=bit-reversal"), ideal.Chain(48), "permutes a power of two, and there are 12 switches"},
		{"pattern", ideal.Set("pattern=transpose"), ideal.Chain(32), "permutes a power of four, and there are 8 switches"},
		{"pattern", ideal.Set("loop=closed"), ideal.Chain(61), "switch 15 has only rank 60"},
		{"pattern", ideal.Set("loop=open"), workload.Env{Ranks: 8}, "no network to offer packets to"},
		{"pattern", nil, workload.Env{Ranks: 9}, "pair of ranks 4 has only rank 8"},
		{"pattern", ideal.Set("load=0.5"), ideal.Chain(64), "has no meaning with loop=closed"},
		{"pattern", ideal.Set("target=3"), ideal.Chain(64), "has no meaning without pattern=hotspot"},
		{"pattern", ideal.Set("pattern=hotspot", "target=16"), ideal.Chain(64), "whole number from 0 to 15"},
		{"pattern", ideal.Set("pattern=hotspot", "fraction=2"), ideal.Chain(64), "fraction from 0 to 1"},
		{"pattern", ideal.Set("loop=open", "rounds=3"), ideal.Chain(64), "has no meaning with loop=open"},
		{"pattern", ideal.Set("loop=open", "pattern=all"), ideal.Chain(64), "one pattern at a time"},
		{"pattern", ideal.Set("loop=open", "load=0"), ideal.Chain(64), "above 0 and up to 1"},
		{"pattern", ideal.Set("loop=open", "load=0.1..0.5"), ideal.Chain(64), "a range such as 0.05..0.5:0.05"},
		{"pattern", ideal.Set("loop=open", "load=1e-999999999..1:1"), ideal.Chain(64), "above 0 and up to 1"},
		{"pattern", ideal.Set("loop=open", "load=0.0001..1:0.0001"), ideal.Chain(64), "more than 1000"},
		{"pattern", ideal.Set("loop=open", "warmup=3"), ideal.Chain(64), "a time such as"},
		{"pattern", ideal.Set("loop=open", "measure=0us"), ideal.Chain(64), "expected at least 1ps"},
		{"pattern", ideal.Set("loop=open", "bytes=8,16"), ideal.Chain(64), "one size at a time"},
		{"pattern", ideal.Set("loop=open", "bytes=8", "flits=3"), ideal.Chain(64), "has no meaning with flits"},
		{"barrier", nil, workload.Env{Ranks: 1}, "needs two ranks"},
		{"halo", ideal.Set("stencil=4d"), workload.Env{Ranks: 2}, "expected one of 1d, 2d5, 2d9, 3d"},
		{"halo", ideal.Set("protocol=quick"), workload.Env{Ranks: 2}, "expected all, or a list out of auto, prdma, fast, mrc"},
		{"halo", ideal.Set("queues=2", "protocol=mrc"), workload.Env{Ranks: 2}, "queues=2: protocol=mrc says how many there are; expected 0, or protocol=auto"},
		{"halo", ideal.Set("queues=49"), workload.Env{Ranks: 2}, "expected numbers from 0 to 48"},
		{"halo", ideal.Set("queues=3..1"), workload.Env{Ranks: 2}, "expected numbers from 0 to 48"},
		{"halo", ideal.Set("bytes=-1"), workload.Env{Ranks: 2}, "expected sizes of 0 to 1GiB"},
		{"halo", ideal.Set("compute=0us"), workload.Env{Ranks: 2}, "expected at least 1ps"},
		{"halo", ideal.Set("compute=long"), workload.Env{Ranks: 2}, "a time such as"},
		{"halo", ideal.Set("iterations=0"), workload.Env{Ranks: 2}, "whole number from 1"},
		{"halo", ideal.Set("warmup=0"), workload.Env{Ranks: 2}, "whole number from 1"},
		{"barrier", ideal.Set("algorithm=tree"), workload.Env{Ranks: 2}, "expected one of multicast, dissemination"},
	}
	for _, test := range tests {
		_, err := ideal.Measure(lookup(t, test.workload), test.settings, test.env)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v: got %v; want %q", test.workload, test.settings, err, test.want)
		}
	}
	if _, err := Lookup("ping"); err == nil || !strings.Contains(err.Error(), "known: pingpong, stream, botf, pattern, barrier") {
		t.Errorf("unknown workload: %v", err)
	}
}

// A parameter that is set to nothing does not get its default: the text may be that of a variable that is not set.
func TestEmptyValuesAreRefused(t *testing.T) {
	for _, w := range All() {
		for _, p := range w.Params {
			if w.Name == "trace" && p.Name != "file" {
				continue // it reads the file first
			}
			env := ideal.WindowsEnv()
			env.Guarded, env.Payload = true, 64 // for intruder
			settings := map[string]string{p.Name: ""}
			if env.Ranks = w.Ranks(settings); env.Ranks == 0 {
				env.Ranks = 4
			}
			_, err := w.Prepare(settings, env)
			if err == nil || !strings.Contains(err.Error(), p.Name+"=: ") {
				t.Errorf("%s %s=: got %v", w.Name, p.Name, err)
			}
		}
	}
}

func lookup(t *testing.T, name string) *workload.Workload {
	t.Helper()
	w, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
