package tuning

import (
	"cmp"
	"math"
	"slices"
)

// Auto is the name of the choice of package mpi where nothing is measured, among the algorithms.
const Auto = "auto"

// Point is how long an operation has taken.
type Point struct {
	Operation string // as SetAlgorithm of package mpi names it
	Ranks     int
	Bytes     int // as parameter bytes of workload collective counts them
	Algorithm string
	Time      float64 // microseconds
}

// Table is points of one machine, or of processes. The zero value has none.
type Table struct {
	Processors int // of the host on which processes were measured; 0: not known, or of a simulated machine
	operations map[string]*operation
}

// operation is the points of one operation.
type operation struct {
	ranks      []int             // that were measured, ascending
	kin        map[bool][]int    // those that are powers of two, and those that are not
	algorithms []string          // in the order of their first points
	curves     map[place][]timed // by bytes, ascending
}

// place is an algorithm at a number of ranks.
type place struct {
	algorithm string
	ranks     int
}

type timed struct {
	bytes int
	time  float64
}

// Add adds a point, in place of one for the same.
func (t *Table) Add(p Point) {
	o := t.operations[p.Operation]
	if o == nil {
		if t.operations == nil {
			t.operations = map[string]*operation{}
		}
		o = &operation{curves: map[place][]timed{}, kin: map[bool][]int{}}
		t.operations[p.Operation] = o
	}
	if i, known := slices.BinarySearch(o.ranks, p.Ranks); !known {
		o.ranks = slices.Insert(o.ranks, i, p.Ranks)
		kin := o.kin[isPowerOfTwo(p.Ranks)]
		i, _ = slices.BinarySearch(kin, p.Ranks)
		o.kin[isPowerOfTwo(p.Ranks)] = slices.Insert(kin, i, p.Ranks)
	}
	if !slices.Contains(o.algorithms, p.Algorithm) {
		o.algorithms = append(o.algorithms, p.Algorithm)
	}
	at := place{p.Algorithm, p.Ranks}
	curve := o.curves[at]
	i, known := slices.BinarySearchFunc(curve, p.Bytes, func(x timed, bytes int) int { return cmp.Compare(x.bytes, bytes) })
	if known {
		curve[i].time = p.Time
	} else {
		curve = slices.Insert(curve, i, timed{p.Bytes, p.Time})
	}
	o.curves[at] = curve
}

// Fastest returns the algorithms of an operation from the fastest to the slowest, as far as the
// table tells; nil if it tells nothing about the operation. Not all may suit the number of ranks.
func (t *Table) Fastest(operation string, ranks, bytes int) []string {
	o := t.operations[operation]
	if o == nil {
		return nil
	}
	type estimate struct {
		algorithm string
		time      float64
	}
	var list []estimate
	for _, a := range o.algorithms {
		if time, known := o.time(a, ranks, bytes); known {
			list = append(list, estimate{a, time})
		}
	}
	slices.SortStableFunc(list, func(a, b estimate) int { return cmp.Compare(a.time, b.time) })
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.algorithm
	}
	return names
}

// FastestWithin is Fastest up to the most ranks that were measured, and nil beyond.
func (t *Table) FastestWithin(operation string, ranks, bytes int) []string {
	if o := t.operations[operation]; o == nil || ranks > o.ranks[len(o.ranks)-1] {
		return nil
	}
	return t.Fastest(operation, ranks, bytes)
}

// On returns the points that tell of a job of processes, all on one host with some processors. Whether each process has a
// processor for itself decides more than how many processes there are: so points with a processor for each tell of such jobs
// on any host, and points of processes that share processors tell of jobs that share as many, where all of them take
// part. The latter are told as points of so many processes.
func (t *Table) On(processors, processes int) *Table {
	shared, on := processes > processors, &Table{Processors: t.Processors}
	if processors == 0 || t.Processors == 0 || shared && processors != t.Processors {
		return on
	}
	alike := t.where(shared)
	if !shared {
		return alike
	}
	for _, p := range alike.Points() {
		if !alike.covers(p.Operation, processes, p.Bytes) {
			continue
		}
		p.Time, _ = alike.Time(p.Operation, p.Algorithm, processes, p.Bytes) // p itself tells of it
		p.Ranks = processes
		on.Add(p)
	}
	return on
}

// FastestBetween is Fastest between the numbers of bytes and of ranks that were measured, and nil beyond. Of ranks
// those that are powers of two tell of such numbers only, and others of others.
func (t *Table) FastestBetween(operation string, ranks, bytes int) []string {
	if !t.covers(operation, ranks, bytes) {
		return nil
	}
	return t.Fastest(operation, ranks, bytes)
}

// where returns the points of processes that share processors, or of those that do not.
func (t *Table) where(shared bool) *Table {
	part := &Table{Processors: t.Processors}
	for _, p := range t.Points() {
		if p.Ranks > t.Processors == shared {
			part.Add(p)
		}
	}
	return part
}

