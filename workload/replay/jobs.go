package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"musubi/trace/schedule"
	"musubi/workload"
	"musubi/workload/job"
	"musubi/workload/job/param"
)

// Jobs lists the jobs of package job as workloads.
func Jobs() []*workload.Workload { return slices.Clone(jobs()) }

// Their parameters are read from the tags of structs, which takes longer than all else that looking for a workload does.
var jobs = sync.OnceValue(func() []*workload.Workload {
	var all []*workload.Workload
	for _, j := range job.All() {
		all = append(all, ofJob(j))
	}
	return all
})

func ofJob(j *job.Job) *workload.Workload {
	w := &workload.Workload{Name: j.Name, Summary: j.Summary}
	for _, p := range j.Params() {
		w.Params = append(w.Params, workload.Param{Name: p.Name, Default: p.Default, Help: p.Help})
	}
	w.Params = append(w.Params, semanticsParams...)
	w.RanksFor = func(settings map[string]string) int {
		ranks, _ := j.Ranks(own(settings)) // Make tells what is wrong
		return ranks
	}
	w.Make = func(v *workload.Values, env workload.Env) *workload.Plan {
		settings := map[string]string{}
		for _, p := range j.Params() {
			if v.Has(p.Name) {
				settings[p.Name] = v.Text(p.Name)
			}
		}
		return prepareJob(j, v, env, settings)
	}
	return w
}

// own returns the settings that are the job's.
func own(settings map[string]string) map[string]string {
	some := maps.Clone(settings)
	for _, p := range semanticsParams {
		delete(some, p.Name)
	}
	return some
}

func prepareJob(j *job.Job, v *workload.Values, env workload.Env, settings map[string]string) *workload.Plan {
	failed := func(err error) bool {
		var wrong *param.Error
		if errors.As(err, &wrong) {
			v.Fail(wrong.Name, "%s", wrong.Problem)
		}
		return err != nil
	}
	ranks, err := j.Ranks(settings)
	if failed(err) {
		return nil
	}
	if ranks != env.Ranks {
		v.Fail(j.Params()[0].Name, "the job has %d ranks, and there are %d; expected as many, as without a number of ranks", ranks, env.Ranks)
		return nil
	}
	s, err := schedules.keep(stampOf(j.Name, settings), func() (*schedule.Schedule, error) { return j.Schedule(settings) })
	if failed(err) {
		return nil
	}
	t := traced{schedule: s, factor: 1, realTime: env.RealTime, results: &results{}}
	if !byRules(v) {
		return t.plan()
	}
	messages, err := schedules.expanded(s)
	if err != nil {
		v.Fail("semantics", "%v", err)
		return nil
	}
	return t.byRules(v, env, j.Name, messages)
}

// stampOf returns a text that is another one for each job and its settings.
func stampOf(name string, settings map[string]string) string {
	var b strings.Builder
	b.WriteString("job " + name)
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, " %s=%q", key, settings[key])
	}
	return b.String()
}
