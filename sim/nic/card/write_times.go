package card

import (
	"fmt"
	"slices"
	"strings"

	"musubi/units"
)

// WriteTimes is how long the processor writes to a window, by length. Measurements of it need not
// rise with the length, so it is a list of points, the shortest first. Between two it is a straight
// line; before the first and behind the last it does not change.
type WriteTimes []WriteTime

// WriteTime is a point of WriteTimes.
type WriteTime struct {
	Bytes units.Bytes
	Takes units.Time
}

// Of returns the time for n bytes.
func (w WriteTimes) Of(n units.Bytes) units.Time {
	i, found := slices.BinarySearchFunc(w, n, func(p WriteTime, n units.Bytes) int { return int(p.Bytes - n) })
	switch {
	case found || i == 0:
		return w[i].Takes
	case i == len(w):
		return w[i-1].Takes
	}
	a, b := w[i-1], w[i]
	return a.Takes + (b.Takes-a.Takes)*units.Time(n-a.Bytes)/units.Time(b.Bytes-a.Bytes)
}

// UnmarshalText reads points such as "24B 201ns, 464B 409ns", the lengths rising.
func (w *WriteTimes) UnmarshalText(text []byte) error {
	var points WriteTimes
	for item := range strings.SplitSeq(string(text), ",") {
		fields := strings.Fields(item)
		bad := fmt.Errorf("given %q, expected lengths that rise, each with a time, such as \"24B 201ns, 464B 409ns\"", text)
		if len(fields) != 2 {
			return bad
		}
		bytes, err1 := units.ParseBytes(fields[0])
		takes, err2 := units.ParseTime(fields[1])
		if err1 != nil || err2 != nil || bytes < 0 || bytes > maxWindow || takes < 0 || len(points) > 0 && bytes <= points[len(points)-1].Bytes {
			return bad
		}
		points = append(points, WriteTime{bytes, takes})
	}
	*w = points
	return nil
}
