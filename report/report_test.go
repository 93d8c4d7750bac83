package report_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"musubi/report"

	"github.com/google/go-cmp/cmp"
)

func ExampleTable() {
	t := report.NewTable(
		report.Column{Name: "routing", Left: true},
		report.Column{Name: "pairs"},
		report.Column{Name: "latency", Unit: "us"},
	)
	t.Add(report.Text("updown"), report.Count(4032), report.Fixed(1.784, 2))
	t.Add(report.Text("dl"), report.Count(4032), report.None())
	t.Print(os.Stdout)
	// Output:
	// routing  pairs  latency [us]
	// ────────────────────────────
	// updown   4,032          1.78
	// dl       4,032             -
}

func ExampleFacts() {
	f := report.NewFacts()
	f.Add("switches", report.Count(40))
	f.Add("end points", report.Text("542 hosts"))
	f.Add("", report.Text("40 aggregation nodes"))
	f.Print(os.Stdout)
	// Output:
	// switches    40
	// end points  542 hosts
	//             40 aggregation nodes
}

func ExampleParagraph() {
	report.Paragraph(os.Stdout, "Traffic that closes a cycle: aggregation-to-host; or host-to-host with aggregation-to-aggregation.")
	// Output:
	// Traffic that closes a cycle: aggregation-to-host; or host-to-host with
	// aggregation-to-aggregation.
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		got  report.Cell
		want string
	}{
		{report.Count(0), "0"},
		{report.Count(999), "999"},
		{report.Count(-1000), "-1,000"},
		{report.Count(int64(1234567)), "1,234,567"},
		{report.Fixed(1234.5, 2), "1,234.50"},
		{report.Fixed(-0.25, 1), "-0.2"},
		{report.Fixed(-0.004, 2), "0.00"},
		{report.Fixed(-0.4, 0), "0"},
		{report.Fixed(math.Inf(1), 1), "+Inf"},
		{report.Significant(0, 3), "0.00"},
		{report.Significant(1.78449, 3), "1.78"},
		{report.Significant(0.00178449, 3), "0.00178"},
		{report.Significant(196.4, 3), "196"},
		{report.Significant(48123.4, 3), "48,123"},
		{report.Significant(math.NaN(), 3), "NaN"},
		{report.Percent(1), "100.0"},
		{report.Percent(0.99999), "99.9"},
		{report.Percent(0.5), "50.0"},
		{report.None(), "-"},
	} {
		if c.got.Text != c.want {
			t.Errorf("got %q, want %q", c.got.Text, c.want)
		}
	}
}

func TestOutputThatIsNoTerminalHasNoStyle(t *testing.T) {
	var b bytes.Buffer
	table := report.NewTable(report.Column{Name: "proof", Left: true})
	table.Add(report.Text("cycle").Bad())
	table.Add(report.Text("free").Good())
	table.Add(report.Text("unknown").Faint())
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Errorf("escape sequences in %q", b.String())
	}
}

func TestLinesDoNotEndInBlanks(t *testing.T) {
	var b bytes.Buffer
	table := report.NewTable(report.Column{Name: "a", Left: true}, report.Column{Name: "a long heading", Left: true})
	table.Add(report.Text("x"))
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("%q ends in blanks", line)
		}
	}
}

// Running text goes on below itself, as wide as a line has room for it.
func TestTablesBreakRunningText(t *testing.T) {
	table := report.NewTable(report.Column{Name: "key", Left: true}, report.Column{Name: "note", Left: true, Text: true})
	table.Add(report.Text("one"), report.Text(strings.Repeat("twelve words ", 12)+"end"))
	table.Add(report.Text("two"))
	table.Add(report.Text("three"), report.Text("short"))
	var b bytes.Buffer
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"key    note",
		strings.Repeat("─", 110),
		"one   " + strings.Repeat(" twelve words", 8),
		"      " + strings.Repeat(" twelve words", 4) + " end",
		"two",
		"three  short",
		"",
	}
	if diff := cmp.Diff(want, strings.Split(b.String(), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsOfTheWriterAreReported(t *testing.T) {
	full := errors.New("disk full")
	table := report.NewTable(report.Column{Name: "a"})
	table.Add(report.Count(1))
	if err := table.Print(failing{full}); !errors.Is(err, full) {
		t.Errorf("table: got %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// On a terminal with colours, headings and cells have their style.
func TestStyleOnATerminal(t *testing.T) {
	t.Setenv("CLICOLOR_FORCE", "1")
	t.Setenv("TERM", "xterm-256color")
	var b bytes.Buffer
	table := report.NewTable(report.Column{Name: "proof", Left: true})
	for _, cell := range []report.Cell{report.Text("good").Good(), report.Text("bad").Bad(), report.Text("faint").Faint(), report.Text("plain"), report.None()} {
		table.Add(cell)
	}
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[1mproof", "\x1b[32mgood", "\x1b[1;31mbad", "\x1b[2mfaint", "\nplain", "\x1b[2m-"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%q", want, b.String())
		}
	}
}

// A row may end before the column with running text.
func TestShortRowsOfTablesWithText(t *testing.T) {
	var b bytes.Buffer
	table := report.NewTable(report.Column{Name: "name", Left: true}, report.Column{Name: "what it is", Left: true, Text: true})
	table.Add()
	table.Add(report.Text("short"))
	table.Add(report.Text("long"), report.Text(strings.Repeat("words and ", 20)))
	if err := table.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n")[2:] {
		if len(line) > 110 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
	if !strings.Contains(b.String(), "\nshort\n") || strings.Count(b.String(), "words and") < 19 {
		t.Errorf("got\n%s", b.String())
	}
}

// Only running text is broken into lines: what stands in other columns can be searched for.
func TestWordsAreNotBroken(t *testing.T) {
	var b bytes.Buffer
	table := report.NewTable(report.Column{Name: "a", Left: true}, report.Column{Name: "b", Left: true})
	words := strings.Repeat("words and ", 20)
	table.Add(report.Text("x"), report.Text(words))
	if err := table.Print(&b); err != nil || !strings.Contains(b.String(), strings.TrimSpace(words)) {
		t.Errorf("error %v; got\n%s", err, b.String())
	}
}
