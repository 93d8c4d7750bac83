package nas

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"musubi/rma"
)

// posted is a process that has packets in its rings.
type posted struct {
	rma.Process
	packets []postedPacket
	taken   int
}

type postedPacket struct {
	from int
	data []byte
	last bool
}

func (p *posted) Rank() int { return 0 }
func (p *posted) Size() int { return 4 }

func (p *posted) Next() (rma.Arrival, error) {
	a := p.packets[p.taken]
	p.taken++
	return rma.Arrival{From: a.from, Bytes: len(a.data), Last: a.last, Record: uint64(p.taken)}, nil
}

func (p *posted) Take(a rma.Arrival, into []byte, _ rma.Caching) error {
	copy(into, p.packets[a.Record-1].data)
	return nil
}

// Whoever's messages come first, and in however many packets, each is given to who
// asks for its sender.
func TestInboxGivesMessagesBySender(t *testing.T) {
	const longest = 64
	f := newFilling(longest)
	rapid.Check(t, func(t *rapid.T) {
		var p posted
		var rest [4][]byte
		var number [4]uint32
		var lengths [4][]int
		for range rapid.IntRange(1, 20).Draw(t, "packets") {
			from := rapid.IntRange(1, 3).Draw(t, "from")
			if len(rest[from]) == 0 {
				n := fillingWord * rapid.IntRange(1, longest/fillingWord).Draw(t, "words")
				rest[from] = f.of(from, 0, number[from], n)
				number[from]++
				lengths[from] = append(lengths[from], n)
			}
			n := rapid.IntRange(1, len(rest[from])).Draw(t, "bytes")
			p.packets = append(p.packets, postedPacket{from, rest[from][:n], n == len(rest[from])})
			rest[from] = rest[from][n:]
		}
		for from := range lengths {
			if len(rest[from]) > 0 {
				p.packets = append(p.packets, postedPacket{from, rest[from], true})
			}
		}
		b := newInbox(&p, f)
		for from := range lengths {
			for _, n := range lengths[from] {
				if err := b.receive(from, n); err != nil {
					t.Fatal(err)
				}
			}
		}
		if p.taken != len(p.packets) {
			t.Errorf("%d packets taken; expected %d", p.taken, len(p.packets))
		}
	})
}

func TestInboxFindsWrongMessages(t *testing.T) {
	f := newFilling(64)
	good := func(number uint32, n int) []byte { return append([]byte{}, f.of(1, 0, number, n)...) }
	changed := good(0, 64)
	changed[63]++
	for _, test := range []struct {
		name     string
		messages [][]byte
		err      string
	}{
		{"right", [][]byte{good(0, 64), good(1, 64), good(2, 64)}, ""},
		{"lost", [][]byte{good(0, 64), good(2, 64), good(3, 64)}, "not the beginning of message 2"},
		{"twice", [][]byte{good(0, 64), good(0, 64), good(1, 64)}, "not the beginning of message 2"},
		{"out of order", [][]byte{good(1, 64), good(0, 64), good(2, 64)}, "not the beginning of message 1"},
		{"changed", [][]byte{changed, good(1, 64), good(2, 64)}, "not the beginning of message 1"},
		{"of another sender", [][]byte{f.of(2, 0, 0, 64), good(1, 64), good(2, 64)}, "not the beginning of message 1"},
		{"for another receiver", [][]byte{f.of(1, 2, 0, 64), good(1, 64), good(2, 64)}, "not the beginning of message 1"},
		{"short", [][]byte{good(0, 60), good(1, 64), good(2, 64)}, "got 60 bytes from rank 1; expected 64"},
		{"longer than any", [][]byte{append(good(0, 64), 0, 0, 0, 0), good(1, 64), good(2, 64)}, "got 68 bytes"},
	} {
		p := new(posted)
		for _, m := range test.messages {
			p.packets = append(p.packets, postedPacket{1, m, true})
		}
		b := newInbox(p, f)
		var err error
		for i := 0; i < len(test.messages) && err == nil; i++ {
			err = b.receive(1, 64)
		}
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: error %v; expected one with %q", test.name, err, test.err)
		}
	}
}

// The last bytes of as many successive messages as there are turns are all
// different, whatever their lengths, and not what fresh memory holds.
func TestFillingDiffersInLastBytes(t *testing.T) {
	const longest = 40
	f := newFilling(longest)
	for n := fillingWord; n <= longest; n += fillingWord {
		seen := map[byte]bool{0: true}
		for number := range uint32(turns) {
			last := f.of(3, 5, number, n)[n-1]
			if seen[last] {
				t.Fatalf("message %d of %d bytes ends in %d, as an earlier one or fresh memory does", number, n, last)
			}
			seen[last] = true
		}
	}
}

// A process that knows of longer messages agrees with one that does not.
func TestFillingDoesNotDependOnTheLongestMessage(t *testing.T) {
	short, long := newFilling(40), newFilling(4000)
	if string(long[:len(short)]) != string(short) {
		t.Error("the filling for short messages is not the beginning of that for long ones")
	}
	if got := short.longest(); got != 40 {
		t.Errorf("made for up to 40 bytes, holds %d", got)
	}
}
