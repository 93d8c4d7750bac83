package trace

import (
	"musubi/trace/perfetto"
	"musubi/units"
)

// load is what a link carries, in percent of what it could. The value of a nanosecond is told when a later one is
// known, so that all packets of that nanosecond count.
type load struct {
	track perfetto.Track
	at    int64   // nanosecond that is not told yet
	busy  float64 // of it, in picoseconds
	told  float64 // last value
}

// add adds packets that take a link for some time, and carry flits for as long or less. They begin when
// the ones before have ended.
func (l *load) add(w *perfetto.Writer, from, to, carrying units.Time) {
	if to <= from || carrying == 0 {
		return
	}
	share := float64(carrying) / float64(to-from)
	first, last := ns(from), ns(to)
	l.goTo(w, first)
	if first == last {
		l.busy += float64(carrying)
		return
	}
	l.busy += share * float64(units.Time(first+1)*units.Nanosecond-from)
	l.goTo(w, first+1)
	if last > first+1 {
		l.tell(w, share*float64(units.Nanosecond))
		l.at = last
	}
	l.busy = share * float64(to-units.Time(last)*units.Nanosecond)
}

// goTo ends nanoseconds before one.
func (l *load) goTo(w *perfetto.Writer, at int64) {
	if at == l.at {
		return
	}
	l.tell(w, l.busy)
	if l.at++; l.at < at {
		l.tell(w, 0)
	}
	l.at, l.busy = at, 0
}

// tell writes the value from the present nanosecond on.
func (l *load) tell(w *perfetto.Writer, busy float64) {
	if value := busy / float64(units.Nanosecond) * 100; value != l.told {
		w.Count(l.track, l.at, value)
		l.told = value
	}
}

// settle ends what the link carries.
func (l *load) settle(w *perfetto.Writer) { l.goTo(w, l.at+1); l.tell(w, 0) }

// queue is the number of packets in a buffer that wait for their next link. It is told when time has
// gone on, so that packets that pass without waiting are not seen.
type queue struct {
	name  string
	track perfetto.Track // 0: nothing has waited so far
	at    int64
	now   int
	told  int
}

func (q *queue) add(r *Recorder, change int, at int64) {
	if at > q.at {
		q.tell(r)
		q.at = at
	}
	q.now += change
}

func (q *queue) tell(r *Recorder) {
	if q.now == q.told {
		return
	}
	if q.track == 0 {
		q.track = r.w.Counter(r.queuesGroup, q.name, "packets")
	}
	r.w.Count(q.track, q.at, float64(q.now))
	q.told = q.now
}
