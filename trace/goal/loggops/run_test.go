package loggops

import (
	"fmt"
	"strings"
	"testing"

	"musubi/internal/check"
	"musubi/trace/goal"
	"musubi/units"

	"pgregory.net/rapid"
)

// usual are LogGOPSim's defaults.
var usual = Parameters{L: 2500 * ns, O: 1500 * ns, G: 1000 * ns, PerByte: perByte(6), Eager: DefaultEager}

const ns = units.Nanosecond

// perByte is the rate at which a byte takes so many nanoseconds.
func perByte(n int64) units.Rate {
	r, err := units.ParseRate(fmt.Sprintf("%dns/B", n))
	if err != nil {
		panic(err)
	}
	return r
}

// The schedules that are small enough to be worked out by hand, and what LogGOPSim and ATLAHS print for
// them, in nanoseconds.
var (
	calcSend = `num_ranks 2
rank 0 {
c1: calc 1000
s1: send 100b to 1 tag 7
s1 requires c1
}
rank 1 {
r1: recv 100b from 0 tag 7
c1: calc 500
c1 requires r1
}`
	threeSends = `num_ranks 2
rank 0 {
a: send 8b to 1 tag 0
b: send 8b to 1 tag 0
c: send 8b to 1 tag 0
b requires a
c requires b
}
rank 1 {
a: recv 8b from 0 tag 0
b: recv 8b from 0 tag 0
c: recv 8b from 0 tag 0
b requires a
c requires b
}`
	rendezvousLate = `num_ranks 2
rank 0 {
s1: send 100000b to 1 tag 1
c1: calc 10
c1 requires s1
c2: calc 50 cpu 1
c2 irequires s1
}
rank 1 {
c1: calc 700000
r1: recv 100000b from 0 tag 1
r1 requires c1
}`
	rendezvousPosted = `num_ranks 2
rank 0 {
s1: send 100000b to 1 tag 1
c1: calc 10
c1 requires s1
}
rank 1 {
recv 100000b from 0 tag 1
}`
	anySource = `num_ranks 3
rank 0 {
s1: send 1000b to 2 tag 1
s2: send 1000b to 2 tag 2
s2 requires s1
}
rank 1 {
send 1000b to 2 tag 1
}
rank 2 {
recv 1000b from -1 tag 1
recv 1000b from 0 tag 2
recv 1000b from 1 tag 1
}`
	crossing = `num_ranks 2
rank 0 {
send 0b to 1
send 0b to 1
}
rank 1 {
recv 0b from 0
recv 0b from 0
}`
)

