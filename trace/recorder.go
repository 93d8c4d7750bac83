package trace

import (
	"fmt"
	"io"

	"musubi/trace/perfetto"
	"musubi/units"
)

// Names says what a run is of.
type Names struct {
	Rank func(rank int) string // where it runs; may be empty
	Node func(node int) string // host
	Link func(link int) string
}

// Recorder writes the timeline of runs, one after the other. It implements host.Observer, and so
// fabric.Observer.
type Recorder struct {
	w     *perfetto.Writer
	names Names
	base  units.Time // of the present run
	end   units.Time // of the present run: the latest time that was told

	processes int
	ranks     map[int]perfetto.Track
	links     []*load  // by link; nil: it has carried nothing so far
	queues    []*queue // by link; nil: nothing has waited behind it so far
	nodes     map[int]perfetto.Track
	parts     map[part]*lanes

	linksGroup, queuesGroup perfetto.Track // 0: not described yet
}

// part is a part of a network interface.
type part struct {
	node int
	name string
}

// New returns a recorder.
func New(to io.Writer, names Names) *Recorder {
	return &Recorder{w: perfetto.NewWriter(to, 1), names: names, ranks: map[int]perfetto.Track{}, nodes: map[int]perfetto.Track{}, parts: map[part]*lanes{}}
}

// Next begins another run, behind what was told of the one before. All links are idle between them.
func (r *Recorder) Next() {
	r.settle()
	r.base += r.end
	r.end = 0
}

// Close ends the timeline. It returns what has gone wrong in writing.
func (r *Recorder) Close() error {
	r.settle()
	return r.w.Err()
}

// settle writes what was kept back of loads and queues.
func (r *Recorder) settle() {
	for _, l := range r.links {
		if l != nil {
			l.settle(r.w)
		}
	}
	for _, q := range r.queues {
		if q != nil {
			q.tell(r)
		}
	}
}

// at returns when a time of the present run is on the timeline.
func (r *Recorder) at(t units.Time) units.Time {
	r.end = max(r.end, t)
	return r.base + t
}

// ns cuts a time to nanoseconds.
func ns(t units.Time) int64 { return int64(t / units.Nanosecond) }

// rank returns the track of a rank.
func (r *Recorder) rank(rank int) perfetto.Track {
	track, known := r.ranks[rank]
	if !known {
		name := fmt.Sprintf("rank %d", rank)
		if at := r.names.Rank(rank); at != "" {
			name += " on " + at
		}
		process, pid := r.process(name)
		track = r.w.Thread(process, pid, pid, "program")
		r.ranks[rank] = track
	}
	return track
}

func (r *Recorder) process(name string) (perfetto.Track, int) {
	r.processes++
	return r.w.Process(r.processes, name), r.processes
}

// Begin notes that a rank begins something, inside what it has begun before.
func (r *Recorder) Begin(rank int, what string, at units.Time) {
	r.w.Begin(r.rank(rank), ns(r.at(at)), what, 0)
}

// End notes that a rank ends what it has begun last.
func (r *Recorder) End(rank int, at units.Time) { r.w.End(r.rank(rank), ns(r.at(at))) }

// Send notes that a rank begins a call that sends a message to another one.
func (r *Recorder) Send(rank int, call string, to, bytes int, message uint64, at units.Time) {
	r.w.Begin(r.rank(rank), ns(r.at(at)), call, message, perfetto.Arg{Name: "to", Value: int64(to)}, perfetto.Arg{Name: "bytes", Value: int64(bytes)})
}

// Refuse notes that a call of a rank failed before it had sent its message.
func (r *Recorder) Refuse(rank int, message uint64, at units.Time) {
	r.w.Instant(r.rank(rank), ns(r.at(at)), "refused", message)
}

// Arrive notes that all of a message is in the memory of a rank.
func (r *Recorder) Arrive(rank, from, bytes int, message uint64, at units.Time) {
	r.w.Instant(r.rank(rank), ns(r.at(at)), "arrival", message, perfetto.Arg{Name: "from", Value: int64(from)}, perfetto.Arg{Name: "bytes", Value: int64(bytes)})
}

// Stage notes a stage of the interface of a node, in one of its parts.
func (r *Recorder) Stage(node int, name, stage string, from, to units.Time) {
	process, known := r.nodes[node]
	if !known {
		process, _ = r.process("interface of " + r.names.Node(node))
		r.nodes[node] = process
	}
	of := part{node, name}
	l := r.parts[of]
	if l == nil {
		l = &lanes{process: process, name: name}
		r.parts[of] = l
	}
	l.add(r.w, stage, ns(r.at(from)), ns(r.at(to)))
}

// Busy implements fabric.Observer.
func (r *Recorder) Busy(link int, from, to, carrying units.Time) {
	for len(r.links) <= link {
		r.links = append(r.links, nil)
	}
	l := r.links[link]
	if l == nil {
		if r.linksGroup == 0 {
			r.linksGroup, _ = r.process("links")
		}
		l = &load{track: r.w.Counter(r.linksGroup, r.names.Link(link), "%")}
		r.links[link] = l
	}
	l.add(r.w, r.at(from), r.at(to), carrying)
}

// Waiting implements fabric.Observer.
func (r *Recorder) Waiting(link, change int, at units.Time) {
	for len(r.queues) <= link {
		r.queues = append(r.queues, nil)
	}
	q := r.queues[link]
	if q == nil {
		if r.queuesGroup == 0 {
			r.queuesGroup, _ = r.process("queues")
		}
		q = &queue{name: r.names.Link(link)}
		r.queues[link] = q
	}
	q.add(r, change, ns(r.at(at)))
}
