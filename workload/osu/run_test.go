package osu

import "testing"

func TestRepeatsAreThoseOfTheOriginal(t *testing.T) {
	for _, test := range []struct {
		name        string
		run         Run
		short, long repeats
	}{
		{"latency", Run{Iterations: -1, Warmup: -1}, repeats{10000, 100}, repeats{1000, 10}},
		{"bw", Run{Iterations: -1, Warmup: -1}, repeats{100, 10}, repeats{20, 2}},
		{"alltoall", Run{Iterations: -1, Warmup: -1}, repeats{1000, 100}, repeats{100, 10}},
		{"latency", Run{Short: true, Iterations: -1, Warmup: -1}, repeats{100, 1}, repeats{10, 1}},
		{"bw", Run{Short: true, Iterations: -1, Warmup: -1}, repeats{1, 1}, repeats{1, 1}},
		{"latency", Run{Short: true, Iterations: 7, Warmup: -1}, repeats{7, 1}, repeats{7, 1}},
		{"latency", Run{Short: true, Iterations: -1, Warmup: 0}, repeats{100, 0}, repeats{10, 0}},
	} {
		test.run.Test = Named(test.name)
		if got := test.run.repeats(longestShort); got != test.short {
			t.Errorf("%s, %d and %d given: short messages %v, want %v", test.name, test.run.Iterations, test.run.Warmup, got, test.short)
		}
		if got := test.run.repeats(longestShort + 1); got != test.long {
			t.Errorf("%s, %d and %d given: long messages %v, want %v", test.name, test.run.Iterations, test.run.Warmup, got, test.long)
		}
	}
}