func TestTimesAreThoseThatThePublishedProgramsPrint(t *testing.T) {
	withO := usual
	withO.BytePerProcessor = ns
	other := Parameters{L: 1000 * ns, O: 500 * ns, G: 200 * ns, PerByte: perByte(2), BytePerProcessor: ns, Eager: DefaultEager}
	for _, c := range []struct {
		text  string
		p     Parameters
		by    Semantics
		want  string
		fails string
	}{
		{calcSend, usual, LogGOPSim, "2500 7594", ""},
		{calcSend, usual, ATLAHS, "2500 8594", ""},
		{calcSend, other, LogGOPSim, "1599 3698", ""},
		{threeSends, usual, LogGOPSim, "4500 8626", ""},
		{threeSends, withO, LogGOPSim, "4521 8626", ""},
		{threeSends, usual, ATLAHS, "4500 11542", ""},
		{rendezvousLate, usual, LogGOPSim, "700010 1301494", ""},
		{rendezvousLate, usual, ATLAHS, "702510 702500", ""},
		{rendezvousPosted, usual, LogGOPSim, "4010 605494", ""},
		{rendezvousPosted, usual, ATLAHS, "606504 606494", ""},
		{anySource, usual, LogGOPSim, "8494 1500 26482", ""},
		{anySource, usual, ATLAHS, "8494 1500 19488", "line 11, rank 2: recv 1000b from -1 tag 1: no message comes; 1 receives"},
		{crossing, usual, LogGOPSim, "3000 6994", ""},
	} {
		s, err := goal.ReadText(strings.NewReader(c.text))
		check.Must(t, err)
		r, err := Run(t.Context(), s, c.p, c.by)
		check.Error(t, err, c.fails)
		var got []string
		for _, end := range r.Ends {
			got = append(got, fmt.Sprint(int64(end/ns)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: ranks end at %v, want %v:\n%s", c.by, got, c.want, c.text)
		}
	}
}

// TestPatternsTakeWhatThePublishedProgramsPrint has collective operations as LogGOPSim's generator writes
// them, whose times are published in its README or were printed by both programs. Those of ATLAHS depend
// on its queue's order at equal times.
func TestPatternsTakeWhatThePublishedProgramsPrint(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     string
		by    Semantics
		want  int64
		fails string
	}{
		{"dissemination", dissemination(16, 1), LogGOPSim, 22000, ""},
		{"dissemination", dissemination(8, 1024), LogGOPSim, 34914, ""},
		{"dissemination", dissemination(16, 1024), LogGOPSim, 46552, ""},
		{"dissemination", dissemination(8, 1024), ATLAHS, 37914, ""},
		{"dissemination", dissemination(16, 1024), ATLAHS, 50552, ""},
		{"binomial reduce", binomialReduce(8, 1024), LogGOPSim, 34914, ""},
		{"binomial broadcast", binomialBroadcast(8, 1024), LogGOPSim, 34914, ""},
		{"binomial broadcast", binomialBroadcast(16, 1024), LogGOPSim, 46552, ""},
		{"binomial broadcast", binomialBroadcast(32, 1024), LogGOPSim, 58190, ""},
		{"binomial broadcast", binomialBroadcast(8, 1024), ATLAHS, 39552, ""},
		{"binomial broadcast", binomialBroadcast(16, 1024), ATLAHS, 52190, ""},
		{"binary broadcast", binaryBroadcast(8, 1024), LogGOPSim, 37552, ""},
		{"binary broadcast", binaryBroadcast(16, 1024), LogGOPSim, 56328, ""},
		{"binary broadcast", binaryBroadcast(8, 1024), ATLAHS, 39552, ""},
		{"binary broadcast", binaryBroadcast(16, 1024), ATLAHS, 59328, ""},
		{"central barrier", centralBarrier(8), LogGOPSim, 29000, ""},
		{"central barrier", centralBarrier(16), LogGOPSim, 53000, ""},
		{"central barrier", centralBarrier(8), ATLAHS, 37000, ""},
		{"central barrier", centralBarrier(16), ATLAHS, 69000, ""},
		{"recursive doubling", recursiveDoubling(16, 1024), LogGOPSim, 55472, ""},
		{"all-to-all", linearAllToAll(16, 1024), LogGOPSim, 174570, ""},
		{"gather", gather(16, 1024), LogGOPSim, 118570, ""},
		{"double ring", doubleRing(16, 1024), LogGOPSim, 195346, ""},
		{"ring", ring(8, 128), LogGOPSim, 87668, ""},
		{"ring", ring(8, 128), ATLAHS, 65358, "no message comes"},
	} {
		s, err := goal.ReadText(strings.NewReader(c.s))
		check.Must(t, err)
		r, err := Run(t.Context(), s, usual, c.by)
		check.Error(t, err, c.fails)
		if got := int64(r.End() / ns); got != c.want {
			t.Errorf("%s by %s takes %d ns, want %d", c.name, c.by, got, c.want)
		}
	}
}

// The README of LogGOPSim has the time of each rank of this one.
func TestRanksOfABinomialReduce(t *testing.T) {
	s, err := goal.ReadText(strings.NewReader(binomialReduce(8, 1024)))
	check.Must(t, err)
	r, err := Run(t.Context(), s, usual, LogGOPSim)
	check.Must(t, err)
	for rank, want := range []int64{34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500} {
		if got := int64(r.Ends[rank] / ns); got != want {
			t.Errorf("rank %d ends at %d ns, want %d", rank, got, want)
		}
	}
}

// ranksOf writes a schedule: write adds the statements of a rank.
func ranksOf(n int, write func(b *strings.Builder, rank int)) string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", n)
	for r := range n {
		fmt.Fprintf(&b, "rank %d {\n", r)
		write(&b, r)
		b.WriteString("}\n")
	}
	return b.String()
}

// binomialBroadcast: in round i the first 2^i ranks send to those as far away.
func binomialBroadcast(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		received := false
		for far := 1; far < n; far *= 2 {
			switch {
			case r < far && r+far < n:
				fmt.Fprintf(b, "s%d: send %db to %d tag 0\n", far, bytes, r+far)
				if received {
					fmt.Fprintf(b, "s%d requires r\n", far)
				}
			case r >= far && r < 2*far:
				fmt.Fprintf(b, "r: recv %db from %d tag 0\n", bytes, r-far)
				received = true
			}
		}
	})
}

// binomialReduce is the same tree, in which the generator lets children send before what they require comes.
func binomialReduce(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		sent := false
		for far := 1; far < n; far *= 2 {
			switch {
			case r < far && r+far < n:
				fmt.Fprintf(b, "r%d: recv %db from %d tag 0\n", far, bytes, r+far)
				if sent {
					fmt.Fprintf(b, "s requires r%d\n", far)
				}
			case r >= far && r < 2*far:
				fmt.Fprintf(b, "s: send %db to %d tag 0\n", bytes, r-far)
				sent = true
			}
		}
	})
}

