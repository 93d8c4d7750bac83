package goal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"musubi/internal/spill"
	"musubi/trace/schedule"
)

// mostRanks keeps a typing error from exhausting memory.
const mostRanks = 1 << 24

// longestLine is the longest line that is read, in bytes.
const longestLine = 1 << 16

// ReadText reads a schedule in text. Errors name the line, and the rank in whose block it is.
func ReadText(r io.Reader) (*schedule.Schedule, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, longestLine), longestLine)
	t := textReader{lines: lines, job: schedule.New(), area: spill.New()}
	if err := t.read(); err != nil {
		where := fmt.Sprintf("line %d", t.line)
		if t.rank != nil {
			where += fmt.Sprintf(", rank %d", len(t.job.Ranks)-1)
		}
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	t.job.Count()
	return t.job, nil
}

// textReader reads text line by line.
type textReader struct {
	lines     *bufio.Scanner
	line      int
	inComment bool // of several lines

	job      *schedule.Schedule
	declared int // number of ranks that the file announces; 0 before

	labels labels // of the rank that is read
	edges  []schedule.Edge
	rank   *schedule.Rank // nil between ranks
	area   *spill.Area    // of labels and edges

	picoseconds uint32 // of the next calculation, beyond its nanoseconds
}

func (t *textReader) read() error {
	for t.lines.Scan() {
		t.line++
		if picoseconds, ok := isPicoseconds(t.lines.Bytes()); ok && !t.inComment {
			t.picoseconds = picoseconds
			continue
		}
		text, err := t.withoutComments(t.lines.Bytes())
		if err != nil {
			return err
		}
		if words := bytes.Fields(text); len(words) > 0 {
			if err := t.statement(words); err != nil {
				return err
			}
		}
	}
	switch err := t.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		t.line++
		return fmt.Errorf("longer than %d bytes", longestLine)
	case err != nil:
		return err
	case t.inComment:
		return errors.New("the file ends within a comment; expected */")
	case t.declared == 0:
		return errors.New(`expected "num_ranks N"`)
	case t.rank != nil:
		return errors.New("the file ends within its block; expected }")
	case len(t.job.Ranks) < t.declared:
		return fmt.Errorf("the file ends after %d ranks; expected %d", len(t.job.Ranks), t.declared)
	}
	return nil
}

// picosecondsForm is a comment above a calculation that takes no whole number of nanoseconds, as
// calculations of recorded runs do. Others read over it.
const picosecondsForm = "// and %d ps"

// isPicoseconds reads a line in that form.
func isPicoseconds(line []byte) (uint32, bool) {
	digits, head := bytes.CutPrefix(line, []byte("// and "))
	digits, tail := bytes.CutSuffix(digits, []byte(" ps"))
	n, err := strconv.ParseUint(string(digits), 10, 32)
	return uint32(n), head && tail && err == nil && n < 1000
}

// withoutComments returns a line without what stands in comments.
func (t *textReader) withoutComments(line []byte) ([]byte, error) {
	if !t.inComment && !bytes.ContainsRune(line, '/') {
		return line, nil
	}
	var rest []byte
	for {
		if t.inComment {
			_, after, found := bytes.Cut(line, []byte("*/"))
			if !found {
				return rest, nil
			}
			t.inComment, line = false, after
		}
		before, after, found := bytes.Cut(line, []byte("/"))
		rest = append(append(rest, before...), ' ')
		switch {
		case !found || bytes.HasPrefix(after, []byte("/")):
			return rest, nil
		case !bytes.HasPrefix(after, []byte("*")):
			return nil, errors.New(`"/" begins no comment; expected // or /*`)
		}
		t.inComment, line = true, after[1:]
	}
}

func (t *textReader) statement(words [][]byte) error {
	switch first := string(words[0]); {
	case t.declared == 0:
		return t.announce(words)
	case t.rank == nil:
		return t.begin(words)
	case first == "}" && len(words) == 1:
		t.rank.Connect(t.edges)
		t.rank, t.edges = nil, t.edges[:0]
		return nil
	case len(words) == 3 && (string(words[1]) == "requires" || string(words[1]) == "irequires"):
		return t.require(words)
	default:
		return t.operation(words)
	}
}

// announce reads the number of ranks.
func (t *textReader) announce(words [][]byte) error {
	if len(words) != 2 || string(words[0]) != "num_ranks" {
		return fmt.Errorf(`%q; expected "num_ranks N"`, join(words))
	}
	n, err := strconv.Atoi(string(words[1]))
	if err != nil || n < 1 || n > mostRanks {
		return fmt.Errorf("%s ranks; expected 1 to %d", words[1], mostRanks)
	}
	t.declared = n
	return nil
}

// begin reads the head of the next rank's block.
func (t *textReader) begin(words [][]byte) error {
	next := len(t.job.Ranks)
	if next == t.declared {
		return fmt.Errorf("%q behind the last of %d ranks", join(words), t.declared)
	}
	if got, want := join(words), fmt.Sprintf("rank %d {", next); got != want {
		return fmt.Errorf("%q; expected %q, as ranks come in order", got, want)
	}
	t.rank = t.job.AddRank()
	t.labels.clear()
	return nil
}

// require reads "a requires b" or "a irequires b".
func (t *textReader) require(words [][]byte) error {
	var ends [2]uint32
	for i, word := range [][]byte{words[0], words[2]} {
		op, known := t.labels.find(word)
		if !known {
			return fmt.Errorf("label %s is not defined above", join([][]byte{word}))
		}
		ends[i] = op
	}
	t.edges = spill.Append(t.area, t.edges, schedule.Edge{From: ends[1], To: ends[0], Start: string(words[1]) == "irequires"})
	t.area.Used(1)
	t.job.Used(1)
	return nil
}

