package pairs

import (
	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// Stream measures the bandwidth of many messages under way from one rank to another.
var Stream = &workload.Workload{
	Name:       "stream",
	ListParams: []string{"bytes", "copy", "mechanism"},
	Summary:    "bandwidth: one rank writes to, or reads from, another over and over",
	Params: []workload.Param{
		{Name: "bytes", Default: "", Help: workload.SizesHelp + "; if not given, 8..packet, or by botf as far as it goes"},
		mechanismsParam, copyParam, fromParam, toParam,
		{Name: "operation", Default: "push", Help: "push (write) or pull (read)"},
		{Name: "window", Default: "", Help: "transfers kept open; if not given, 1 where the network interface allows one in flight, 2 if messages by botf are copied, else 16"},
		{Name: "iterations", Default: "1000", Help: "transfers measured"},
		{Name: "warmup", Default: "10", Help: "transfers before"},
	},
	Make: prepareStream,
}

// stream keeps a number of transfers open from one rank of a pair to the other. The result is D/T,
// with T the mean time of a transfer; with a window of 1 that is the time from a request to its
// completion.
//
// If the receiver has to handle the messages, because it copies them or they arrive in its receive
// ring, a transfer is open until it has done so. Otherwise ranks that start no transfers stay
// silent.
type stream struct {
	env                workload.Env
	trials             []trial
	pull               bool
	windows            []int // transfers kept open, of each trial
	iterations, warmup int
}

// maxOpen keeps a typing error from exhausting memory.
const maxOpen = 1 << 30 // bytes

func prepareStream(v *workload.Values, env workload.Env) *workload.Plan {
	s := stream{
		env:        env,
		trials:     readTrials(v, env, workload.PacketData(env)),
		pull:       v.Choice("operation", "push", "pull") == "pull",
		iterations: v.Int("iterations", 1, 1e6),
		warmup:     v.Int("warmup", 0, 1e6),
	}
	for i := range s.trials {
		t := &s.trials[i]
		window := usualWindow(env, t)
		if v.Has("window") {
			window = v.Int("window", 1, 1<<16)
		}
		if s.isReceived(t) {
			t.places = window
		}
		if t.places > maxOpen/t.size {
			v.Fail("window", "that many messages of %d bytes have more than %v", t.size, units.Bytes(maxOpen))
		}
		if s.pull && t.by != ByPush {
			v.Fail("mechanism", "operation=pull reads by DMA only")
		}
		s.windows = append(s.windows, window)
	}
	return &workload.Plan{Program: s.run, Memory: memoryOf(s.trials)}
}

// usualWindow is small where messages by BOTF are copied, because interfaces have few windows and
// each message needs one of its own.
func usualWindow(env workload.Env, t *trial) int {
	switch {
	case env.InFlight == 1:
		return 1
	case t.by == byBOTF && t.copying != copyNone:
		return 2
	}
	return 16
}

// isReceived reports whether the receiver has to handle the messages of a trial.
func (s *stream) isReceived(t *trial) bool {
	return !s.pull && (t.by == byIPush || t.copying != copyNone)
}

func (s *stream) run(p rma.Process, out *workload.Rows) error {
	results := ranks.NewScores(p, len(s.trials))
	acks := newAcks(p, s.env)
	end, err := newEndpoint(p, s.env, s.trials)
	if err != nil {
		return err
	}
	for slot := range s.trials {
		workload.Progress(p, out, slot, len(s.trials))
		if !s.trials[slot].includes(p.Rank()) {
			continue
		}
		if err := s.newEnd(end, acks, slot).run(results); err != nil {
			return err
		}
	}
	if err := end.close(); err != nil || p.Rank() != 0 {
		return err
	}
	return rows(s.trials, results, out, bandwidthMetric, rateMetric)
}