func binaryBroadcast(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		if r > 0 {
			fmt.Fprintf(b, "r: recv %db from %d tag 0\n", bytes, (r-1)/2)
		}
		for i := 1; i <= 2 && 2*r+i < n; i++ {
			fmt.Fprintf(b, "s%d: send %db to %d tag 0\n", i, bytes, 2*r+i)
			if r > 0 {
				fmt.Fprintf(b, "s%d requires r\n", i)
			}
		}
	})
}

// centralBarrier: rank 0 hears of all and then tells all.
func centralBarrier(n int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		if r > 0 {
			b.WriteString("send 1b to 0 tag 0\nrecv 1b from 0 tag 0\n")
			return
		}
		b.WriteString("all: calc 0\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(b, "r%d: recv 1b from %d tag 0\ns%d: send 1b to %d tag 0\nall requires r%d\ns%d requires all\n", i, i, i, i, i, i)
		}
	})
}

// recursiveDoubling halves the data with partners ever farther away, and doubles it again backwards.
func recursiveDoubling(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		step := 0
		exchange := func(mask, bytes int) {
			fmt.Fprintf(b, "s%d: send %db to %d tag 0\n", step, bytes, r^mask)
			if step > 0 {
				fmt.Fprintf(b, "s%d requires r%d\n", step, step-1)
			}
			fmt.Fprintf(b, "r%d: recv %db from %d tag 0\n", step, bytes, r^mask)
			step++
		}
		size := bytes
		for mask := 1; mask < n; mask *= 2 {
			size /= 2
			exchange(mask, size)
		}
		for mask := n / 2; mask > 0; mask /= 2 {
			exchange(mask, size)
			size *= 2
		}
	})
}

func linearAllToAll(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		for i := 1; i < n; i++ {
			fmt.Fprintf(b, "send %db to %d tag 0\nrecv %db from %d tag 0\n", bytes, (r+i)%n, bytes, (r-i+n)%n)
		}
	})
}

func gather(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		if r > 0 {
			fmt.Fprintf(b, "send %db to 0 tag 0\n", bytes)
			return
		}
		for i := 1; i < n; i++ {
			fmt.Fprintf(b, "recv %db from %d tag 0\n", bytes, i)
		}
	})
}

// doubleRing goes round in both directions, from rank 0 on.
func doubleRing(n, bytes int) string {
	return ranksOf(n, func(b *strings.Builder, r int) {
		for i, step := range []int{1, n - 1} {
			fmt.Fprintf(b, "s%d: send %db to %d tag 0\nr%d: recv %db from %d tag 0\n", i, bytes, (r+step)%n, i, bytes, (r-step+n)%n)
			if r > 0 {
				fmt.Fprintf(b, "s%d requires r%d\n", i, i)
			}
		}
	})
}