// operation reads a statement with or without a label.
func (t *textReader) operation(words [][]byte) error {
	if name, labelled := bytes.CutSuffix(words[0], []byte(":")); labelled {
		if !isLabel(name) {
			return fmt.Errorf("label %q; expected a letter, and then letters, digits and _", join([][]byte{name}))
		}
		t.labels.add(t.area, name, uint32(len(t.rank.Ops)))
		words = words[1:]
	}
	op, err := t.parse(words)
	if err != nil {
		return err
	}
	if op.Kind == schedule.Calc {
		op.Tag = t.picoseconds
	}
	t.picoseconds = 0
	op.Line = uint32(t.line)
	t.rank.Add(op)
	t.job.Used(1)
	return nil
}

// forms are what statements look like, for errors.
const forms = `"calc N", "send Nb to RANK [tag N]" or "recv Nb from RANK [tag N]", with cpu N and nic N, or "LABEL requires LABEL"`

// parse reads a statement behind its label.
func (t *textReader) parse(words [][]byte) (op schedule.Op, err error) {
	p := phrase{words: words}
	switch string(p.take()) {
	case "calc":
		op.Kind, op.Size = schedule.Calc, p.number(math.MaxInt64, "the time of calc")
	case "send":
		op.Kind, op.Size = schedule.Send, p.bytes()
		p.expect("to")
		op.Peer = p.rank(t.declared)
	case "recv":
		op.Kind, op.Size = schedule.Receive, p.bytes()
		p.expect("from")
		op.Peer = p.any("the source", uint64(t.declared)-1)
	default:
		return op, fmt.Errorf("%q; expected %s", join(words), forms)
	}
	for len(p.words) > 0 && p.err == nil {
		switch word := string(p.take()); {
		case word == "tag" && op.Kind != schedule.Calc:
			op.Tag = p.any("tag", math.MaxUint32)
		case word == "cpu":
			op.CPU = uint8(p.number(math.MaxUint8, "cpu"))
		case word == "nic" && op.Kind != schedule.Calc:
			op.NIC = uint8(p.number(math.MaxUint8, "nic"))
		default:
			return op, fmt.Errorf("%q in %q; expected %s", join([][]byte{[]byte(word)}), join(words), forms)
		}
	}
	return op, p.err
}

// phrase is the rest of a statement. It keeps its first mistake.
type phrase struct {
	words [][]byte
	err   error
}

func (p *phrase) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// take returns the next word, nil if there is none.
func (p *phrase) take() (word []byte) {
	if len(p.words) > 0 {
		word, p.words = p.words[0], p.words[1:]
	}
	return word
}

func (p *phrase) expect(want string) {
	if got := p.take(); string(got) != want {
		p.fail("%q; expected %q", join([][]byte{got}), want)
	}
}

// number reads a number from 0 to most.
func (p *phrase) number(most uint64, what string) uint64 {
	word := p.take()
	n, err := strconv.ParseUint(string(word), 10, 64)
	if err != nil || n > most {
		p.fail("%s %q; expected a number from 0 to %d", what, join([][]byte{word}), most)
	}
	return n
}

// bytes reads a size such as 100b.
func (p *phrase) bytes() uint64 {
	word := p.take()
	digits, ok := bytes.CutSuffix(word, []byte("b"))
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if !ok || err != nil || n > math.MaxInt64 {
		p.fail("size %q; expected bytes such as 100b", join([][]byte{word}))
	}
	return n
}

func (p *phrase) rank(ranks int) uint32 {
	return uint32(p.number(uint64(ranks)-1, "rank"))
}

// any reads a number, or -1 for Any.
func (p *phrase) any(what string, most uint64) uint32 {
	if len(p.words) > 0 && string(p.words[0]) == "-1" {
		p.take()
		return schedule.Any
	}
	return uint32(p.number(most, what))
}

// clip is how much of a statement errors show, in bytes.
const clip = 80

// join returns words as a statement, and "..." for what is long.
func join(words [][]byte) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	text := strings.Join(all, " ")
	if len(text) > clip {
		text = text[:clip] + "..."
	}
	return text
}

// WriteText writes a schedule in text. Collective operations become messages.
func WriteText(w io.Writer, s *schedule.Schedule) error {
	s, err := s.Expanded()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "num_ranks %d\n", len(s.Ranks))
	for r := range s.Ranks {
		fmt.Fprintf(b, "\nrank %d {\n", r)
		writeRank(b, &s.Ranks[r])
		s.Used(2 * len(s.Ranks[r].Ops))
		b.WriteString("}\n")
	}
	return b.Flush()
}

func writeRank(b *bufio.Writer, r *schedule.Rank) {
	for i := range r.Ops {
		if op := &r.Ops[i]; op.Kind == schedule.Calc && op.Tag > 0 {
			fmt.Fprintf(b, picosecondsForm+"\n", op.Tag)
		}
		fmt.Fprintf(b, "l%d: %v\n", i+1, &r.Ops[i])
	}
	for i := range r.Ops {
		for _, to := range r.Requires(i) {
			fmt.Fprintf(b, "l%d requires l%d\n", to+1, i+1)
		}
		for _, to := range r.Starts(i) {
			fmt.Fprintf(b, "l%d irequires l%d\n", to+1, i+1)
		}
	}
}
