package exchange

import (
	"math"

	"musubi/trace/schedule"
	"musubi/workload/job/param"
	"musubi/workload/job/strand"
)

// FFT is a Fourier transform in three dimensions, whose data is in pencils: each rank has whole lines along one dimension. Between the
// dimensions the ranks of a row, and then those of a column, transpose it.
type FFT struct {
	Grid    string  `name:"grid" default:"8x8" help:"ranks: columns and rows; 1xN has slabs, which one transpose is for"`
	Points  int     `name:"points" default:"256" most:"65536" help:"points along each of the three dimensions"`
	Element int     `name:"element" default:"16" most:"64" help:"bytes of a point"`
	Steps   int     `name:"steps" default:"1" most:"1000000" help:"transforms, one after the other"`
	Rate    float64 `name:"flops" default:"1e12" help:"operations that a rank does in a second; a line of n points takes 5 n log2 n"`

	dims []int
}

// Check fails if the parameters do not fit each other.
func (f *FFT) Check() (err error) {
	if f.dims, err = dims(f.Grid, 2, 2); err != nil {
		return err
	}
	switch {
	case f.Points%f.dims[0] != 0 || f.Points%f.dims[1] != 0:
		return param.Wrong("points", "expected a multiple of the numbers of rows and of columns")
	case f.Rate == 0:
		return param.Wrong("flops", "expected more than 0")
	case float64(f.Ranks())*float64(f.Steps)*5 > mostOperations:
		return param.Wrong("steps", "the schedule would have more operations than the 20 million that are possible")
	}
	return nil
}

// Ranks returns how many ranks the job has.
func (f *FFT) Ranks() int { return product(f.dims) }

// bytes returns the size of a rank's data.
func (f *FFT) bytes() uint64 {
	n := uint64(f.Points)
	return n * n * n / uint64(f.Ranks()) * uint64(f.Element)
}

// Schedule returns what all ranks do.
func (f *FFT) Schedule() *schedule.Schedule {
	b := schedule.NewBuilder(f.Ranks())
	columns, rows := f.dims[0], f.dims[1]
	n := float64(f.Points)
	lines := picoseconds(5*n*math.Log2(n)*n*n/float64(f.Ranks()), f.Rate)
	for rank := range f.Ranks() {
		r := strand.New(b, rank, 0)
		transpose := func(group, members int) {
			if members > 1 {
				r.Call(schedule.Op{Kind: schedule.Collective, Peer: uint32(group), Tag: uint32(schedule.AllToAll), Size: f.bytes()})
			}
		}
		for range f.Steps {
			r.Compute(lines)
			transpose(rank/columns, columns)
			r.Compute(lines)
			transpose(rows+rank%columns, rows)
			r.Compute(lines)
		}
		r.End()
	}
	s := b.Schedule()
	for row := range rows {
		s.Groups = append(s.Groups, every(row*columns, 1, columns))
	}
	for column := range columns {
		s.Groups = append(s.Groups, every(column, columns, rows))
	}
	return s
}

// every returns a number of ranks at a distance from each other.
func every(first, distance, count int) []uint32 {
	list := make([]uint32, count)
	for i := range list {
		list[i] = uint32(first + i*distance)
	}
	return list
}
