package musubi

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"musubi/sim/host"
	"musubi/topology/networks"
	"musubi/trace"
	"musubi/units"
	"musubi/workload"

	"github.com/pelletier/go-toml/v2"
)

// job is a job of a file of jobs, see docs/jobs.md.
type job struct {
	Name       string         `toml:"name"`
	Workload   string         `toml:"workload"`
	Ranks      int            `toml:"ranks"`
	Place      string         `toml:"place"`
	Start      string         `toml:"start"`
	Background bool           `toml:"background"`
	Set        map[string]any `toml:"set"`

	start    units.Time
	scenario Scenario // of the job alone
	hosts    []int
	prepared *workload.Plan  // for the first run, as that of System
	timeline *trace.Recorder // of the run that goes on; nil: none
}

// mostJobs is how many jobs a file may have.
const mostJobs = 10_000

// latestStart is how late a job may begin, so that simulated time has room for what it does.
const latestStart = 1e6 * units.Second

// mostJobsFile is the size of the largest file of jobs, in bytes.
const mostJobsFile = 4 << 20

// readJobs reads the jobs of the scenario.
func (s *System) readJobs() error {
	sc := &s.Scenario
	switch {
	case sc.Ranks != 0 || sc.Place != "":
		return wrong("jobs", errors.New("jobs say themselves how many ranks they have, and where; expected neither ranks nor place"))
	case sc.Record || sc.RecordFile != "" && !sc.recordsMessages():
		return wrong("record", errors.New("a record of receive rings is of one job; with several, expected a name that ends in .goal, .bin or .et"))
	case sc.RingsFile != "" || len(sc.Rings) > 0:
		return wrong("jobs", errors.New("rings are of one job; expected none with several jobs"))
	case sc.Breakdown && s.hasStages() != nil:
		return s.hasStages()
	case len(sc.settings(false)) > 0:
		return wrong("jobs", errors.New("parameters of a workload are those of a job, in its table set"))
	}
	text, err := readWhole(sc.Jobs)
	if err != nil {
		return wrong("jobs", err)
	}
	var file struct {
		Job []job `toml:"job"`
	}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&file); err != nil {
		return wrong("jobs", fmt.Errorf("%s:%w", sc.Jobs, located(err)))
	}
	if n := len(file.Job); n < 1 || n > mostJobs {
		return wrong("jobs", fmt.Errorf("%s: %d tables [[job]]; expected 1 to %d", sc.Jobs, n, mostJobs))
	}
	s.jobs = file.Job
	names := map[string]bool{}
	for i := range s.jobs {
		j := &s.jobs[i]
		err := j.complete(i, sc)
		if err == nil && names[j.Name] {
			err = errors.New("another job has that name")
		}
		if err != nil {
			return s.wrongJob(j, err)
		}
		names[j.Name] = true
	}
	if !slices.ContainsFunc(s.jobs, func(j job) bool { return !j.Background }) {
		return wrong("jobs", fmt.Errorf("%s: all jobs are in the background; expected one that is not", sc.Jobs))
	}
	return nil
}

// readWhole reads a small file.
func readWhole(path string) ([]byte, error) {
	f, err := networks.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if n, err := text.ReadFrom(f); err != nil || n > mostJobsFile {
		return nil, errors.Join(err, fmt.Errorf("%s has %d bytes; expected at most %d", path, n, mostJobsFile))
	}
	return text.Bytes(), nil
}

