package traffic

import (
	"slices"
	"strconv"

	"musubi/workload"
)

// Pattern offers traffic patterns to a network, in a closed or in an open loop.
var Pattern = &workload.Workload{
	Name:       "pattern",
	ListParams: []string{"bytes", "load", "loop", "pattern"},
	Summary:    "traffic patterns: bandwidth of blocking senders, or latency and throughput at an offered load",
	Params: []workload.Param{
		{Name: "pattern", Default: "", Help: "all, or a list out of bit-reversal, transpose, butterfly, complement, shuffle, tornado, neighbour, uniform, hotspot, incast, all-to-all, next-group (from each group of a dragonfly to the next); if not given, uniform in the open loop and in both, and in the closed loop bit-reversal if the number of switches is a power of two, else uniform"},
		{Name: "loop", Default: "", Help: "closed: one rank of each switch writes, one transfer after the other; open: end points offer packets at random times; or closed,open: both, one pattern and one size; if not given, closed where each switch has two ranks"},
		{Name: "bytes", Default: "", Help: "data per transfer: a list or a range; if not given, 8..packet (closed loop) or packet (open loop)"},
		{Name: "target", Default: "0", Help: "hotspot, incast: switch (closed loop) or end point (open loop) to which more packets, or all, go"},
		{Name: "fraction", Default: "0.2", Help: "hotspot: fraction of the packets that go there"},
		{Name: "mechanism", Default: "push", Help: "closed loop: push (remote DMA) or botf (written by the processor; also pio)"},
		{Name: "iterations", Default: "50", Help: "closed loop: transfers of the slowest sender measured in each round"},
		{Name: "rounds", Default: "8", Help: "closed loop: measurements, from new random start times"},
		{Name: "warmup", Default: "", Help: "before measuring: closed loop, transfers in each round (10 if not given); open loop, a time (a fifth of measure if not given)"},
		{Name: "load", Default: "0.1..0.7:0.2", Help: "open loop: offered loads as fractions of a link: a list, or a range low..high:step"},
		{Name: "flits", Default: "", Help: "open loop: packet length with header and tail; if not given, it follows from bytes"},
		{Name: "packets", Default: "", Help: "open loop: packets to be offered during the measurement, which sets its duration; if not given, 300000, or 100 for each end point if these are more"},
		{Name: "measure", Default: "", Help: "open loop: duration of the measurement, in place of packets"},
	},
	Make: preparePattern,
}

func preparePattern(v *workload.Values, env workload.Env) *workload.Plan {
	if _, err := findSites(env); err == nil || env.SwitchOf == nil {
		v.Or("loop", "closed")
	} else {
		v.Or("loop", "open")
	}
	loops := v.Choices("loop", []string{"closed", "open"})
	closed, open := slices.Contains(loops, "closed"), slices.Contains(loops, "open")
	switch {
	case closed && open:
		return prepareBoth(v, env)
	case open:
		v.Only("with loop=open", "mechanism", "iterations", "rounds")
		return prepareOpen(v, env)
	}
	v.Only("with loop=closed", "load", "flits", "measure", "packets")
	return prepareClosed(v, env)
}

// prepareBoth sets the closed loop beside the open one: the same pattern over switches and over end
// points, with packets of the same size.
func prepareBoth(v *workload.Values, env workload.Env) *workload.Plan {
	v.Only("with loop=closed,open", "flits", "warmup")
	v.Or("pattern", uniformPattern)
	v.Or("bytes", workload.PacketWord)
	open := prepareOpen(v, env)
	both := prepareClosed(v, env)
	if v.Failed() {
		return nil
	}
	both.Traffic = open.Traffic
	return both
}

// readHotspot reads the parameters of the hotspot and incast patterns over n places.
func readHotspot(v *workload.Values, patterns []string, n int) hotspot {
	isHot := slices.Contains(patterns, hotspotPattern)
	if !isHot {
		v.Only("without pattern=hotspot", "fraction")
	}
	if !isHot && !slices.Contains(patterns, incastPattern) {
		v.Only("without pattern=hotspot or incast", "target")
		return hotspot{}
	}
	return hotspot{v.Int("target", 0, n-1), v.Fraction("fraction")}
}

func prepareOpen(v *workload.Values, env workload.Env) *workload.Plan {
	if env.SwitchOf == nil {
		v.Fail("loop", "this machine has no network to offer packets to; expected loop=closed")
	}
	v.Or("pattern", uniformPattern)
	patterns := v.Choices("pattern", patternNames())
	if len(patterns) != 1 {
		v.Fail("pattern", "the open loop takes one pattern at a time")
	}
	v.Or("packets", strconv.Itoa(max(300_000, 100*env.Ranks)))
	var err error
	t := &workload.Traffic{
		Pattern: patterns[0],
		Loads:   v.Fractions("load"),
		Packets: v.Int("packets", 1, 1e9),
		Warmup:  -1,
	}
	if v.Has("measure") {
		v.Only("with measure", "packets")
		t.Measure = v.Time("measure", 1)
	}
	if v.Has("warmup") {
		t.Warmup = v.Time("warmup", 0)
	}
	if t.Destinations, err = destinations(t.Pattern, placesOf(env, env.Ranks, env.SwitchOf), readHotspot(v, patterns, env.Ranks)); err != nil {
		v.Fail("pattern", "%v end points", err)
	}
	if v.Has("flits") {
		v.Only("with flits", "bytes")
		t.Flits = v.Int("flits", 1, 1<<20)
		return &workload.Plan{Traffic: t}
	}
	v.Or("bytes", workload.PacketWord)
	sizes := v.Sizes("bytes", env)
	if len(sizes) != 1 {
		v.Fail("bytes", "the open loop takes one size at a time")
	}
	t.Bytes = sizes[0]
	return &workload.Plan{Traffic: t}
}
