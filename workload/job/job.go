// Package job has jobs for those who have no traces: their schedules follow from parameters.
package job

import (
	"fmt"
	"strings"

	"musubi/trace/schedule"
	"musubi/workload/job/exchange"
	"musubi/workload/job/param"
	"musubi/workload/job/transformer"
)

// Job is a kind of job, with parameters.
type Job struct {
	Name    string
	Summary string // one line
	new     func() plan
}

// plan has the parameters of a job as its fields. Check completes them, and fails if they do not fit each other.
type plan interface {
	Check() error
	Ranks() int
	Schedule() *schedule.Schedule
}

// All lists the jobs in the order of the documentation.
func All() []*Job {
	return []*Job{
		{"train", "a training step of a transformer, under data, tensor, sequence, pipeline, context and expert parallelism", func() plan { return new(transformer.Train) }},
		{"serve", "inference of a transformer with disaggregated prefill: keys and values go from ranks that read to ranks that generate", func() plan { return new(transformer.Serve) }},
		{"stencil", "boxes of cells that exchange their borders", func() plan { return new(exchange.Stencil) }},
		{"fft", "a Fourier transform in three dimensions, with the transposes of its pencils", func() plan { return new(exchange.FFT) }},
		{"incast", "servers of storage that answer clients all at once", func() plan { return new(exchange.Incast) }},
	}
}

// Lookup finds a job by its name.
func Lookup(name string) (*Job, error) {
	var names []string
	for _, j := range All() {
		if j.Name == name {
			return j, nil
		}
		names = append(names, j.Name)
	}
	return nil, fmt.Errorf("unknown job %q; known: %s", name, strings.Join(names, ", "))
}

// Params lists the parameters of the job.
func (j *Job) Params() []param.Param { return param.Of(j.new()) }

// read returns the job with parameters that the user has set.
func (j *Job) read(settings map[string]string) (plan, error) {
	p := j.new()
	if err := param.Read(p, settings); err != nil {
		return nil, err
	}
	return p, p.Check()
}

// Ranks returns how many ranks the job has. It fails with a *param.Error.
func (j *Job) Ranks(settings map[string]string) (int, error) {
	p, err := j.read(settings)
	if err != nil {
		return 0, err
	}
	return p.Ranks(), nil
}

// Schedule returns what the ranks of the job do. It fails with a *param.Error.
func (j *Job) Schedule(settings map[string]string) (*schedule.Schedule, error) {
	p, err := j.read(settings)
	if err != nil {
		return nil, err
	}
	return p.Schedule(), nil
}
