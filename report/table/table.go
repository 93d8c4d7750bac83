// Package table writes rows as files for other programs: CSV and Parquet. A line has the run, the
// metric, the unit, the place on all axes, notes and the value, each in a column of its own; what a
// row does not have is empty.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"musubi/report/rows"
)

// kind is what a column holds.
type kind uint8

const (
	words kind = iota
	whole
	number
	truth
)

// column is a named list of values, one for each row; nil where a row has none.
type column struct {
	name   string
	kind   kind
	values []any
}

// columnsOf spreads rows out. Names that occur among the axes and notes of rows, or of runs, share a
// column.
func columnsOf(list []rows.Row) []column {
	own := []string{"metric", "unit"}
	run := rows.Names(list, rows.OfRun)
	names := slices.Concat(run, own, rows.Names(list, rows.OfAxes), rows.Names(list, rows.OfNotes), []string{"value"})
	var columns []column
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		c := column{name: name, values: make([]any, len(list))}
		for k := range list {
			c.values[k] = valueOf(&list[k], name)
		}
		c.kind = kindOf(c.values)
		columns = append(columns, c)
	}
	return columns
}

func valueOf(r *rows.Row, name string) any {
	switch name {
	case "metric":
		return r.Metric
	case "unit":
		return r.Unit
	case "value":
		return r.Value
	}
	if v := r.Axis(name); v != nil {
		return v
	}
	return rows.Find(r.Notes, name)
}

// kindOf returns what all values of a column can be written as.
func kindOf(values []any) kind {
	found := map[kind]bool{}
	for _, v := range values {
		switch v.(type) {
		case nil:
		case int:
			found[whole] = true
		case float64:
			found[number] = true
		case bool:
			found[truth] = true
		default:
			found[words] = true
		}
	}
	switch {
	case found[words] || found[truth] && len(found) > 1 || len(found) == 0:
		return words
	case found[truth]:
		return truth
	case found[number]:
		return number
	}
	return whole
}

// formats are the kinds of files, by their extensions.
var formats = []struct {
	extension string
	write     func(w io.Writer, list []rows.Row) error
}{{".csv", WriteCSV}, {".parquet", WriteParquet}}

// CheckName refuses names of files whose extension names no format.
func CheckName(path string) error { return Write(nil, path, nil) }

// Write writes rows in the format that the extension of a path names. Without a writer it only looks
// at the extension.
func Write(w io.Writer, path string, list []rows.Row) error {
	var known []string
	for _, f := range formats {
		if strings.ToLower(filepath.Ext(path)) == f.extension {
			if w == nil {
				return nil
			}
			return f.write(w, list)
		}
		known = append(known, f.extension)
	}
	return fmt.Errorf("%s: its extension names no format of tables; expected one of %s", path, strings.Join(known, ", "))
}

// WriteCSV writes rows with a line of names first.
func WriteCSV(out io.Writer, list []rows.Row) error {
	w := csv.NewWriter(out)
	columns := columnsOf(list)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	if err := w.Write(line); err != nil {
		return err
	}
	for k := range list {
		for i, c := range columns {
			line[i] = text(c.values[k])
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// text is a value in CSV: as short as it is exact.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
