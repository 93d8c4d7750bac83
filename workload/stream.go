package workload

import (
	"musubi/rma"
	"musubi/units"
)

var streamWorkload = &Workload{
	Name:    "stream",
	lists:   []string{"bytes", "copy", "mechanism"},
	Summary: "bandwidth: one rank writes to, or reads from, another over and over",
	Params: []Param{
		{"bytes", "", sizesHelp + "; if empty, 8..packet, or by botf as far as it goes"},
		mechanismsParam, copyParam, fromParam, toParam,
		{"operation", "push", "push (write) or pull (read)"},
		{"window", "", "transfers kept open; if empty, 1 where the network interface allows one in flight, 2 if messages by botf are copied, else 16"},
		{"iterations", "1000", "transfers measured"},
		{"warmup", "10", "transfers before"},
	},
	prepare: prepareStream,
}

// stream keeps a number of transfers open from one rank of a pair to the other. The result is D/T,
// with T the mean time of a transfer; with a window of 1 that is the time from a request to its
// completion.
//
// If the receiver has to handle the messages, because it copies them or they arrive in its receive
// ring, a transfer is open until it has done so. Otherwise ranks that start no transfers stay
// silent.
type stream struct {
	env                Env
	trials             []trial
	pull               bool
	windows            []int // transfers kept open, of each trial
	iterations, warmup int
}

// maxOpen keeps a typing error from exhausting memory.
const maxOpen = 1 << 30 // bytes

func prepareStream(v *values, env Env) *Plan {
	s := stream{
		env:        env,
		trials:     v.trials(env, packetData(env)),
		pull:       v.choice("operation", "push", "pull") == "pull",
		iterations: v.int("iterations", 1, 1e6),
		warmup:     v.int("warmup", 0, 1e6),
	}
	for i := range s.trials {
		t := &s.trials[i]
		window := usualWindow(env, t)
		if v.text("window") != "" {
			window = v.int("window", 1, 1<<16)
		}
		if s.isReceived(t) {
			t.places = window
		}
		if t.places > maxOpen/t.size {
			v.fail("window", "that many messages of %d bytes have more than %v", t.size, units.Bytes(maxOpen))
		}
		if s.pull && t.by != byPush {
			v.fail("mechanism", "operation=pull reads by DMA only")
		}
		s.windows = append(s.windows, window)
	}
	return &Plan{Program: s.run}
}

// usualWindow is small where messages by BOTF are copied, because interfaces have few windows and
// each message needs one of its own.
func usualWindow(env Env, t *trial) int {
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

func (s *stream) run(p rma.Process, out *Rows) error {
	results := newScores(p, len(s.trials))
	acks := newAcks(p, s.env)
	end, err := newEndpoint(p, s.env, s.trials)
	if err != nil {
		return err
	}
	for slot := range s.trials {
		progress(p, out, slot, len(s.trials))
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
