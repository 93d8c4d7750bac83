package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"musubi/mpi"
	"musubi/rma"
	"musubi/trace/format"
	"musubi/trace/goal/loggops"
	"musubi/trace/schedule"
	"musubi/workload"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// byMessages are the semantics of a schedule that package mpi carries out.
const byMessages = "mpi"

// semanticsParams say by whose rules a schedule is carried out.
var semanticsParams = []workload.Param{
	{Name: "semantics", Default: byMessages, Help: "who carries it out: mpi (package mpi, on this machine), loggopsim or atlahs (the rules of these programs, with L, o, g and G of a machine of model loggp)"},
	{Name: "O", Default: "0ns", Help: "with loggopsim and atlahs: time of a processor for each byte of a message but the first"},
	{Name: "S", Default: strconv.Itoa(loggops.DefaultEager), Help: "with loggopsim and atlahs: longer messages wait for their receive (rendezvous), in bytes"},
}

// Workload carries out the schedule in a file.
var Workload = &workload.Workload{
	Name:    "trace",
	Summary: "a schedule in GOAL or Chakra, or a trace of SimGrid: what ranks of a job send, receive and compute",
	Params: append([]workload.Param{
		{Name: "file", Default: "", Help: "schedule: GOAL, as text or binary, or the prefix or directory of the files PREFIX.RANK.et of a Chakra trace, or a time-independent trace of SimGrid"},
		{Name: "factor", Default: "1", Help: "by what the times of calculations are multiplied"},
	}, semanticsParams...),
	FileParams: []string{"file"},
	RanksFor:   func(settings map[string]string) int { return ranksOf(settings["file"]) },
	Make:       prepareTrace,
}

func prepareTrace(v *workload.Values, env workload.Env) *workload.Plan {
	if v.Text("file") == "" {
		v.Fail("file", "expected the name of a file")
		return nil
	}
	schedule, err := schedules.open(v.Text("file"))
	if err != nil {
		v.Fail("file", "%v", err)
		return nil
	}
	if n := len(schedule.Ranks); n != env.Ranks {
		v.Fail("file", "it has %d ranks, and there are %d; expected as many, as without a number of ranks", n, env.Ranks)
		return nil
	}
	messages, err := schedules.expanded(schedule)
	if err != nil {
		v.Fail("file", "%v", err)
		return nil
	}
	t := traced{schedule: schedule, factor: readFactor(v, "factor"), realTime: env.RealTime, results: &results{}}
	if byRules(v) {
		return t.byRules(v, env, v.Text("file"), messages)
	}
	if err := schedules.check(messages); err != nil {
		v.Fail("file", "%v", err)
	}
	return t.plan()
}

// byRules reads the semantics, and reports whether they are those of LogGOPSim or ATLAHS.
func byRules(v *workload.Values) bool {
	if v.Choice("semantics", byMessages, string(loggops.LogGOPSim), string(loggops.ATLAHS)) != byMessages {
		return true
	}
	v.Only("with semantics=mpi", "O", "S")
	return false
}

// plan lets package mpi carry the schedule out.
func (t traced) plan() *workload.Plan {
	longest := uint64(0)
	for r := range t.schedule.Ranks {
		t.schedule.Used(len(t.schedule.Ranks[r].Ops))
		for i := range t.schedule.Ranks[r].Ops {
			out, in := Memory(t.schedule, &t.schedule.Ranks[r].Ops[i])
			longest = max(longest, out, in)
		}
	}
	return &workload.Plan{
		Program: t.run, Data: max(1, t.data()), Partners: t.partners(), Longest: int(min(longest, math.MaxInt)),
		Sends: func() (messages, bytes int64) {
			n, sum := t.schedule.Sent()
			return int64(n), int64(min(sum, math.MaxInt64/2))
		},
	}
}

// readFactor reads a number that is not negative.
func readFactor(v *workload.Values, name string) float64 {
	f, err := strconv.ParseFloat(v.Text(name), 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		v.Fail(name, "expected a number from 0 to 1e9")
		return 0
	}
	return f
}

// traced is a schedule that is carried out.
type traced struct {
	schedule *schedule.Schedule
	factor   float64
	realTime bool     // the clock goes on by itself
	results  *results // of simulated ranks
}