// located says in which line of a file a mistake is.
func located(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		line, _ := strict.Errors[0].Position()
		return fmt.Errorf("%d: unknown key %q; expected name, workload, ranks, place, start, background and set of tables [[job]]", line, strings.Join(strict.Errors[0].Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ := decode.Position()
		return fmt.Errorf("%d: %s", line, fault(decode))
	}
	return fmt.Errorf(" %w", err)
}

// jobValues says what values the keys of a file of jobs have.
var jobValues = map[string]string{
	"job": "tables [[job]]", "name": "a text", "workload": "a text", "ranks": "a whole number", "place": "a text",
	"start": "a text such as \"20us\"", "background": "true or false", "set": "a table",
}

// fault describes what is wrong with the value of a key, or the syntax.
func fault(err *toml.DecodeError) string {
	if key := err.Key(); len(key) > 0 && strings.Contains(err.Error(), "cannot decode") {
		name := key[len(key)-1]
		return fmt.Sprintf("%s has a value of the wrong kind; expected %s", name, jobValues[name])
	}
	return strings.TrimPrefix(err.Error(), "toml: ")
}

// wrongJob says of a mistake in which job it is.
func (s *System) wrongJob(j *job, err error) error {
	return wrong("jobs", fmt.Errorf("%s: job %s: %w", s.Scenario.Jobs, j.Name, err))
}

// complete fills in what a job does not say, and makes the scenario of the job alone.
func (j *job) complete(i int, base *Scenario) (err error) {
	if j.Name == "" {
		j.Name = fmt.Sprint(i)
	}
	if j.Start != "" {
		if j.start, err = units.ParseTime(j.Start); err != nil || j.start < 0 || j.start > latestStart {
			return fmt.Errorf("start %q; expected a time such as 20us, of at most %v", j.Start, latestStart)
		}
	}
	if j.Workload == "" {
		return errors.New("no workload given")
	}
	j.scenario = *base
	j.scenario.Jobs, j.scenario.Workload, j.scenario.Place, j.scenario.Ranks = "", j.Workload, j.Place, j.Ranks
	if j.scenario.RecordFile, err = j.ownFile(base.RecordFile); err != nil {
		return err
	}
	if j.scenario.TraceFile, err = j.ownFile(base.TraceFile); err != nil {
		return err
	}
	if j.Background {
		j.scenario.RecordFile = ""
	}
	j.scenario.Set = base.settings(true)
	for name, value := range j.Set {
		if strings.Contains(name, ".") {
			return fmt.Errorf("set %s: parameters of the machine are those of all jobs", name)
		}
		if j.scenario.Set == nil {
			j.scenario.Set = map[string]string{}
		}
		j.scenario.Set[name] = fmt.Sprint(value)
	}
	if n := j.scenario.ranksOfWorkload(); n != 0 && j.Ranks == 0 {
		j.scenario.Ranks = n
	}
	return nil
}

// placeJobs gives each job hosts that no job before it has. A job takes whole nodes.
func (s *System) placeJobs() error {
	t := host.TraitsOf(s.Machine)
	p, _, err := newPlacement(s.Scenario, s.Net, t)
	if err != nil {
		return err
	}
	s.Hosts = nil
	for i := range s.jobs {
		j := &s.jobs[i]
		p.ranks = j.scenario.Ranks
		if form, _, _ := strings.Cut(j.Place, ":"); form == "ring" || form == "snake" {
			return s.wrongJob(j, fmt.Errorf("place %s is for the whole network; expected block, rail, even, cyclic, random, fragmented or a list of hosts", form))
		}
		if len(p.nodes) == 0 {
			return s.wrongJob(j, errors.New("the jobs before it have all hosts"))
		}
		if j.hosts, err = p.place(j.scenario, "block", t); err != nil {
			return s.wrongJob(j, err)
		}
		if err := p.occupy(j.hosts); err != nil {
			return s.wrongJob(j, fmt.Errorf("%w (%s)", err, s.Net.Name))
		}
		s.Hosts = append(s.Hosts, j.hosts...)
	}
	return nil
}

// occupy takes the nodes of some hosts away.
func (p *placement) occupy(hosts []int) error {
	uses := func(node []int) bool {
		return slices.ContainsFunc(node, func(h int) bool { return slices.Contains(hosts, h) })
	}
	free := slices.Concat(p.nodes...)
	for _, h := range hosts {
		if !slices.Contains(free, h) {
			return fmt.Errorf("host %s is one of a job before it; expected hosts, or nodes, of its own", p.net.EndPointName(h))
		}
	}
	p.nodes = slices.DeleteFunc(slices.Clone(p.nodes), uses)
	return nil
}

// ownFile is where the record or the timeline of a job is written: to NAME.JOB.goal where NAME.goal is asked for. A
// job in the background is cut, and so is not recorded.
func (j *job) ownFile(asked string) (string, error) {
	switch {
	case asked == "":
		return "", nil
	case strings.ContainsRune(j.Name, filepath.Separator):
		return "", fmt.Errorf("name %q; expected one that can be part of the name of a file", j.Name)
	}
	ending := filepath.Ext(asked)
	return strings.TrimSuffix(asked, ending) + "." + j.Name + ending, nil
}
