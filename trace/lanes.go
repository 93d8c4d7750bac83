package trace

import "musubi/trace/perfetto"

// lanes are the tracks of a part that may be at several stages at a time. A stage takes the first
// track that is free.
type lanes struct {
	process perfetto.Track
	name    string
	tracks  []perfetto.Track
	free    []int64 // since when
}

func (l *lanes) add(w *perfetto.Writer, stage string, from, to int64) {
	for i, free := range l.free {
		if free <= from {
			l.write(w, i, stage, from, to)
			return
		}
	}
	l.tracks = append(l.tracks, w.Slices(l.process, l.name))
	l.free = append(l.free, 0)
	l.write(w, len(l.tracks)-1, stage, from, to)
}

func (l *lanes) write(w *perfetto.Writer, i int, stage string, from, to int64) {
	w.Begin(l.tracks[i], from, stage, 0)
	w.End(l.tracks[i], to)
	l.free[i] = to
}