// data returns how many bytes the longest messages of all ranks have.
func (t traced) data() (bytes int64) {
	for r := range t.schedule.Ranks {
		t.schedule.Used(len(t.schedule.Ranks[r].Ops))
		var out, in uint64
		for i := range t.schedule.Ranks[r].Ops {
			o, n := Memory(t.schedule, &t.schedule.Ranks[r].Ops[i])
			out, in = max(out, o), max(in, n)
		}
		bytes += int64(out + in)
	}
	return bytes
}

// partners returns the mean number of other ranks that a rank sends to.
func (t traced) partners() int {
	pairs := 0
	for r := range t.schedule.Ranks {
		t.schedule.Used(len(t.schedule.Ranks[r].Ops))
		to := map[uint32]bool{}
		for i := range t.schedule.Ranks[r].Ops {
			if op := &t.schedule.Ranks[r].Ops[i]; op.Kind == schedule.Send {
				to[op.Peer] = true
			}
		}
		pairs += len(to)
	}
	return pairs / len(t.schedule.Ranks)
}

func (t traced) run(p rma.Process, out *workload.Rows) error {
	c, err := mpi.New(p, mpi.Options{})
	if err != nil {
		return err
	}
	if !t.realTime {
		return t.simulate(c, out)
	}
	results := ranks.NewScores(p, 2*p.Size())
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	start := p.Now()
	r, err := New(c, t.schedule, t.factor)
	if err != nil {
		return err
	}
	if err := r.Run(func(done float64) { workload.Progress(p, out, int(done*1e6), 1e6) }); err != nil {
		return err
	}
	took := p.Now() - start
	if err := results.Put(2*p.Rank(), took.Microseconds()); err != nil {
		return err
	}
	if err := results.Put(2*p.Rank()+1, r.Computed.Microseconds()); err != nil {
		return err
	}
	if p.Rank() == 0 {
		numbers, err := results.All()
		if err != nil {
			return err
		}
		var ends, computed []float64
		for i, x := range numbers {
			if i%2 == 0 {
				ends = append(ends, x)
			} else {
				computed = append(computed, x)
			}
		}
		t.rows(out, ends)
		t.addComputation(out, computed)
	}
	return c.Close()
}

// simulate is run in a simulated world. All ranks begin at once there, and one that has ended sends nothing
// any more, as others would notice.
func (t traced) simulate(c *mpi.Comm, out *workload.Rows) error {
	p := c.Process()
	start := p.Now()
	r, err := New(c, t.schedule, t.factor)
	if err != nil {
		return err
	}
	if err := r.Run(func(done float64) { workload.Progress(p, out, int(done*1e6), 1e6) }); err != nil {
		return err
	}
	t.results.ends = append(t.results.ends, rankEnd{p.Rank(), (p.Now() - start).Microseconds(), r.Computed.Microseconds()})
	if err := c.Flush(); err != nil || len(t.results.ends) < p.Size() {
		return err
	}
	slices.SortFunc(t.results.ends, func(a, b rankEnd) int { return cmp.Compare(a.rank, b.rank) })
	var ends, computed []float64
	for _, e := range t.results.ends {
		ends, computed = append(ends, e.end), append(computed, e.computed)
	}
	t.results.ends = nil
	t.rows(out, ends)
	t.addComputation(out, computed)
	return nil
}

// results are what simulated ranks leave for the last one.
type results struct{ ends []rankEnd }

// rankEnd says when a rank has ended, and how long it has computed, in microseconds.
type rankEnd struct {
	rank          int
	end, computed float64
}

func (t traced) addComputation(out *workload.Rows, computed []float64) {
	out.Add(workload.Row{Metric: "computation", Unit: "us", Value: sample.Mean(computed), Labels: []workload.Label{{Name: "statistic", Value: "mean"}}})
}

// mostEnds is up to how many ranks the end of each is told.
const mostEnds = 16

