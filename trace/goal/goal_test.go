package goal

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/trace/schedule"

	"pgregory.net/rapid"
)

const example = `num_ranks 2

rank 0 {
c1: calc 1000
s1: send 100b to 1 tag 7
s1 requires c1
}

rank 1 {
r1: recv 100b from 0 tag 7
c1: calc 500
c1 requires r1
}
`

// published is the example as LogGOPSim's txt2bin writes it.
const published = "7f10000000000000" + "02000000" + "0000" +
	"2600000000000000" + "8400000000000000" + "8400000000000000" + "e200000000000000" +
	"02000000" + "01000000" + "00000000" +
	"00000000" + "03" + "00000000" + "e803000000000000" + "00000000" + "00" + "00" + "01000000" + "00000000" + "00000000" + "01000000" +
	"01000000" + "01" + "01000000" + "6400000000000000" + "07000000" + "00" + "00" + "00000000" + "01000000" + "00000000" + "01000000" +
	"01000000" +
	"02000000" + "01000000" + "00000000" +
	"00000000" + "02" + "00000000" + "6400000000000000" + "07000000" + "00" + "00" + "01000000" + "00000000" + "00000000" + "01000000" +
	"01000000" + "03" + "00000000" + "f401000000000000" + "00000000" + "00" + "00" + "00000000" + "01000000" + "00000000" + "01000000" +
	"01000000"

func TestBinaryFormIsThatOfTxt2bin(t *testing.T) {
	s, err := ReadText(strings.NewReader(example))
	check.Must(t, err)
	var b bytes.Buffer
	check.Must(t, WriteBinary(&b, s))
	if got := hex.EncodeToString(b.Bytes()); got != published {
		t.Errorf("got\n%s\nwant\n%s", got, published)
	}
}

// TestFormsAgree: any schedule is the same after a way through either form.
func TestFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := random(t)
		var text, binary bytes.Buffer
		must(t, WriteText(&text, s))
		must(t, WriteBinary(&binary, s))
		fromText, err := ReadText(&text)
		must(t, err)
		forgetLines(fromText)
		fromBinary, err := ReadBinary(bytes.NewReader(binary.Bytes()), int64(binary.Len()))
		must(t, err)
		if !same(s, fromText) || !same(s, fromBinary) {
			t.Errorf("got %s\nby text and %s\nby the binary form of %s", told(fromText), told(fromBinary), told(s))
		}
	})
}

// same reports whether schedules are equal. An empty list is like none.
func same(a, b *schedule.Schedule) bool { return told(a) == told(b) }

