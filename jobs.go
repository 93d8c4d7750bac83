package musubi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/trace/record"
	"musubi/units"
	"musubi/workload"
)

// outcome is what became of a job in one run.
type outcome struct {
	rows  []workload.Row
	took  units.Time
	ended bool

	messages *record.Job // nil: not recorded
	stages   *stageBook  // nil: nobody asks for them
}

// runJobs runs all jobs together, and then each that is not in the background alone.
func (s *System) runJobs(ctx context.Context) (*Result, error) {
	if err := s.checkFiles(); err != nil {
		return nil, err
	}
	s.chooseEngine(nil)
	all := make([]int, len(s.jobs))
	for i := range all {
		all[i] = i
	}
	result := s.newResult()
	result.Workload = "jobs"
	var together []outcome
	err := s.tracedJobs(s.jobs, func() (err error) {
		together, err = s.runTogether(ctx, result, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	var rows []workload.Row
	for i := range s.jobs {
		j := &s.jobs[i]
		if err := j.writeRecord(together[i].messages); err != nil {
			return nil, s.wrongJob(j, err)
		}
		rows = append(rows, j.times(together[i])...)
		if !j.Background {
			var unused Result
			alone, err := s.runTogether(ctx, &unused, []int{i})
			if err != nil {
				return nil, err
			}
			result.Simulation.Wall += unused.Simulation.Wall
			rows = append(rows, j.slowdown(together[i].took, alone[0].took)...)
		}
	}
	for i := range s.jobs {
		rows = append(rows, s.jobs[i].labelled(together[i].rows)...)
	}
	result.Rows = append(rows, result.Rows...)
	for i := range s.jobs {
		if book := together[i].stages; book != nil {
			result.Rows = append(result.Rows, book.jobRows(s.jobs[i].Name)...)
		}
	}
	return result, nil
}

// runTogether runs some jobs on one network.
func (s *System) runTogether(ctx context.Context, r *Result, numbers []int) ([]outcome, error) {
	began := time.Now()
	cfg := s.config(ctx, func(host.Progress) float64 { return 0 })
	network, err := host.NewNetwork(cfg)
	if err != nil {
		return nil, wrong("jobs", err)
	}
	cfg.Network = network
	rows := make([]workload.Rows, len(numbers))
	jobs, records, books := make([]host.Job, len(numbers)), make([]*record.Job, len(numbers)), make([]*stageBook, len(numbers))
	for k, i := range numbers {
		j := &s.jobs[i]
		if s.Scenario.Breakdown {
			books[k] = newStageBook()
			cfg.Stages = books[k].enter
		}
		if jobs[k], records[k], err = s.clusterOf(j, cfg, &rows[k]); err != nil {
			return nil, s.wrongJob(j, err)
		}
	}
	if len(numbers) == 1 {
		jobs[0].Start = 0
	}
	if err := network.Run(jobs); err != nil {
		var of *host.JobError
		if errors.As(err, &of) && len(numbers) > 1 {
			err = fmt.Errorf("job %s: %w", s.jobs[numbers[of.Job]].Name, err)
		}
		return nil, interrupted(ctx, err)
	}
	outcomes := make([]outcome, len(numbers))
	for k := range jobs {
		outcomes[k] = outcome{rows[k].All(), jobs[k].Took, jobs[k].Ended, records[k], books[k]}
	}
	report := jobs[0].Cluster.Report()
	r.addRun(report, time.Since(began))
	r.addCounts(report.Counts)
	r.addLinks(s, report.Links)
	return outcomes, nil
}

// prepareJobs makes the workload of each job ready, as prepareEarly does.
func (s *System) prepareJobs() error {
	for i := range s.jobs {
		j := &s.jobs[i]
		alone := s.aloneWith(j)
		if err := alone.prepareEarly(); err != nil {
			return s.wrongJob(j, err)
		}
		j.prepared = alone.prepared
	}
	return nil
}

// aloneWith returns the system that has a job alone.
func (s *System) aloneWith(j *job) *System {
	alone := *s
	alone.Scenario, alone.Hosts, alone.prepared = j.scenario, j.hosts, j.prepared
	return &alone
}

// clusterOf makes the hosts of a job, and its program ready, with the record of its messages if the scenario asks for that.
func (s *System) clusterOf(j *job, cfg host.Config, rows *workload.Rows) (host.Job, *record.Job, error) {
	alone := s.aloneWith(j)
	plan, err := alone.prepare()
	j.prepared = nil
	switch {
	case err != nil:
		return host.Job{}, nil, err
	case plan.Program == nil || len(plan.More) > 0:
		return host.Job{}, nil, fmt.Errorf("workload %s is no single program with these parameters; expected one", j.Workload)
	}
	without, err := alone.omitsPayload(plan)
	if err != nil {
		return host.Job{}, nil, err
	}
	cfg.Hosts, cfg.Phantom = j.hosts, without
	if j.timeline != nil {
		j.timeline.Next()
		cfg.Observer = j.timeline
	}
	cluster, err := host.New(cfg)
	if err != nil {
		return host.Job{}, nil, err
	}
	program, messages := alone.recordedMessages(func(p rma.Process) error { return plan.Program(p, rows) })
	return host.Job{Cluster: cluster, Program: s.tuned(program), Start: j.start, Background: j.Background}, messages, nil
}

// tracedJobs does what a run of jobs does, with a timeline of each if the scenario asks for them. Links carry all jobs,
// and are in none.
func (s *System) tracedJobs(jobs []job, run func() error) error {
	if s.Scenario.TraceFile == "" || len(jobs) == 0 {
		return run()
	}
	j, alone := &jobs[0], *s
	alone.Scenario, alone.Hosts = j.scenario, j.hosts
	return alone.traced(func() error {
		j.timeline = alone.recorder
		defer func() { j.timeline = nil }()
		return s.tracedJobs(jobs[1:], run)
	})
}

// writeRecord writes the schedule of a job, if it is recorded.
func (j *job) writeRecord(messages *record.Job) error {
	if messages == nil {
		return nil
	}
	return j.scenario.writeMessages(messages)
}

// labels say which job it is.
func (j *job) labels() []workload.Label {
	return []workload.Label{{Name: "job", Value: j.Name}, {Name: "placement", Value: j.placement()}, {Name: "ranks", Value: len(j.hosts)}}
}

func (j *job) placement() string {
	if j.Place == "" {
		return "block"
	}
	return j.Place
}

func (j *job) row(metric, unit string, value float64) workload.Row {
	return workload.Row{Metric: metric, Unit: unit, Value: value, Labels: j.labels()}
}

// times tells when a job was there.
func (j *job) times(o outcome) []workload.Row {
	rows := []workload.Row{j.row("job_start", "us", j.start.Microseconds())}
	if o.ended {
		rows = append(rows, j.row("job_end", "us", (j.start+o.took).Microseconds()))
	}
	return rows
}

// slowdown sets the time of a job beside that of the job alone.
func (j *job) slowdown(took, alone units.Time) []workload.Row {
	rows := []workload.Row{j.row("job_time", "us", took.Microseconds()), j.row("alone", "us", alone.Microseconds())}
	if alone > 0 {
		rows = append(rows, j.row("slowdown", "times", float64(took)/float64(alone)))
	}
	return rows
}

// labelled returns what the workload of a job says.
func (j *job) labelled(rows []workload.Row) []workload.Row {
	for i := range rows {
		rows[i].Labels = append([]workload.Label{{Name: "job", Value: j.Name}}, rows[i].Labels...)
	}
	return rows
}