// rows adds when ranks end, in microseconds, and what is sent.
func (t traced) rows(out *workload.Rows, ends []float64) {
	out.Add(workload.Row{Metric: "time", Unit: "us", Value: slices.Max(ends)})
	if len(ends) <= mostEnds {
		for rank, end := range ends {
			out.Add(workload.Row{Metric: "end", Unit: "us", Value: end, Labels: []workload.Label{{Name: "rank", Value: rank}}})
		}
	} else {
		out.Add(workload.Row{Metric: "end", Unit: "us", Value: slices.Min(ends), Labels: []workload.Label{{Name: "statistic", Value: "min"}}})
		out.Add(workload.Row{Metric: "end", Unit: "us", Value: sample.Mean(ends), Labels: []workload.Label{{Name: "statistic", Value: "mean"}}})
	}
	messages, bytes := t.schedule.Sent()
	out.Add(workload.Row{Metric: "messages", Unit: "count", Value: float64(messages)})
	out.Add(workload.Row{Metric: "message_bytes", Unit: "B", Value: bytes})
}

// byRules plans the times of LogGOPSim or ATLAHS, which need no ranks, for a schedule of messages. Errors begin with a name.
func (t traced) byRules(v *workload.Values, env workload.Env, name string, schedule *schedule.Schedule) *workload.Plan {
	if env.LogGP == nil {
		v.Fail("semantics", "expected a machine of model loggp, such as loggp, or mpi")
		return nil
	}
	p := loggops.Parameters{
		L: env.LogGP.L, O: env.LogGP.O, G: env.LogGP.G, PerByte: env.LogGP.PerByte,
		BytePerProcessor: v.Time("O", 0), Eager: uint64(v.Int("S", 0, math.MaxUint32)),
	}
	by := loggops.Semantics(v.Text("semantics"))
	if t.factor != 1 {
		schedule = schedule.Scaled(t.factor)
	}
	return &workload.Plan{Formula: func(ctx context.Context, out *workload.Rows) error {
		r, err := loggops.Run(ctx, schedule, p, by)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ends := make([]float64, len(r.Ends))
		for i, end := range r.Ends {
			ends[i] = end.Microseconds()
		}
		t.rows(out, ends)
		return nil
	}}
}

// schedules keeps the schedule that was read last, as a run asks for it several times.
var schedules scheduleCache

type scheduleCache struct {
	mu       sync.Mutex
	stamp    string // of the files, or the name and parameters of a job
	last     *schedule.Schedule
	messages *schedule.Schedule // last, without collective operations
	checked  bool
	problem  error
}

func (s *scheduleCache) open(path string) (*schedule.Schedule, error) {
	stamp, err := format.Stamp(path)
	if err != nil {
		return nil, err
	}
	return s.keep(stamp, func() (*schedule.Schedule, error) { return format.Open(path) })
}

// keep makes a schedule, unless it is the last one.
func (s *scheduleCache) keep(stamp string, make func() (*schedule.Schedule, error)) (*schedule.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.stamp == stamp {
		return s.last, nil
	}
	schedule, err := make()
	if err != nil {
		return nil, err
	}
	s.stamp, s.last, s.messages, s.checked = stamp, schedule, nil, false
	return schedule, nil
}

// expanded returns a schedule whose collective operations are messages.
func (s *scheduleCache) expanded(schedule *schedule.Schedule) (*schedule.Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == schedule && s.messages != nil {
		return s.messages, nil
	}
	messages, err := schedule.Expanded()
	if err == nil && s.last == schedule {
		s.messages = messages
	}
	return messages, err
}

// check fails if a schedule cannot be carried out: if a message or a receive lacks its partner, or
// operations wait for each other. The rules of LogGOPSim find that out, with the line.
func (s *scheduleCache) check(schedule *schedule.Schedule) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.messages == schedule && s.checked {
		return s.problem
	}
	_, err := loggops.Run(context.Background(), schedule, loggops.Parameters{Eager: loggops.DefaultEager}, loggops.LogGOPSim)
	if s.messages == schedule {
		s.checked, s.problem = true, err
	}
	return err
}

// ranksOf returns the number of ranks of a schedule; 0 if it cannot be read, which Prepare tells.
func ranksOf(path string) int {
	if path == "" {
		return 0
	}
	s, err := schedules.open(path)
	if err != nil {
		return 0
	}
	return len(s.Ranks)
}