// told returns what a schedule says.
func told(s *schedule.Schedule) string {
	text := fmt.Sprint(s.CPUs, s.NICs, s.Groups)
	for i := range s.Ranks {
		r := &s.Ranks[i]
		text += fmt.Sprintf("\n%v %v", r.Next, r.IDs)
		for _, op := range r.Ops { // as a structure, and not as a statement
			text += fmt.Sprintf("\n%+v", op)
		}
	}
	return text
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// random draws a schedule, matched or not.
func random(t *rapid.T) *schedule.Schedule {
	n := rapid.IntRange(1, 4).Draw(t, "ranks")
	s := &schedule.Schedule{Ranks: make([]schedule.Rank, n)}
	for r := range s.Ranks {
		ops := make([]schedule.Op, rapid.IntRange(0, 6).Draw(t, "operations"))
		for i := range ops {
			op := &ops[i]
			op.Kind = schedule.Kind(rapid.IntRange(int(schedule.Send), int(schedule.Calc)).Draw(t, "kind"))
			op.Size = rapid.Uint64Range(0, 1<<63-1).Draw(t, "size")
			op.CPU = rapid.Uint8().Draw(t, "cpu")
			if op.Kind == schedule.Calc {
				op.Tag = rapid.Uint32Range(0, 999).Draw(t, "picoseconds")
				continue
			}
			op.Peer, op.NIC = rapid.Uint32Range(0, uint32(n)-1).Draw(t, "peer"), rapid.Uint8().Draw(t, "nic")
			op.Tag = rapid.SampledFrom([]uint32{0, 1, 1 << 31, schedule.Any}).Draw(t, "tag")
			if op.Kind == schedule.Receive && rapid.Bool().Draw(t, "wild") {
				op.Peer = schedule.Any
			}
		}
		s.Ranks[r].Ops = ops
		var edges []schedule.Edge
		for range rapid.IntRange(0, 8).Draw(t, "edges") {
			if len(ops) > 0 {
				place := rapid.Uint32Range(0, uint32(len(ops))-1)
				edges = append(edges, schedule.Edge{From: place.Draw(t, "from"), To: place.Draw(t, "to"), Start: rapid.Bool().Draw(t, "start")})
			}
		}
		s.Ranks[r].Connect(edges)
	}
	s.Count()
	return s
}

func forgetLines(s *schedule.Schedule) {
	for r := range s.Ranks {
		for i := range s.Ranks[r].Ops {
			s.Ranks[r].Ops[i].Line = 0
		}
	}
}

func TestWhatIsReadBesideTheUsualForm(t *testing.T) {
	got, err := ReadText(strings.NewReader("/* two\n ranks */ num_ranks 2\r\nrank 0 { // first\n  a: send 8b to 1 nic 2 cpu 1 // indented\n" +
		"a: calc 5 /* a second\n a */\n\tb: recv 0b from -1 tag -1\nb irequires a\n}\nrank 1 {\n}\n"))
	check.Must(t, err)
	forgetLines(got)
	want, err := ReadText(strings.NewReader("num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0 cpu 1 nic 2\nl2: calc 5\nl3: recv 0b from -1 tag -1\nl3 irequires l1\n}\nrank 1 {\n}\n"))
	check.Must(t, err)
	forgetLines(want)
	if !same(got, want) {
		t.Errorf("got %s\nwant %s", told(got), told(want))
	}
}

func TestMistakesInTextAreNamedWithTheirLine(t *testing.T) {
	rank := func(statement string) string { return "num_ranks 2\nrank 0 {\n" + statement + "\n}\nrank 1 {\n}\n" }
	for _, c := range []struct{ text, want string }{
		{"", `line 0: expected "num_ranks N"`},
		{"hello\n", `line 1: "hello"; expected "num_ranks N"`},
		{"num_ranks 0\n", "line 1: 0 ranks; expected 1 to"},
		{"num_ranks 99999999999\n", "99999999999 ranks; expected 1 to"},
		{"num_ranks 2\nrank 1 {\n}\n", `line 2: "rank 1 {"; expected "rank 0 {", as ranks come in order`},
		{"num_ranks 2\nrank 0 {\n}\n", "line 3: the file ends after 1 ranks; expected 2"},
		{"num_ranks 1\nrank 0 {\ncalc 1\n", "line 3, rank 0: the file ends within its block; expected }"},
		{"num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n", `line 4: "rank 1 {" behind the last of 1 ranks`},
		{"num_ranks 1\n/* and so on\n", "line 2: the file ends within a comment"},
		{rank("a requires b"), "line 3, rank 0: label a is not defined above"},
		{rank("a: calc 1\na requires b"), "line 4, rank 0: label b is not defined above"},
		{rank("1: calc 1"), `line 3, rank 0: label "1"; expected a letter`},
		{rank("send 100 to 1"), `line 3, rank 0: size "100"; expected bytes such as 100b`},
		{rank("send 1b from 1"), `line 3, rank 0: "from"; expected "to"`},
		{rank("send 1b to 2"), `line 3, rank 0: rank "2"; expected a number from 0 to 1`},
		{rank("send 1b to -1"), `line 3, rank 0: rank "-1"; expected a number from 0 to 1`},
		{rank("recv 1b from 2"), `line 3, rank 0: the source "2"; expected a number from 0 to 1`},
		{rank("recv 1b from 1 tag 4294967296"), `line 3, rank 0: tag "4294967296"; expected a number from 0 to 4294967295`},
		{rank("calc 1 nic 1"), `line 3, rank 0: "nic" in "calc 1 nic 1"; expected "calc N"`},
		{rank("calc"), `line 3, rank 0: the time of calc ""; expected a number`},
		{rank("calc 1 cpu 256"), `line 3, rank 0: cpu "256"; expected a number from 0 to 255`},
		{rank("wait 5"), `line 3, rank 0: "wait 5"; expected "calc N"`},
		{rank("calc / 5"), `line 3, rank 0: "/" begins no comment`},
		{rank("calc 1" + strings.Repeat(" ", longestLine)), "line 3, rank 0: longer than 65536 bytes"},
	} {
		_, err := ReadText(strings.NewReader(c.text))
		check.Error(t, err, c.want)
	}
}

func TestDamagedBinaryFilesAreRefused(t *testing.T) {
	good, err := hex.DecodeString(published)
	check.Must(t, err)
	read := func(b []byte) error { _, err := ReadBinary(bytes.NewReader(b), int64(len(b))); return err }
	check.Must(t, read(good))
	for n := range good {
		if read(good[:n]) == nil {
			t.Errorf("the first %d of %d bytes are read", n, len(good))
		}
	}
	for _, c := range []struct {
		at    int
		value byte
		want  string
	}{
		{0, 0x26, "mark 4134; expected 4223"},
		{8, 200, "200 ranks in 234 bytes"},
		{14, 0x20, "rank 0 lies at bytes 40 to"},
		{30, 0x26, "rank 1 lies at bytes 46 to"},
		{46, 3, "rank 0: 3 operations, 1 of which wait for none"},
		{58, 1, "rank 0: operation 1 waits for 1; 0 lead to it"},
		{62, 4, "rank 0: operation 1: kind 4; expected 1 (send), 2 (recv) or 3 (calc)"},
		{102, 9, "rank 0: operation 2: rank 9 of 2"},
		{12, 0, ""},
	} {
		bad := bytes.Clone(good)
		bad[c.at] = c.value
		check.Error(t, read(bad), c.want)
	}
	bad := bytes.Clone(good)
	bad[0], bad[1] = 0x26, 0x09 // 2342
	check.Error(t, read(bad), "LogGOPSim has run this file with --save-mem")
}

func TestOpenNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	check.Error(t, err, dir+" is no regular file")
	path := filepath.Join(dir, "a.goal")
	check.Must(t, os.WriteFile(path, []byte("num_ranks 1\nrank 0 {\ncalc x\n}\n"), 0o600))
	_, err = Open(path)
	check.Error(t, err, path+": line 3, rank 0: the time of calc")
}

func FuzzText(f *testing.F) {
	f.Add(example)
	f.Add("num_ranks 1\nrank 0 {\na: calc 1 cpu 3\n a irequires a\n}")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadText(strings.NewReader(text))
		if err != nil {
			return
		}
		var b, again bytes.Buffer
		check.Must(t, WriteText(&b, s))
		read, err := ReadText(bytes.NewReader(b.Bytes()))
		check.Must(t, err)
		check.Must(t, WriteText(&again, read))
		if b.String() != again.String() {
			t.Errorf("written, read and written:\n%s\nonce:\n%s", again.String(), b.String())
		}
	})
}

func FuzzBinary(f *testing.F) {
	good, _ := hex.DecodeString(published)
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadBinary(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		var b bytes.Buffer
		check.Must(t, WriteBinary(&b, s))
		read, err := ReadBinary(bytes.NewReader(b.Bytes()), int64(b.Len()))
		check.Must(t, err)
		if !same(s, read) {
			t.Errorf("got %s\nwant %s", told(read), told(s))
		}
	})
}
