package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// printTables prints what rows come to, in Markdown: by engine, by engine and failed links, and by kind of network.
func printTables(w io.Writer, all []*row) {
	networks := make(map[key]bool)
	for _, r := range all {
		networks[key{r.network, r.failed, ""}] = true
	}
	fmt.Fprintf(w, "\n%d networks\n", len(networks))
	printEngines(w, all)
	usual := of(all, func(r *row) bool { return !engineNamed(r.engine).extra })
	printFailures(w, usual)
	printKinds(w, usual)
}

// tally counts verdicts.
type tally struct {
	free, cycle, changed, none, unknown int
	worse                               int // of changed: what took over closes a cycle
}

func (t *tally) add(r *row) {
	switch {
	case r.changed():
		if t.changed++; r.channels > 0 {
			t.worse++
		}
	case r.verdict == free:
		t.free++
	case r.verdict == cycle || r.verdict == nodesOnly:
		t.cycle++
	case r.verdict == unknown:
		t.unknown++
	default:
		t.none++
	}
}

// String is the text of a cell: what there is most of, first.
func (t *tally) String() string {
	type part struct {
		n    int
		what string
	}
	parts := []part{{t.free, "free"}, {t.cycle, "**cycle**"}, {t.changed, "*other engine*"}, {t.none, "no tables"}, {t.unknown, "not known"}}
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.n == 0 })
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.n, a.n) })
	var texts []string
	for _, p := range parts {
		texts = append(texts, fmt.Sprintf("%d %s", p.n, p.what))
	}
	return strings.Join(texts, ", ")
}

func of(all []*row, wanted func(*row) bool) []*row {
	return slices.DeleteFunc(slices.Clone(all), func(r *row) bool { return !wanted(r) })
}

// enginesIn lists the engines that rows are about.
func enginesIn(all []*row) []string {
	return slices.DeleteFunc(engineNames(), func(name string) bool {
		return !slices.ContainsFunc(all, func(r *row) bool { return r.engine == name })
	})
}

func printEngines(w io.Writer, all []*row) {
	fmt.Fprintln(w, "\n| engine | networks | free of deadlock | closes a cycle | another engine took over | and closes a cycle | no tables | lost pairs on | lanes: median, most | load over minhop's: mean, most | time over minhop's: mean | OpenSM [s]: most |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	minhop := make(map[key]*row)
	for _, r := range all {
		if r.engine == "minhop" {
			minhop[key{r.network, r.failed, ""}] = r
		}
	}
	for _, name := range enginesIn(all) {
		rows := of(all, func(r *row) bool { return r.engine == name })
		var t tally
		var lost int
		var lanes []int
		var load, time ratio
		most := 0.0
		for _, r := range rows {
			t.add(r)
			if r.lost > 0 {
				lost++
			}
			most = max(most, r.seconds)
			if r.changed() {
				continue // its figures are those of another
			}
			if n, err := strconv.Atoi(r.lanes); err == nil {
				lanes = append(lanes, n)
			}
			if m := minhop[key{r.network, r.failed, ""}]; m != nil {
				load.add(float64(r.load), float64(m.load))
				time.add(r.seconds, m.seconds)
			}
		}
		slices.Sort(lanes)
		used := ""
		if n := len(lanes); n > 0 {
			used = fmt.Sprintf("%d, %d", lanes[n/2], lanes[n-1])
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %d | %s | %s | %s | %.1f |\n", name, len(rows), t.free, t.cycle, t.changed, t.worse, t.none+t.unknown, lost, used, load.both(), time.mean(), most)
	}
}

// ratio is a geometric mean and the greatest of quotients.
type ratio struct {
	n         int
	sum, most float64
}

func (q *ratio) add(a, b float64) {
	if a <= 0 || b <= 0 {
		return
	}
	q.n++
	q.sum += math.Log(a / b)
	q.most = max(q.most, a/b)
}

func (q *ratio) mean() string {
	if q.n == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", math.Exp(q.sum/float64(q.n)))
}

func (q *ratio) both() string {
	if q.n == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %.1f", q.mean(), q.most)
}

func printFailures(w io.Writer, all []*row) {
	fmt.Fprintln(w, "\n| engine | no link failed | one | two |")
	fmt.Fprintln(w, "| --- | --- | --- | --- |")
	for _, name := range enginesIn(all) {
		fmt.Fprintf(w, "| %s |", name)
		for failed := range 3 {
			fmt.Fprintf(w, " %v |", count(all, func(r *row) bool { return r.engine == name && r.failed == failed }))
		}
		fmt.Fprintln(w)
	}
}

func count(all []*row, wanted func(*row) bool) *tally {
	t := new(tally)
	for _, r := range of(all, wanted) {
		t.add(r)
	}
	return t
}

func printKinds(w io.Writer, all []*row) {
	var kinds []string
	for _, r := range all {
		if k := kind(r.network); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	engines := enginesIn(all)
	fmt.Fprintf(w, "\n| kind | %s |\n| --- |%s\n", strings.Join(engines, " | "), strings.Repeat(" --- |", len(engines)))
	for _, k := range kinds {
		fmt.Fprintf(w, "| %s |", k)
		for _, name := range engines {
			fmt.Fprintf(w, " %v |", count(all, func(r *row) bool { return r.engine == name && kind(r.network) == k }))
		}
		fmt.Fprintln(w)
	}
}

// kind is what a network is counted among: random ones by degree, as those of many links behave otherwise.
func kind(network string) string {
	name, parameters, ok := strings.Cut(network, ":")
	switch {
	case strings.Contains(network, "."):
		return "files"
	case !ok:
		return "irregular"
	case name != "random":
		return name
	}
	for p := range strings.SplitSeq(parameters, ",") {
		if degree, ok := strings.CutPrefix(p, "degree="); ok {
			return "random, degree " + fmt.Sprintf("%2s", degree)
		}
	}
	return name
}
