package table_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"musubi/report/rows"
	"musubi/report/table"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// sample has values of all kinds, and rows that lack some.
func sample() []rows.Row {
	run := []rows.Label{{Name: "machine", Value: "ndr"}, {Name: "ranks", Value: 2}}
	return []rows.Row{
		{Run: run, Metric: "latency", Unit: "us", Value: 1.25, Axes: []rows.Label{{Name: "bytes", Value: 8}}},
		{Run: run, Metric: "throughput", Unit: "fraction", Value: 1.0 / 3, Axes: []rows.Label{{Name: "offered", Value: 0.4}, {Name: "pattern", Value: `a "b", c`}},
			Notes: []rows.Label{{Name: "saturated", Value: true}}},
		{Run: run, Metric: "mixed", Unit: "count", Value: 3, Axes: []rows.Label{{Name: "offered", Value: 1}}},
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := table.Write(&b, "rows.CSV", sample()); err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"machine", "ranks", "metric", "unit", "bytes", "offered", "pattern", "saturated", "value"},
		{"ndr", "2", "latency", "us", "8", "", "", "", "1.25"},
		{"ndr", "2", "throughput", "fraction", "", "0.4", `a "b", c`, "true", "0.3333333333333333"},
		{"ndr", "2", "mixed", "count", "", "1", "", "", "3"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A reader finds the same rows in a Parquet file, with types.
func TestParquet(t *testing.T) {
	var b bytes.Buffer
	if err := table.Write(&b, "rows.parquet", sample()); err != nil {
		t.Fatal(err)
	}
	type line struct {
		Machine   *string  `parquet:"machine,optional"`
		Ranks     *int64   `parquet:"ranks,optional"`
		Metric    *string  `parquet:"metric,optional"`
		Unit      *string  `parquet:"unit,optional"`
		Bytes     *int64   `parquet:"bytes,optional"`
		Offered   *float64 `parquet:"offered,optional"`
		Pattern   *string  `parquet:"pattern,optional"`
		Saturated *bool    `parquet:"saturated,optional"`
		Value     *float64 `parquet:"value,optional"`
	}
	got, err := parquet.Read[line](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := []line{
		{new("ndr"), new(int64(2)), new("latency"), new("us"), new(int64(8)), nil, nil, nil, new(1.25)},
		{new("ndr"), new(int64(2)), new("throughput"), new("fraction"), nil, new(0.4), new(`a "b", c`), new(true), new(1.0 / 3)},
		{new("ndr"), new(int64(2)), new("mixed"), new("count"), nil, new(1.0), nil, nil, new(3.0)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyTablesAndNames(t *testing.T) {
	for _, path := range []string{"a.csv", "a.parquet"} {
		var b bytes.Buffer
		if err := table.Write(&b, path, nil); err != nil || b.Len() == 0 {
			t.Errorf("%s of no rows: %v, %d bytes", path, err, b.Len())
		}
	}
	if err := table.CheckName("a.xls"); err == nil || !strings.Contains(err.Error(), "expected one of .csv, .parquet") {
		t.Errorf("got %v", err)
	}
}
