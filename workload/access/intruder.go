package access

import (
	"errors"
	"slices"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// Kinds of accesses that an intruder tries.
const (
	writeAccess = "write"
	readAccess  = "read"
	addAccess   = "add"
)

// Intruder tries to access memory without a right to.
var Intruder = &workload.Workload{
	Name:       "intruder",
	ListParams: []string{"access", "stop"},
	Summary:    "one rank accesses memory of rank 0 with a wrong access id: what comes of it, what rank 0 is told, and how the system stops the intruder",
	Params: []workload.Param{
		{Name: "intruder", Default: "1", Help: "rank that tries, 1 to the last"},
		{Name: "access", Default: "all", Help: "all, or a list out of write, read and add (to a word, atomically)"},
		{Name: "stop", Default: "false,true", Help: "true: rank 0 asks the system to stop the intruder, as soon as it is told of it; false: it lets it try; or a list"},
		{Name: "bytes", Default: "8", Help: "of each write or read, up to a packet"},
		{Name: "attempts", Default: "20", Help: "of the intruder, unless it is stopped"},
		{Name: "pause", Default: "100us", Help: "that it computes between them; with a short one, reports can take all of the victim's processor"},
	},
	Make: prepareIntruder,
}

// intruder lets one rank try one kind of access. Each kind has a machine of its own, as the intruder
// may be stopped.
type intruder struct {
	rank, bytes, attempts int
	access                string
	stop                  bool
	pause                 units.Time
}

func prepareIntruder(v *workload.Values, env workload.Env) *workload.Plan {
	if !env.Guarded {
		v.Fail("intruder", "interfaces of this machine do not check the right to access memory; expected a machine where they do, such as ssscore")
	}
	if env.Ranks < 2 {
		v.Fail("intruder", "expected two ranks or more, and there is one")
	}
	w := intruder{
		rank:     v.Rank("intruder", env),
		bytes:    readPacketSize(v, env),
		attempts: v.Int("attempts", 1, 1e6),
		pause:    v.Time("pause", 0),
	}
	if w.rank == victimRank {
		v.Fail("intruder", "rank %d is the victim; expected 1 to %d", victimRank, env.Ranks-1)
	}
	var programs []ranks.Program
	for _, stop := range v.Choices("stop", []string{"false", "true"}) {
		for _, access := range v.Choices("access", []string{writeAccess, readAccess, addAccess}) {
			w.stop, w.access = stop == "true", access
			programs = append(programs, w.run)
		}
	}
	if len(programs) == 0 {
		return &workload.Plan{}
	}
	return &workload.Plan{Program: programs[0], More: programs[1:]}
}

// readPacketSize reads the parameter bytes, of what a packet can have.
func readPacketSize(v *workload.Values, env workload.Env) int {
	size, ok := v.Size(1, "bytes", v.Text("bytes"), env)
	if ok && units.Bytes(size) > workload.PacketData(env) {
		v.Fail("bytes", "expected 1 to %v, the data of a packet", workload.PacketData(env))
	}
	return size
}

// victimRank is the rank whose memory the intruder accesses.
const victimRank = 0

func (w intruder) run(p rma.Process, out *workload.Rows) error {
	guarded, ok := p.(rma.Guarded)
	if !ok {
		return errors.New("workload: interfaces of this machine do not check the right to access memory")
	}
	r := newIntruderRank(guarded, w)
	if _, err := r.team.Agree(0); err != nil {
		return err
	}
	switch p.Rank() {
	case w.rank:
		return r.intrude()
	case victimRank:
		told, stopped, err := r.defend()
		if err != nil {
			return err
		}
		return r.report(told, stopped, out)
	}
	return nil
}

// report adds the rows of a victim that has been told of an intruder, and has had it stopped.
func (r *intruderRank) report(told, stopped units.Time, out *workload.Rows) error {
	notes, err := r.readNotes()
	if err != nil {
		return err
	}
	var v rma.Violation
	if list := r.p.Violations(); len(list) > 0 {
		v = list[0]
	}
	add := func(metric, unit string, value float64, statistic string) {
		labels := []workload.Label{{Name: "access", Value: r.w.access}, {Name: "stop", Value: r.w.stop}}
		if statistic != "" {
			labels = append(labels, workload.Label{Name: "statistic", Value: statistic})
		}
		out.Add(workload.Row{Metric: metric, Unit: unit, Value: value, Labels: labels})
	}
	add("attempts", "count", float64(notes[madeNote]), "made")
	add("attempts", "count", float64(notes[refusedNote]), "refused")
	add("attempts", "count", float64(v.Times), "reported")
	add("offender", "id", float64(v.From), "rank")
	add("offender", "id", float64(v.Process), "process")
	add("offender", "id", float64(v.Access), "access")
	add("intrusion", "B", float64(r.changed()), "written")
	add("intrusion", "B", float64(notes[gotNote]), "read")
	add("reaction", "us", (told - units.Time(notes[beginNote])).Microseconds(), "told")
	if r.w.stop {
		add("reaction", "us", stopped.Microseconds(), "stopped")
	}
	return nil
}

// changed returns how many bytes of the memory are not as the victim has left them.
func (r *intruderRank) changed() int {
	want := slices.Clone(r.secret.Memory)
	fillSecret(want)
	return differing(r.secret.Memory, want)
}
