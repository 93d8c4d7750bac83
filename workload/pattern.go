package workload

import (
	"slices"
	"strconv"
)

var patternWorkload = &Workload{
	Name:    "pattern",
	lists:   []string{"bytes", "load", "loop", "pattern"},
	Summary: "traffic patterns: bandwidth of blocking senders, or latency and throughput at an offered load",
	Params: []Param{
		{"pattern", "", "all, or a list out of bit-reversal, transpose, butterfly, complement, shuffle, tornado, neighbour, uniform, hotspot, incast, all-to-all; if empty, uniform in the open loop and in both, and in the closed loop bit-reversal if the number of switches is a power of two, else uniform"},
		{"loop", "", "closed: one rank of each switch writes, one transfer after the other; open: end points offer packets at random times; or closed,open: both, one pattern and one size; if empty, closed where each switch has two ranks"},
		{"bytes", "", "data per transfer: a list or a range; if empty, 8..packet (closed loop) or packet (open loop)"},
		{"target", "0", "hotspot, incast: switch (closed loop) or end point (open loop) to which more packets, or all, go"},
		{"fraction", "0.2", "hotspot: fraction of the packets that go there"},
		{"mechanism", "push", "closed loop: push (remote DMA) or botf (written by the processor; also pio)"},
		{"iterations", "50", "closed loop: transfers of the slowest sender measured in each round"},
		{"rounds", "8", "closed loop: measurements, from new random start times"},
		{"warmup", "", "before measuring: closed loop, transfers in each round (10 if empty); open loop, a time (a fifth of measure if empty)"},
		{"load", "0.1..0.7:0.2", "open loop: offered loads as fractions of a link: a list, or a range low..high:step"},
		{"flits", "", "open loop: packet length with header and tail; if empty, it follows from bytes"},
		{"packets", "", "open loop: packets to be offered during the measurement, which sets its duration; if empty, 300000, or 100 for each end point if these are more"},
		{"measure", "", "open loop: duration of the measurement, in place of packets"},
	},
	prepare: preparePattern,
}

func preparePattern(v *values, env Env) *Plan {
	if _, err := findSites(env); err == nil || env.SwitchOf == nil {
		v.or("loop", "closed")
	} else {
		v.or("loop", "open")
	}
	loops := v.choices("loop", []string{"closed", "open"})
	closed, open := slices.Contains(loops, "closed"), slices.Contains(loops, "open")
	switch {
	case closed && open:
		return prepareBoth(v, env)
	case open:
		v.only("with loop=open", "mechanism", "iterations", "rounds")
		return prepareOpen(v, env)
	}
	v.only("with loop=closed", "load", "flits", "measure")
	return prepareClosed(v, env)
}

// prepareBoth sets the closed loop beside the open one: the same pattern over switches and over end
// points, with packets of the same size.
func prepareBoth(v *values, env Env) *Plan {
	v.only("with loop=closed,open", "flits", "warmup")
	v.or("pattern", uniformPattern)
	v.or("bytes", packetWord)
	open := prepareOpen(v, env)
	both := prepareClosed(v, env)
	if v.err != nil {
		return nil
	}
	both.Traffic = open.Traffic
	return both
}

// hotspot reads the parameters of the hotspot and incast patterns over n places.
func (v *values) hotspot(patterns []string, n int) hotspot {
	isHot := slices.Contains(patterns, hotspotPattern)
	if !isHot {
		v.only("without pattern=hotspot", "fraction")
	}
	if !isHot && !slices.Contains(patterns, incastPattern) {
		v.only("without pattern=hotspot or incast", "target")
		return hotspot{}
	}
	return hotspot{v.int("target", 0, n-1), v.fraction("fraction")}
}

func prepareOpen(v *values, env Env) *Plan {
	if env.SwitchOf == nil {
		v.fail("loop", "this machine has no network to offer packets to; expected loop=closed")
	}
	v.or("pattern", uniformPattern)
	patterns := v.choices("pattern", patternNames())
	if len(patterns) != 1 {
		v.fail("pattern", "the open loop takes one pattern at a time")
	}
	v.or("packets", strconv.Itoa(max(300_000, 100*env.Ranks)))
	var err error
	t := &Traffic{
		Pattern: patterns[0],
		Loads:   v.fractions("load"),
		Packets: v.int("packets", 1, 1e9),
		Warmup:  -1,
	}
	if v.text("measure") != "" {
		v.only("with measure", "packets")
		t.Measure = v.time("measure", 1)
	}
	if v.text("warmup") != "" {
		t.Warmup = v.time("warmup", 0)
	}
	if t.Destinations, err = destinations(t.Pattern, placesOf(env, env.Ranks, env.SwitchOf), v.hotspot(patterns, env.Ranks)); err != nil {
		v.fail("pattern", "%v end points", err)
	}
	if v.text("flits") != "" {
		v.only("with flits", "bytes")
		t.Flits = v.int("flits", 1, 1<<20)
		return &Plan{Traffic: t}
	}
	v.or("bytes", packetWord)
	sizes := v.sizes("bytes", env)
	if len(sizes) != 1 {
		v.fail("bytes", "the open loop takes one size at a time")
	}
	t.Bytes = sizes[0]
	return &Plan{Traffic: t}
}
