package traffic

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/content"
	"musubi/workload/internal/ranks"
	"musubi/workload/internal/sample"
)

// closedLoop is the bandwidth measurement of the RHiNET-2 paper (section on traffic patterns): on
// every switch one rank only sends and one only receives. A pattern assigns a destination switch to
// each switch. Each sender writes D bytes over and over, waiting for the completion of each
// transfer; the result is the mean over the senders of D/T, with T the time from request to
// completion.
//
// Senders whose transfers take equally long would keep the order in which they happened to start
// for ever, so each measurement consists of rounds with new random start times. In a round all
// senders send until a common time is over; they agree on its length beforehand, from the slowest
// of them.
type closedLoop struct {
	env                        workload.Env
	sites                      []site
	runs                       []closedRun
	by                         rma.Mechanism
	warmup, iterations, rounds int
}

// site is a switch with the ranks that take part.
type site struct{ sender, receiver int }

// closedRun is one pattern with one size.
type closedRun struct {
	pattern      string
	destinations func() workload.Destination // over sites
	fixed        []int                       // destination of each site if the pattern is a permutation
	size         int
}

func prepareClosed(v *workload.Values, env workload.Env) *workload.Plan {
	v.Or("bytes", "8.."+workload.PacketWord)
	v.Or("warmup", "10")
	sites, err := findSites(env)
	if err != nil {
		v.Fail("loop", "%v", err)
	}
	v.Or("pattern", usualPattern(len(sites)))
	patterns, sizes := v.Choices("pattern", patternNames()), v.Sizes("bytes", env)
	c := closedLoop{
		env:        env,
		sites:      sites,
		by:         v.Into(env, slices.Max(sizes), "push", "botf"),
		warmup:     v.Int("warmup", 1, 1e6),
		iterations: v.Int("iterations", 1, 1e6),
		rounds:     v.Int("rounds", 1, 1e3),
	}
	if v.Failed() {
		return nil
	}
	places := placesOf(env, len(c.sites), func(i int) int { return env.SwitchOf(c.sites[i].sender) })
	if v.Text("pattern") == "all" && places.groupOf == nil {
		patterns = patternsWithoutGroups()
	}
	hot := readHotspot(v, patterns, len(c.sites))
	for _, pattern := range patterns {
		draw, err := destinations(pattern, places, hot)
		if err != nil {
			v.Fail("pattern", "%v switches with ranks", err)
			return nil
		}
		fixed, _ := permutation(pattern, places)
		for _, size := range sizes {
			c.runs = append(c.runs, closedRun{pattern, draw, fixed, size})
		}
	}
	return &workload.Plan{Program: c.run, Data: 2 * int64(env.Ranks) * int64(slices.Max(sizes))}
}

// usualPattern is the first permutation if it fits.
func usualPattern(sites int) string {
	if name := permutations[0].name; sites&(sites-1) == 0 {
		return name
	}
	return uniformPattern
}

// findSites finds the first and the second rank on each switch. On machines
// without switches, two consecutive ranks stand for one.
func findSites(env workload.Env) ([]site, error) {
	switchOf, place := env.SwitchOf, "switch"
	if switchOf == nil {
		switchOf, place = func(rank int) int { return rank / 2 }, "pair of ranks"
	}
	ranks := map[int][]int{}
	var switches []int
	for r := range env.Ranks {
		sw := switchOf(r)
		if ranks[sw] = append(ranks[sw], r); len(ranks[sw]) == 1 {
			switches = append(switches, sw)
		}
	}
	slices.Sort(switches)
	var sites []site
	for _, sw := range switches {
		if len(ranks[sw]) < 2 {
			return nil, fmt.Errorf("one rank of each %[1]s sends and one receives, but %[1]s %[2]d has only rank %[3]d; "+
				"expected two or more, or loop=open", place, sw, ranks[sw][0])
		}
		sites = append(sites, site{ranks[sw][0], ranks[sw][1]})
	}
	return sites, nil
}

func (c *closedLoop) run(p rma.Process, out *workload.Rows) error {
	team := ranks.NewTeam(p)
	results := ranks.NewScores(p, len(c.runs)*len(c.sites))
	largest := slices.MaxFunc(c.runs, func(a, b closedRun) int { return cmp.Compare(a.size, b.size) }).size
	memory := rma.Memory(p, largest)
	segment := p.Expose(memory)
	sent := content.New(p, largest)
	message := sent.Of(0, 0, largest) // all send the same: one may receive from several
	if c.by == rma.DMA {
		p.Expose(message) // so that the network interface can fetch it
	}
	mine := slices.IndexFunc(c.sites, func(s site) bool { return s.sender == p.Rank() })
	for i := range c.runs {
		workload.Progress(p, out, i, len(c.runs))
		if mine < 0 {
			if err := c.standBy(team); err != nil {
				return err
			}
			continue
		}
		s := c.newSender(p, team, segment, message[:c.runs[i].size], &c.runs[i], mine)
		rate, err := s.measure(c)
		if err != nil {
			return err
		}
		if err := results.Put(i*len(c.sites)+mine, rate); err != nil {
			return err
		}
	}
	if mine < 0 {
		if err := sent.CheckSome(memory, 0); err != nil {
			return err
		}
	}
	if p.Rank() != 0 {
		return nil
	}
	return c.rows(results, out)
}

