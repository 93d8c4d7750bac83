package rings_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"musubi/rings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestRecordsSurviveTheirFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := anyRecord(6, 1e6).Draw(t, "record")
		record.Scenario = json.RawMessage(`{"workload":"nas","ranks":6}`)
		var b bytes.Buffer
		if err := record.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := rings.ReadRecord(&b, "r.json")
		if err != nil {
			t.Fatal(err)
		}
		got.Scenario = compact(t, got.Scenario)
		if diff := cmp.Diff(record, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("read what was not written (-written +read):\n%s", diff)
		}
	})
}

func compact(t fataler, text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The form of the file is fixed: others read it, too.
func TestRecordFile(t *testing.T) {
	record := receiver(2, 120, from(0, 2, 100), from(1, 3, 20))
	record.Scenario = json.RawMessage(`{"workload":"nas"}`)
	var b bytes.Buffer
	if err := record.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := `{
"format": "musubi-record",
"version": 1,
"scenario": {
  "workload": "nas"
},
"packet": 100,
"processes": [
{"rank": 0, "peak": 120, "partners": [
  {"rank":0,"messages":2,"bytes":20,"largest":10,"burst":100,"pushes":0},
  {"rank":1,"messages":3,"bytes":30,"largest":10,"burst":20,"pushes":0}]},
{"rank": 1, "peak": 0, "partners": []}
]
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadRecordRefuses(t *testing.T) {
	const head = `{"format":"musubi-record","version":1,"scenario":{},`
	processes := func(text string) string { return head + `"packet":100,"processes":[` + text + `]}` }
	partner := func(text string) string {
		return processes(`{"rank":0,"peak":5,"partners":[` + text + `]},{"rank":1,"peak":0,"partners":[]}`)
	}
	for _, test := range []struct{ name, text, err string }{
		{"nothing", "", "r.json:1: unexpected end of JSON input; expected JSON"},
		{"no JSON", "[[process]]", "expected JSON"},
		{"cut off", head + "\n\"packet\":100", "r.json:2: unexpected end"},
		{"more behind", processes(`{"rank":0,"peak":0,"partners":[]}`) + "x", "invalid character 'x' after top-level value"},
		{"another document", `{"rows":[]}`, `format "", version 0; expected "musubi-record", version 1, as "musubi run --record" writes it`},
		{"later version", `{"format":"musubi-record","version":2,"new":1}`, "version 2; expected"},
		{"array", "[]", "r.json:1: the document: given array; expected an object"},
		{"unknown key", head + `"packets":100}`, `r.json: unknown field "packets"`},
		{"text for a number", head + "\n\"packet\":\"100\"}", "r.json:2: packet: given string; expected a whole number"},
		{"fraction", head + `"packet":1.5}`, "packet: given number 1.5; expected a whole number"},
		{"object for an array", head + `"packet":100,"processes":{}}`, "processes: given object; expected an array"},
		{"no packet", head + `"processes":[]}`, "r.json: packet is 0; expected 1 to"},
		{"no processes", processes(""), "0 processes; expected 1 to 65536"},
		{"rank left out", processes(`{"rank":1,"peak":0,"partners":[]}`), "process 0 in the list has rank 1; expected all ranks in order"},
		{"unknown partner", partner(`{"rank":2,"burst":5}`), "rank 0: partner of rank 2; expected ranks 0 to 1, in order"},
		{"negative partner", partner(`{"rank":-1,"burst":5}`), "partner of rank -1"},
		{"partner twice", partner(`{"rank":1,"burst":5},{"rank":1,"burst":5}`), "partner of rank 1; expected ranks 2 to 1"},
		{"negative count", partner(`{"rank":1,"burst":5,"messages":-1}`), "partner 1: messages is -1; expected 0 to"},
		{"count beyond all reason", partner(`{"rank":1,"burst":5,"bytes":99999999999999999}`), "bytes is 99999999999999999; expected 0 to"},
		{"largest message above the burst", partner(`{"rank":1,"burst":5,"largest":6}`), "burst is 5, less than the largest message of 6 bytes"},
		{"peak below a burst", partner(`{"rank":1,"burst":6}`), "peak is 5; expected at least the largest burst, 6"},
		{"peak above all bursts", partner(`{"rank":1,"burst":4}`), "at most all together, 4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := rings.ReadRecord(strings.NewReader(test.text), "r.json")
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v; expected one line with %q", err, test.err)
			}
		})
	}
}

// Whatever is read is a record that can be planned for and written again.
func FuzzReadRecord(f *testing.F) {
	var b bytes.Buffer
	if err := receiver(2, 120, from(0, 2, 100), from(1, 3, 20)).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":"musubi-record","version":1,"scenario":{"ranks":1},"packet":1,"processes":[{"rank":0}]}`))
	f.Add([]byte(`{"format":"musubi-record","version":1,"processes":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		record, err := rings.ReadRecord(bytes.NewReader(data), "r.json")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %v", err)
			}
			return
		}
		if record.Area().Partners > 0 {
			all, err := rings.Make(record, record.Packet)
			if err != nil {
				t.Fatal(err)
			}
			lack(t, record, all)
		}
		var first, second bytes.Buffer
		if err := record.Write(&first); err != nil {
			t.Fatal(err)
		}
		again, err := rings.ReadRecord(bytes.NewReader(first.Bytes()), "again.json")
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if err := again.Write(&second); err != nil || first.String() != second.String() {
			t.Errorf("written twice: error %v, and\n%s\n%s", err, &first, &second)
		}
	})
}
