package rings_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"musubi/rings"
	"musubi/rma"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestRingsSurviveTheirFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 6).Draw(t, "ranks")
		written := rapid.SliceOfN(anyRings(ranks), ranks, ranks).Draw(t, "rings")
		var b bytes.Buffer
		if err := rings.Write(&b, written); err != nil {
			t.Fatal(err)
		}
		read, err := rings.Read(&b, "rings.toml")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(written, read, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("read what was not written (-written +read):\n%s", diff)
		}
	})
}

// anyRings draws rings that are in order for a job of so many ranks.
func anyRings(ranks int) *rapid.Generator[rma.Rings] {
	return rapid.Custom(func(t *rapid.T) rma.Rings {
		size := rapid.IntRange(1, 1<<20)
		r := rma.Rings{Records: rapid.IntRange(0, 3).Draw(t, "records")}
		if rapid.Bool().Draw(t, "shared") {
			r.Other = rma.SharedRing(size.Draw(t, "size")).Other
		}
		left := rapid.Permutation(sequence(ranks)).Draw(t, "order")
		left = left[:rapid.IntRange(0, ranks).Draw(t, "senders")]
		for len(left) > 0 {
			n := rapid.IntRange(1, len(left)).Draw(t, "senders of a ring")
			ring := rma.Ring{Bytes: size.Draw(t, "size"), Senders: left[:n]}
			if n > 1 || rapid.Bool().Draw(t, "per packet") {
				ring.Status = rma.PerPacket
			}
			r.Private = append(r.Private, ring)
			left = left[n:]
		}
		return r
	})
}

func sequence(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestReadTakesWhatPeopleWrite(t *testing.T) {
	const text = `
[[process]]
rank = 1
shared = "4KiB"   # a text
records = 16

[[process]]
rank = 0
[[process.private]]
senders = [0, 1]
size = 992
[[process.private]]
senders = [2]
size = "1KiB"

[[process]]
rank = 2
private = [ { senders = [1], size = 496, status = "packet" } ]
`
	want := []rma.Rings{
		{Private: []rma.Ring{{Bytes: 992, Senders: []int{0, 1}, Status: rma.PerPacket}, {Bytes: 1024, Senders: []int{2}}}},
		{Other: rma.Ring{Bytes: 4096, Status: rma.PerPacket}, Records: 16},
		{Private: []rma.Ring{{Bytes: 496, Senders: []int{1}, Status: rma.PerPacket}}},
	}
	got, err := rings.Read(strings.NewReader(text), "rings.toml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	private := func(ring string) string {
		return "[[process]]\nrank = 0\nprivate = [\n  " + ring + "\n]\n[[process]]\nrank = 1\n"
	}
	for _, test := range []struct{ name, text, err string }{
		{"nothing", "", "r.toml: 0 [[process]]; expected one for each rank, 1 to 65536"},
		{"more ranks than packets can name", strings.Repeat("[[process]]\n", 1<<16+1), "r.toml: 65537 [[process]]; expected one for each rank, 1 to 65536"},
		{"no TOML", "{", "r.toml:1: "},
		{"key twice", "[[process]]\nrank = 0\nrank = 1\n", "r.toml:3: key rank is already defined"},
		{"unknown key", "[[process]]\nrank = 0\nshare = 1\n", `r.toml:3: unknown key "process.share"; known are [[process]] with rank, shared, private`},
		{"unknown key of a ring", private("{ sender = 1, size = 1 }"), `r.toml:4: unknown key "process.sender"`},
		{"one table", "[process]\nrank = 0\nx = 1\n", "r.toml:3: unknown key"},
		{"number for processes", "process = 5", "r.toml:1: process has a value of the wrong kind; expected [[process]] tables"},
		{"text for a rank", "[[process]]\nrank = \"0\"\n", "r.toml:2: rank has a value of the wrong kind; expected a whole number"},
		{"array for a size", "[[process]]\nrank = 0\nshared = [1]\n", `r.toml:3: shared has a value of the wrong kind; expected bytes, or a text such as "64KiB"`},
		{"size that is none", "[[process]]\nrank = 0\nshared = \"4 apples\"\n", `r.toml:3: "4 apples" is not a size such as`},
		{"size with a fraction", "[[process]]\nrank = 0\nshared = 1.5\n", `"1.5" is finer`},
		{"no rank", "[[process]]\nrank = 0\n\n[[process]]\nshared = 1\n", "r.toml:4: [[process]] without rank"},
		{"rank beyond the job", "[[process]]\nrank = 0\n[[process]]\nrank = 2\n", "r.toml:3: rank 2; expected 0 to 1, as there are 2 [[process]]"},
		{"rank beyond the job behind a table of a ring", "[[process]]\nrank = 0\n[[process.private]]\nsenders = [0]\nsize = 7\n[[process]]\nrank = 5\n", "r.toml:6: rank 5"},
		{"negative rank", "[[process]]\nrank = -1\n", "r.toml:1: rank -1"},
		{"rank twice", "[[process]]\nrank = 0\n[[process]]\nrank = 0\n", "r.toml:3: rank 0 for the second time"},
		{"negative size", "[[process]]\nrank = 0\nshared = -5\n", "r.toml:1: rank 0: rma: the ring for all others has -5 bytes"},
		{"negative records", "[[process]]\nrank = 0\nrecords = -1\n", "rank 0: rma: status ring of -1 records"},
		{"unknown status", private(`{ senders = [1], size = 1, status = "msg" }`), `r.toml:1: rank 0, private ring 0: status is "msg"; expected "message" or "packet"`},
		{"ring of nobody", private("{ size = 1 }"), "private ring 0: no senders; expected senders = [...]"},
		{"ring without a size", private("{ senders = [1] }"), "ring 0 has 0 bytes; expected at least the 1 of a packet"},
		{"sender beyond the job", private("{ senders = [2], size = 1 }"), "ring 0 has rank 2 as a sender; there are ranks 0 to 1"},
		{"sender of two rings", private("{ senders = [1], size = 1 }, { senders = [1], size = 1 }"), "rank 1 is a sender of ring 0 and again of ring 1"},
		{"shared ring that tells of messages", private(`{ senders = [0, 1], size = 1, status = "message" }`), "shared by 2 senders and has status per message"},
		{"memory that nobody has", private(`{ senders = [0], size = "1GiB" }, { senders = [1], size = 1 }`), "the rings take more than 1073741824 bytes"},
		{"sizes that overflow", private("{ senders = [0], size = 9223372036854775807 }, { senders = [1], size = 9223372036854775807 }"), "the rings take more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := rings.Read(strings.NewReader(test.text), "r.toml")
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v; expected one line with %q", err, test.err)
			}
		})
	}
}