// standBy takes part in the synchronisation of the other ranks, without sending.
func (c *closedLoop) standBy(team *ranks.Team) error {
	for range c.rounds + 2 {
		if _, err := team.Agree(0); err != nil {
			return err
		}
	}
	return nil
}

// sender is a sending rank in one run.
type sender struct {
	p       rma.Process
	team    *ranks.Team
	segment int
	data    []byte
	by      rma.Mechanism
	sites   []site
	mine    int // index into sites
	next    workload.Destination
	rng     *rand.Rand
}

func (c *closedLoop) newSender(p rma.Process, team *ranks.Team, segment int, message []byte, run *closedRun, mine int) *sender {
	return &sender{
		p: p, team: team, segment: segment, data: message, by: c.by,
		sites: c.sites, mine: mine, next: run.destinations(),
		rng: rand.New(rand.NewPCG(c.env.Seed, uint64(run.size)<<32|uint64(mine))),
	}
}

// measure returns D/T in MB/s, T being the mean over all transfers measured.
func (s *sender) measure(c *closedLoop) (float64, error) {
	period, err := s.period(c.warmup)
	if err != nil {
		return 0, err
	}
	var busy units.Time
	transfers := 0
	for range c.rounds {
		if _, err := s.team.Agree(0); err != nil {
			return 0, err
		}
		b, n, err := s.round(period, c.warmup, c.iterations)
		if err != nil {
			return 0, err
		}
		busy += b
		transfers += n
	}
	return float64(len(s.data)) * float64(transfers) / busy.Microseconds(), nil
}

// period lets all senders send a few transfers at the same time and returns how
// long one takes the slowest of them.
func (s *sender) period(transfers int) (units.Time, error) {
	if _, err := s.team.Agree(0); err != nil {
		return 0, err
	}
	start := s.p.Now()
	for range transfers {
		if err := s.transfer(); err != nil {
			return 0, err
		}
	}
	return s.team.Agree((s.p.Now() - start) / units.Time(transfers))
}

// round starts at a random time within one period, sends until all periods are
// over, and returns how many transfers began in those that are measured and how
// long they took. It sends for one period more, so that the last transfers of slow
// senders do not find the network to themselves.
func (s *sender) round(period units.Time, warmup, iterations int) (busy units.Time, transfers int, err error) {
	first := s.p.Now() + units.Time(warmup)*period
	end := first + units.Time(iterations)*period
	s.p.Compute(units.Time(s.rng.Int64N(int64(period) + 1)))
	for begin := s.p.Now(); begin < end+period || transfers == 0; {
		if err := s.transfer(); err != nil {
			return 0, 0, err
		}
		now := s.p.Now()
		if begin >= first && (begin < end || transfers == 0) {
			busy += now - begin
			transfers++
		}
		begin = now
	}
	return busy, transfers, nil
}

func (s *sender) transfer() error {
	to := s.sites[s.next(s.mine, len(s.sites), s.rng.IntN)].receiver
	return ranks.BlockingPush(s.p, rma.Address{Rank: to, Segment: s.segment}, s.data, s.by)
}

// rows adds, for each run, the mean and then the value of every sender.
func (c *closedLoop) rows(results *ranks.Scores, out *workload.Rows) error {
	rates, err := results.All()
	if err != nil {
		return err
	}
	for i := range c.runs {
		run := &c.runs[i]
		of := rates[i*len(c.sites) : (i+1)*len(c.sites)]
		row := workload.Row{Metric: "bandwidth", Unit: "MB/s", Bytes: run.size, Value: sample.Mean(of)}
		row.Labels = []workload.Label{{Name: "pattern", Value: run.pattern}}
		out.Add(row)
		for j, rate := range of {
			row.Value, row.Labels = rate, c.labels(run, j)
			out.Add(row)
		}
	}
	return nil
}

// labels qualifies the row of the sender at one site.
func (c *closedLoop) labels(run *closedRun, site int) []workload.Label {
	from := c.sites[site].sender
	labels := []workload.Label{{Name: "pattern", Value: run.pattern}, {Name: "sender", Value: from}}
	if run.fixed == nil {
		return labels
	}
	to := c.sites[run.fixed[site]].receiver
	labels = append(labels, workload.Label{Name: "receiver", Value: to})
	if n := c.env.Switches(from, to); n >= 0 {
		labels = append(labels, workload.Label{Name: "switches", Value: n})
	}
	return labels
}
