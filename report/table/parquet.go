package table

import (
	"cmp"
	"io"
	"slices"

	"musubi/report/rows"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// WriteParquet writes rows as an Apache Parquet file. Columns are in the order of their names.
func WriteParquet(out io.Writer, list []rows.Row) error {
	columns := columnsOf(list)
	slices.SortFunc(columns, func(a, b column) int { return cmp.Compare(a.name, b.name) })
	fields := parquet.Group{}
	for _, c := range columns {
		fields[c.name] = parquet.Optional(parquet.Compressed(c.kind.node(), &zstd.Codec{}))
	}
	w := parquet.NewWriter(out, parquet.NewSchema("rows", fields))
	for k := range list {
		row := make(parquet.Row, len(columns))
		for i, c := range columns {
			row[i] = c.kind.value(c.values[k], i)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return w.Close()
}

// node is the type of a column.
func (k kind) node() parquet.Node {
	switch k {
	case whole:
		return parquet.Int(64)
	case number:
		return parquet.Leaf(parquet.DoubleType)
	case truth:
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.String()
}

// value is a value in a column of this kind, or none.
func (k kind) value(v any, column int) parquet.Value {
	if v == nil {
		return parquet.NullValue().Level(0, 0, column)
	}
	switch n, isWhole := v.(int); {
	case k == words:
		v = text(v)
	case isWhole && k == number:
		v = float64(n)
	case isWhole:
		v = int64(n)
	}
	return parquet.ValueOf(v).Level(0, 1, column)
}
