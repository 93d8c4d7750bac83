package ordered_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"musubi/report/ordered"

	"github.com/google/go-cmp/cmp"
)

func TestWriteJSON(t *testing.T) {
	var b bytes.Buffer
	v := ordered.Object{{"z", 1}, {"a", []ordered.Object{{{"text", "<a & b>"}}}}, {"none", nil}}
	if err := ordered.WriteJSON(&b, v); err != nil {
		t.Fatal(err)
	}
	want := `{
  "z": 1,
  "a": [
    {
      "text": "<a & b>"
    }
  ],
  "none": null
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// Numbers lose the tails that arithmetic has left, and nothing else changes.
func TestWriteJSONRoundsNumbers(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{0.1 + 0.2, "0.3"},
		{-0.1 - 0.2, "-0.3"},
		{1.5271599999999999, "1.52716"},
		{2.0 / 3, "0.666666666667"},
		{1e-7 / 3, "3.33333333333e-8"},
		{0.99999999999999989, "1"},
		{1234567.123456, "1234567.123456"}, // microseconds keep their picoseconds
		{123456789.0123456, "123456789.012346"},
		{0.0, "0"},
		{1e9 / 3, "333333333.333333"},
		{json.Number("2.50"), "2.50"},
		{json.Number("0.00"), "0.00"},
		{int64(math.MaxInt64), "9223372036854775807"},
		{`0.30000000000000004 \" 0.30000000000000004`, `"0.30000000000000004 \\\" 0.30000000000000004"`},
		{[]float64{0.1 + 0.2, 7}, "[\n  0.3,\n  7\n]"},
	} {
		var b bytes.Buffer
		if err := ordered.WriteJSON(&b, c.value); err != nil || b.String() != c.want+"\n" {
			t.Errorf("%v: got %q and error %v; want %s", c.value, b.String(), err, c.want)
		}
	}
}

func TestWriteJSONWritesAllOrNothing(t *testing.T) {
	var b bytes.Buffer
	err := ordered.WriteJSON(&b, ordered.Object{{"fine", 1}, {"value", math.NaN()}})
	if err == nil || b.Len() > 0 {
		t.Errorf("got error %v and output %q; want an error and no output", err, b.String())
	}
}

func TestErrorsOfTheWriterAreReported(t *testing.T) {
	full := errors.New("disk full")
	if err := ordered.WriteJSON(failing{full}, 1); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