// Whatever is read is in order, and the same when written and read again.
func FuzzRead(f *testing.F) {
	f.Add("[[process]]\nrank = 0\nshared = 4096\nprivate = [\n  { senders = [0], size = \"1KiB\", status = \"message\" },\n]\n")
	f.Add("[[process]]\nrank = 0\n[[process.private]]\nsenders = [0]\nsize = 7\n")
	f.Add("process = [{rank = 1}, {rank = 0, records = 3}]\n")
	f.Add("[process]\nrank = 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := rings.Read(strings.NewReader(text), "r.toml")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := rings.Write(&b, all); err != nil {
			t.Fatal(err)
		}
		again, err := rings.Read(&b, "again.toml")
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(all, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("read another thing than was written:\n%s", diff)
		}
		for rank, r := range all {
			if err := r.Check(len(all), 1); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	})
}

// What is just allowed is read: the largest rings, and as many processes as packets can tell
// apart. Nothing is written that rings do not have.
func TestReadTakesTheLargest(t *testing.T) {
	all, err := rings.Read(strings.NewReader("[[process]]\nrank = 0\nshared = \"1GiB\"\n"), "r.toml")
	if err != nil || len(all) != 1 || all[0].Other.Bytes != rings.MaxArea {
		t.Errorf("rings %+v, error %v; expected one of 1 GiB", all, err)
	}
	var many, written strings.Builder
	for rank := range 1 << 16 {
		fmt.Fprintf(&many, "\n[[process]]\nrank = %d\n", rank)
	}
	if all, err = rings.Read(strings.NewReader(many.String()), "r.toml"); err != nil || len(all) != 1<<16 {
		t.Fatalf("%d processes, error %v", len(all), err)
	}
	if err := rings.Write(&written, all); err != nil || !strings.HasSuffix(written.String(), many.String()) {
		t.Errorf("%d processes without rings are written with more than their ranks, error %v", len(all), err)
	}
}