// dissemination: in each round ranks send to one twice as far away as in the last.
func dissemination(n, bytes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", n)
	for r := range n {
		fmt.Fprintf(&b, "rank %d {\n", r)
		for i, far := 0, 1; far < n; i, far = i+1, 2*far {
			fmt.Fprintf(&b, "s%d: send %db to %d tag 0\nr%d: recv %db from %d tag 0\n", i, bytes, (r+far)%n, i, bytes, (r-far+n)%n)
			if i > 0 {
				fmt.Fprintf(&b, "s%d requires r%d\n", i, i-1)
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// ring: 2(n-1) steps, in each of which a rank sends what it has received in the last.
func ring(n, bytes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", n)
	for r := range n {
		fmt.Fprintf(&b, "rank %d {\n", r)
		for i := range 2 * (n - 1) {
			fmt.Fprintf(&b, "s%d: send %db to %d tag 0\n", i, bytes, (r+1)%n)
			if i > 0 {
				fmt.Fprintf(&b, "s%d requires r%d\n", i, i-1)
			}
			fmt.Fprintf(&b, "r%d: recv %db from %d tag 0\n", i, bytes, (r+n-1)%n)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func TestWhatNeverEndsIsNamed(t *testing.T) {
	one := func(zero, one string) string {
		return "num_ranks 2\nrank 0 {\n" + zero + "\n}\nrank 1 {\n" + one + "\n}\n"
	}
	for _, c := range []struct{ text, want string }{
		{one("recv 8b from 1 tag 3", "calc 1"), "line 3, rank 0: recv 8b from 1 tag 3: no message comes; 1 receives are without a message, and 0 messages without a receive"},
		{one("send 8b to 1", "recv 8b from 0 tag 1"), "line 6, rank 1: recv 8b from 0 tag 1: no message comes; 1 receives are without a message, and 1 messages without a receive"},
		{one("send 8b to 1", ""), "line 3, rank 0: send 8b to 1 tag 0: nobody receives it"},
		{one("send 9b to 1", "recv 8b from 0"), "line 6, rank 1: recv 8b from 0 tag 0: it gets the longer message of line 3, rank 0: send 9b to 1 tag 0"},
		{one("a: calc 1\nb: calc 1\na requires b\nb requires a", ""), "line 3, rank 0: calc 1: it never starts, as what it requires never ends, or requires it in turn"},
		{one("calc 9223372036854775807", ""), "takes more than 50 days"},
		{one("send 9223372036854775807b to 1", "recv 9223372036854775807b from 0"), "takes more than 50 days"},
	} {
		for _, by := range []Semantics{LogGOPSim, ATLAHS} {
			s, err := goal.ReadText(strings.NewReader(c.text))
			check.Must(t, err)
			_, err = Run(t.Context(), s, usual, by)
			check.Error(t, err, c.want)
		}
	}
	s, err := goal.ReadText(strings.NewReader(one("", "")))
	check.Must(t, err)
	_, err = Run(t.Context(), s, usual, "simgrid")
	check.Error(t, err, `unknown semantics "simgrid"; known: loggopsim, atlahs`)
}

// TestRoomsChangeNoTime compares the rooms, in which those that wait for the same wait together, with trying
// each event again by itself.
func TestRoomsChangeNoTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := goal.ReadText(strings.NewReader(randomSchedule(t)))
		if err != nil {
			t.Fatal(err)
		}
		fast, errFast := Run(t.Context(), s, usual, LogGOPSim)
		e := newEngine(s, usual)
		e.rules = &eachByItself{newLogGOPSim(e)}
		slow, errSlow := e.result(t.Context())
		if fmt.Sprint(errFast) != fmt.Sprint(errSlow) || fmt.Sprint(fast) != fmt.Sprint(slow) {
			t.Errorf("got %v, %v; each by itself: %v, %v", fast, errFast, slow, errSlow)
		}
	})
}

// eachByItself tries each event that waits again.
type eachByItself struct{ *logGOPSim }

func (e *eachByItself) wait(ev *event, _ use, until units.Time) {
	ev.at = until
	e.push(*ev)
}

// randomSchedule has messages with receives in the same order, so that all match.
func randomSchedule(t *rapid.T) string {
	n := rapid.IntRange(2, 4).Draw(t, "ranks")
	blocks := make([]strings.Builder, n)
	ops := make([]int, n)
	add := func(r int, statement string) {
		fmt.Fprintf(&blocks[r], "l%d: %s cpu %d\n", ops[r], statement, rapid.IntRange(0, 1).Draw(t, "cpu"))
		if ops[r] > 0 && rapid.Bool().Draw(t, "ordered") {
			word := rapid.SampledFrom([]string{"requires", "irequires"}).Draw(t, "word")
			fmt.Fprintf(&blocks[r], "l%d %s l%d\n", ops[r], word, rapid.IntRange(0, ops[r]-1).Draw(t, "after"))
		}
		ops[r]++
	}
	for range rapid.IntRange(1, 20).Draw(t, "steps") {
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		if rapid.IntRange(0, 3).Draw(t, "calc") == 0 {
			add(from, fmt.Sprintf("calc %d", rapid.IntRange(0, 20000).Draw(t, "time")))
			continue
		}
		to := (from + rapid.IntRange(1, n-1).Draw(t, "to")) % n
		tag := rapid.IntRange(0, 4).Draw(t, "tag")
		bytes := []int{0, 1, 100, 3000, 70000}[tag]
		add(from, fmt.Sprintf("send %db to %d tag %d", bytes, to, tag))
		add(to, fmt.Sprintf("recv %db from %d tag %d", bytes, from, tag))
	}
	var all strings.Builder
	fmt.Fprintf(&all, "num_ranks %d\n", n)
	for r := range blocks {
		fmt.Fprintf(&all, "rank %d {\n%s}\n", r, blocks[r].String())
	}
	return all.String()
}

func BenchmarkAllToAll(b *testing.B) {
	const n = 256
	var text strings.Builder
	fmt.Fprintf(&text, "num_ranks %d\n", n)
	for r := range n {
		fmt.Fprintf(&text, "rank %d {\n", r)
		for i := 1; i < n; i++ {
			fmt.Fprintf(&text, "send 1024b to %d\nrecv 1024b from %d\n", (r+i)%n, (r+n-i)%n)
		}
		text.WriteString("}\n")
	}
	s, err := goal.ReadText(strings.NewReader(text.String()))
	check.Must(b, err)
	for _, by := range []Semantics{LogGOPSim, ATLAHS} {
		b.Run(string(by), func(b *testing.B) {
			for range b.N {
				_, err := Run(b.Context(), s, usual, by)
				check.Must(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*(n-1)), "ns/message")
		})
	}
}
