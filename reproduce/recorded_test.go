package reproduce

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "with -nightly, record the values of all cells")

const recordedFile = "testdata/cells.csv"

// key names a cell in the file of recorded values.
func key(c Cell) string { return fmt.Sprintf("%s, %s, %s, %s", c.Source, c.Item, c.Cell, c.Unit) }

// TestCellsAreAsRecorded compares all cells with their values when they were last recorded.
// Simulations are deterministic, so that only the last digits of a float may differ.
func TestCellsAreAsRecorded(t *testing.T) {
	cells, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if !*nightly {
			t.Fatal("-update without -nightly would record some of the cells only")
		}
		if err := record(cells); err != nil {
			t.Fatal(err)
		}
	}
	want, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		value, ok := want[key(c)]
		if !ok {
			t.Errorf("%s is not recorded; expected -nightly -update to have recorded it", key(c))
		} else if math.Abs(c.Got-value) > 1e-9*math.Abs(value) {
			t.Errorf("%s: got %.12g; recorded %.12g", key(c), c.Got, value)
		}
		delete(want, key(c))
	}
	if *nightly {
		for name := range want {
			t.Errorf("%s is recorded, but no longer measured", name)
		}
	}
}

// record writes the values of cells.
func record(cells []Cell) error {
	f, err := os.Create(recordedFile)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	for _, c := range cells {
		if err := w.Write([]string{c.Source, c.Item, c.Cell, c.Unit, strconv.FormatFloat(c.Got, 'g', 12, 64)}); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// recorded reads the values of cells.
func recorded() (map[string]float64, error) {
	f, err := os.Open(recordedFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for _, row := range rows {
		value, err := strconv.ParseFloat(row[4], 64)
		if err != nil {
			return nil, err
		}
		values[key(Cell{Source: row[0], Item: row[1], Cell: row[2], Unit: row[3]})] = value
	}
	return values, nil
}