// line is up to how many bytes take as long as one: they are in one cache line.
const line = 64

// covers reports whether an operation was measured with so few ranks of this kind and with so many, and with so few bytes
// and so many.
func (t *Table) covers(operation string, ranks, bytes int) bool {
	o := t.operations[operation]
	if o == nil {
		return false
	}
	kin := o.kin[isPowerOfTwo(ranks)]
	if len(kin) == 0 || ranks < kin[0] || kin[len(kin)-1] < ranks {
		return false
	}
	few, many := false, false
	for at, curve := range o.curves {
		if isPowerOfTwo(at.ranks) == isPowerOfTwo(ranks) {
			few, many = few || curve[0].bytes <= max(bytes, line), many || bytes <= curve[len(curve)-1].bytes
		}
	}
	return few && many
}

// Time returns how long an operation takes by an algorithm, in microseconds; false if the table
// does not tell.
func (t *Table) Time(operation, algorithm string, ranks, bytes int) (float64, bool) {
	o := t.operations[operation]
	if o == nil {
		return 0, false
	}
	return o.time(algorithm, ranks, bytes)
}

// time is Time of one operation. Beyond the most ranks that were measured time grows as before
// them; below the fewest it is that of the fewest.
func (o *operation) time(algorithm string, ranks, bytes int) (float64, bool) {
	low, high := o.around(ranks)
	x, knownX := interpolate(o.curves[place{algorithm, low}], bytes)
	y, knownY := interpolate(o.curves[place{algorithm, high}], bytes)
	switch {
	case !knownX:
		return y, knownY
	case !knownY || low == high || ranks <= low:
		return x, true
	}
	return power(float64(low), x, float64(high), y, float64(ranks)), true
}

// around returns the two measured numbers of ranks whose times tell that of some ranks, ascending.
// Many algorithms take a step more where ranks are no power of two, so these are told by others that
// are none, and powers by powers, as far as both were measured.
func (o *operation) around(ranks int) (low, high int) {
	alike := o.ranks
	if kin := o.kin[isPowerOfTwo(ranks)]; len(kin) > 1 || len(kin) == 1 && kin[0] == ranks {
		alike = kin
	}
	i, exact := slices.BinarySearch(alike, ranks)
	if exact {
		return alike[i], alike[i]
	}
	high = max(min(i, len(alike)-1), min(1, len(alike)-1))
	return alike[max(high-1, 0)], alike[high]
}

func isPowerOfTwo(n int) bool { return n&(n-1) == 0 }

// interpolate returns the time of some bytes on a curve, false if it has no points. Below the first
// point time does not depend on bytes; beyond the last it grows as before it.
func interpolate(curve []timed, bytes int) (float64, bool) {
	if len(curve) == 0 {
		return 0, false
	}
	i, exact := slices.BinarySearchFunc(curve, bytes, func(x timed, bytes int) int { return cmp.Compare(x.bytes, bytes) })
	switch {
	case exact:
		return curve[i].time, true
	case i == 0:
		return curve[0].time, true
	case len(curve) == 1:
		return curve[0].time, true
	}
	i = min(i, len(curve)-1)
	a, b := curve[i-1], curve[i]
	return power(float64(a.bytes), a.time, float64(b.bytes), b.time, float64(bytes)), true
}

// power returns the value at x of the power law through (x0, y0) and (x1, y1). x0 may be 0, which
// counts as 1.
func power(x0, y0, x1, y1, x float64) float64 {
	x0, x = max(x0, 1), max(x, 1)
	if x1 <= x0 || y0 <= 0 || y1 <= 0 {
		return y1
	}
	return y0 * math.Pow(x/x0, math.Log(y1/y0)/math.Log(x1/x0))
}

// Choices returns the points by which an algorithm can be chosen: those of all but Auto, at places
// where more than one was measured.
func (t *Table) Choices() *Table {
	type spot struct {
		operation    string
		ranks, bytes int
	}
	measured := map[spot]int{}
	points := slices.DeleteFunc(t.Points(), func(p Point) bool { return p.Algorithm == Auto })
	for _, p := range points {
		measured[spot{p.Operation, p.Ranks, p.Bytes}]++
	}
	choices := &Table{Processors: t.Processors}
	for _, p := range points {
		if measured[spot{p.Operation, p.Ranks, p.Bytes}] > 1 {
			choices.Add(p)
		}
	}
	return choices
}

// Points returns all points, by operation, ranks, bytes and algorithm.
func (t *Table) Points() (list []Point) {
	for name, o := range t.operations {
		for at, curve := range o.curves {
			for _, x := range curve {
				list = append(list, Point{name, at.ranks, x.bytes, at.algorithm, x.time})
			}
		}
	}
	slices.SortFunc(list, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Algorithm, b.Algorithm))
	})
	return list
}
