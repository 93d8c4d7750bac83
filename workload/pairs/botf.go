package pairs

import (
	"slices"
	"strconv"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// BOTF measures messages that the processor writes to windows of the network interface.
var BOTF = &workload.Workload{
	Name:       "botf",
	ListParams: []string{"bytes", "cache", "windows"},
	Summary:    "continuous BOTF: the processor of one rank writes message after message to another",
	Params: []workload.Param{
		{Name: "bytes", Default: "", Help: workload.SizesHelp + "; if not given, from 8 as far as BOTF goes. Longer messages are several packets"},
		{Name: "windows", Default: "", Help: "number of windows of the interface that are used in turn: a list, or a range such as 1..4; if not given, 1..2, or 1 where the interface has no choice"},
		{Name: "cache", Default: cacheWarm, Help: "where messages are when the processor takes them up: warm (in its cache), cold (not there) or warm,cold"},
		fromParam, toParam,
		{Name: "iterations", Default: "1000", Help: "messages measured"},
		{Name: "warmup", Default: "10", Help: "messages before"},
	},
	Make: prepareBOTF,
}

// Values of the parameter cache.
const (
	cacheWarm = "warm"
	cacheCold = "cold"
)

// botf sends messages one after the other without waiting for each. The result is the mean interval
// between messages: the time from the first request to the completion of the last message, divided
// by the number of messages.
type botf struct {
	env                workload.Env
	trials             []trial
	variants           []botfVariant // of each trial
	iterations, warmup int
}

type botfVariant struct {
	windows int
	cold    bool
}

func prepareBOTF(v *workload.Values, env workload.Env) *workload.Plan {
	v.Or("windows", "1.."+strconv.Itoa(min(2, max(1, env.Windows))))
	if env.BOTF == 0 {
		v.Fail("windows", "this machine has no BOTF")
	}
	b := botf{
		env:        env,
		iterations: v.Int("iterations", 1, 1e6),
		warmup:     v.Int("warmup", 0, 1e6),
	}
	caches := v.Choices("cache", []string{cacheWarm, cacheCold})
	if slices.Contains(caches, cacheCold) && env.Cache == 0 {
		v.Fail("cache", "this machine does not model the cache of its processor; expected %s", cacheWarm)
	}
	windows, pairs, sizes := readWindows(v, env), readPairs(v, env), packetSizes(v, env)
	for _, n := range windows {
		for _, cache := range caches {
			for _, q := range pairs {
				labels := append([]workload.Label{{Name: "windows", Value: n}, {Name: "cache", Value: cache}}, q.labels()...)
				for _, size := range sizes {
					b.trials = append(b.trials, trial{pair: q, by: byBOTF, copying: copyNone, size: size, places: 1, labels: labels})
					b.variants = append(b.variants, botfVariant{n, cache == cacheCold})
				}
			}
		}
	}
	return &workload.Plan{Program: b.run}
}

// packetSizes reads the parameter bytes of messages that may be several packets by BOTF.
func packetSizes(v *workload.Values, env workload.Env) []int {
	if !v.Has("bytes") {
		return sizesBy(v, byBOTF, env, 0)
	}
	return v.Sizes("bytes", env)
}

// readWindows reads the parameter of that name.
func readWindows(v *workload.Values, env workload.Env) []int {
	most := max(1, env.Windows)
	list := v.Numbers("windows", 1, most)
	switch {
	case slices.Max(list) <= most:
	case env.Windows == 0:
		v.Fail("windows", "this machine has no windows to choose from; expected 1")
	default:
		v.Fail("windows", "this machine has %d windows for each rank", most)
	}
	return list
}

func (b *botf) run(p rma.Process, out *workload.Rows) error {
	results := ranks.NewScores(p, len(b.trials))
	end, err := newEndpoint(p, b.env, b.trials)
	if err != nil {
		return err
	}
	for slot := range b.trials {
		workload.Progress(p, out, slot, len(b.trials))
		if p.Rank() != b.trials[slot].from {
			continue
		}
		us, err := b.measure(end, slot)
		if err != nil {
			return err
		}
		if err := results.Put(slot, us); err != nil {
			return err
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return rows(b.trials, results, out, bandwidthMetric, rateMetric, intervalMetric)
}

// measure returns the mean interval between messages in microseconds.
func (b *botf) measure(end *endpoint, slot int) (float64, error) {
	w := botfWriter{endpoint: end, trial: &b.trials[slot], packet: int(b.env.BOTF), messages: [][]byte{make([]byte, b.trials[slot].size)}}
	warmup := b.warmup
	if b.variants[slot].cold {
		// Each message has been written once, and evicted from the cache by the others.
		w.messages = coldMessages(w.size, int(b.env.Cache))
		warmup = max(warmup, len(w.messages))
	}
	if b.env.Windows > 0 {
		if err := w.p.Windows(b.variants[slot].windows); err != nil {
			return 0, err
		}
	}
	if _, err := w.send(warmup); err != nil {
		return 0, err
	}
	took, err := w.send(b.iterations)
	return took.Microseconds() / float64(b.iterations), err
}

// cacheLine is the smallest line of caches in use, in bytes.
const cacheLine = 64

// coldMessages divides memory of twice the size of the cache into messages. If they are used in
// turn, none is in the cache when its turn comes. No two share a cache line.
func coldMessages(size, cache int) [][]byte {
	stride := (size + cacheLine - 1) / cacheLine * cacheLine
	var messages [][]byte
	for memory := make([]byte, max(2*cache, 2*stride)); len(memory) >= stride; memory = memory[stride:] {
		messages = append(messages, memory[:size])
	}
	return messages
}

// botfWriter is the sending rank in one trial.
type botfWriter struct {
	*endpoint
	*trial
	packet   int      // data of the largest packet
	messages [][]byte // used in turn
	turn     int
}

// send sends n messages, packet after packet, and returns how long that takes, until all are
// complete.
func (w *botfWriter) send(n int) (units.Time, error) {
	if n == 0 {
		return 0, nil
	}
	var ops []rma.Op
	start := w.p.Now()
	for range n {
		for packet := range slices.Chunk(w.messages[w.turn], w.packet) {
			op, err := w.endpoint.send(w.trial, w.to, 0, packet)
			if err != nil {
				return 0, err
			}
			ops = append(ops, op)
		}
		w.turn = (w.turn + 1) % len(w.messages)
	}
	// They arrive in the order in which they were sent.
	last := len(ops) - 1
	if err := w.p.Wait(ops[last]); err != nil {
		return 0, err
	}
	took := w.p.Now() - start
	for _, op := range ops[:last] {
		if err := w.p.Wait(op); err != nil {
			return 0, err
		}
	}
	return took, nil
}
