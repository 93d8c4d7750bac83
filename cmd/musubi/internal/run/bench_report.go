package run

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"musubi"
	"musubi/cmd/musubi/internal/tabulate"
	"musubi/workload"
	"musubi/workload/osu"
)

// Widths of the columns that the OSU micro-benchmarks (5.9) print.
const (
	osuSizeWidth      = 10
	osuWidth          = 18
	osuIterationWidth = 12
	osuBarrierWidth   = 17 // of the first column, where there are no sizes
)

// bench is the results of a test, to be printed.
type bench struct {
	osu.Test
	result  *musubi.Result
	heading string // between title and columns; may be empty
	columns []benchColumn
}

// benchColumn is a column of results. It shows the values of a metric, with a certain statistic if
// one is given; or it shows the label of a certain name.
type benchColumn struct {
	head      string
	width     int
	metric    string
	statistic string
	label     string
}

func newBench(test string, result *musubi.Result, f *benchFlags) *bench {
	b := &bench{Test: osu.Named(test), result: result}
	bandwidth := benchColumn{head: "Bandwidth (MB/s)", width: osuWidth, metric: "bandwidth"}
	switch test {
	case "latency", "incast", "put", "get", "acc", "get_acc", "fop", "cas":
		b.columns = []benchColumn{{head: "Latency (us)", width: osuWidth, metric: "latency"}}
	case "bw", "bibw", "put_bw", "get_bw", "put_bibw":
		b.columns = []benchColumn{bandwidth}
	case "mbw_mr":
		bandwidth.head = "MB/s"
		b.columns = []benchColumn{bandwidth, {head: "Messages/s", width: osuWidth, metric: "message_rate"}}
		b.heading = fmt.Sprintf("# [ pairs: %d ] [ window size: %s ]", result.Ranks/2, cmp.Or(f.scenario.Set["window"], strconv.Itoa(f.Window)))
	default:
		b.columns = collectiveColumns(test, f.Full)
		if b.Nonblocking {
			b.columns = startedColumns(test, f.Full)
			b.heading = "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n"
		}
	}
	if b.OneSided {
		b.heading = "# Window creation: MPI_Win_allocate\n# Synchronization: " + synchronization(test, f.scenario.Set["synchronization"])
	}
	return b
}

// synchronization is what the programs say of how a test is synchronised, in the way that is given if
// any is.
func synchronization(test, way string) string {
	switch {
	case test == "put_bibw":
		return "MPI_Win_post/start/complete/wait"
	case way == osu.Lock || way == osu.Exclusive:
		return "MPI_Win_lock/unlock"
	}
	return "MPI_Win_flush"
}

func collectiveColumns(test string, full bool) []benchColumn {
	columns := []benchColumn{{head: "Avg Latency(us)", width: osuWidth, metric: test, statistic: "avg"}}
	if !full {
		return columns
	}
	return append(columns,
		benchColumn{head: "Min Latency(us)", width: osuWidth, metric: test, statistic: "min"},
		benchColumn{head: "Max Latency(us)", width: osuWidth, metric: test, statistic: "max"},
		benchColumn{head: "Iterations", width: osuIterationWidth, metric: test, statistic: "avg", label: "iterations"})
}

// startedColumns tell of a nonblocking operation.
func startedColumns(test string, full bool) []benchColumn {
	column := func(head, statistic string) benchColumn {
		return benchColumn{head: head, width: osuWidth, metric: test, statistic: statistic}
	}
	columns := []benchColumn{column("Overall(us)", "overall"), column("Compute(us)", "compute")}
	if full {
		columns = append(columns, column("Coll. Init(us)", "start"), column("MPI_Test(us)", "test"), column("MPI_Wait(us)", "wait"))
	}
	return append(columns, column("Pure Comm.(us)", "pure"), column("Overlap(%)", "overlap"))
}

// printBench prints a test in the layout of the OSU micro-benchmarks.
func printBench(out io.Writer, b *bench) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# %s, by musubi on %s\n", b.Title, b.result.Machine)
	if b.heading != "" {
		fmt.Fprintln(w, b.heading)
	}
	b.printHeads(w)
	for _, size := range b.sizes() {
		b.printLine(w, size)
	}
	return w.Flush()
}

// sizes returns the sizes in the order in which they were measured; it is 0 if there
// are none.
func (b *bench) sizes() []int {
	var sizes []int
	for _, r := range b.result.Rows {
		if r.Metric == b.columns[0].metric && !slices.Contains(sizes, r.Bytes) {
			sizes = append(sizes, r.Bytes)
		}
	}
	return sizes
}

func (b *bench) printHeads(w io.Writer) {
	for i, c := range b.columns {
		switch {
		case i > 0:
			fmt.Fprintf(w, "%*s", c.width, c.head)
		case b.Name == "barrier" || b.Name == "ibarrier":
			fmt.Fprint(w, "# "+c.head)
		default:
			fmt.Fprintf(w, "%-*s%*s", osuSizeWidth, "# Size", c.width, c.head)
		}
	}
	fmt.Fprintln(w)
}

func (b *bench) printLine(w io.Writer, size int) {
	for i, c := range b.columns {
		width := c.width
		switch {
		case i > 0:
		case size == 0:
			width = osuBarrierWidth
		default:
			fmt.Fprintf(w, "%-*d", osuSizeWidth, size)
		}
		fmt.Fprintf(w, "%*s", width, b.text(c, size))
	}
	fmt.Fprintln(w)
}

// text returns what stands in a column.
func (b *bench) text(c benchColumn, size int) string {
	i := slices.IndexFunc(b.result.Rows, func(r workload.Row) bool {
		return r.Metric == c.metric && r.Bytes == size && (c.statistic == "" || r.Label(tabulate.StatisticQualifier) == c.statistic)
	})
	switch r := &b.result.Rows[i]; {
	case c.label != "":
		return fmt.Sprint(r.Label(c.label))
	default:
		return fmt.Sprintf("%.2f", r.Value)
	}
}
