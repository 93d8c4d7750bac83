package exchange

import (
	"musubi/trace/schedule"
	"musubi/workload/job/param"
	"musubi/workload/job/strand"
)

// Stencil is a job whose ranks have boxes of cells, and exchange their borders in each step. The grid of boxes is closed to a ring in each
// dimension.
type Stencil struct {
	Grid     string  `name:"grid" default:"4x4x4" help:"boxes, one for each rank, along one to three dimensions"`
	Cells    int     `name:"cells" default:"128" most:"65536" help:"cells of a box along each dimension"`
	Width    int     `name:"width" default:"1" most:"64" help:"cells that a border is deep"`
	Element  int     `name:"element" default:"8" most:"65536" help:"bytes of a cell"`
	Partners string  `name:"partners" default:"faces" values:"faces,all" help:"boxes that get borders: faces (across faces: 7 points) or all (across edges and corners too: 27 points)"`
	Steps    int     `name:"steps" default:"10" most:"1000000" help:"steps"`
	Overlap  string  `name:"overlap" default:"on" values:"on,off" help:"cells inside are computed while borders are under way"`
	Reduce   int     `name:"reduce" default:"8" least:"0" help:"bytes of an all-reduce at the end of each step, such as a scalar product; 0: none"`
	Rate     float64 `name:"cells-per-second" default:"1e9" help:"cells that a rank computes in a second"`

	dims []int
}

// Check fails if the parameters do not fit each other.
func (s *Stencil) Check() (err error) {
	if s.dims, err = dims(s.Grid, 1, 3); err != nil {
		return err
	}
	switch {
	case s.Rate == 0:
		return param.Wrong("cells-per-second", "expected more than 0")
	case 2*s.Width > s.Cells:
		return param.Wrong("width", "expected at most half of the cells")
	case float64(s.Ranks())*float64(s.Steps)*(3+2*float64(len(s.directions()))) > mostOperations:
		return param.Wrong("steps", "the schedule would have more operations than the 20 million that are possible")
	}
	return nil
}

// Ranks returns how many ranks the job has.
func (s *Stencil) Ranks() int { return product(s.dims) }

// directions lists the ways to partners: -1, 0 or 1 in each dimension.
func (s *Stencil) directions() (list [][]int) {
	all := 1
	for range s.dims {
		all *= 3
	}
	for i := range all {
		way, away, rest := make([]int, len(s.dims)), 0, i
		for d := range way {
			way[d] = rest%3 - 1
			rest /= 3
			if way[d] != 0 {
				away++
			}
		}
		if away == 1 || away > 1 && s.Partners == "all" {
			list = append(list, way)
		}
	}
	return list
}

// bytes returns the size of the border in a direction.
func (s *Stencil) bytes(way []int) int64 {
	n := int64(s.Element)
	for _, step := range way {
		if step == 0 {
			n *= int64(s.Cells)
		} else {
			n *= int64(s.Width)
		}
	}
	return n
}

// partner returns the rank in a direction, or against it.
func (s *Stencil) partner(rank int, way []int, sign int) int {
	partner, stride := 0, 1
	for d, n := range s.dims {
		partner += ((rank/stride%n + sign*way[d] + n) % n) * stride
		stride *= n
	}
	return partner
}

// Schedule returns what all ranks do.
func (s *Stencil) Schedule() *schedule.Schedule {
	b := schedule.NewBuilder(s.Ranks())
	for rank := range s.Ranks() {
		s.write(b, rank)
	}
	return b.Schedule()
}

func (s *Stencil) write(b *schedule.Builder, rank int) {
	cpu, all, inside := uint8(0), 1.0, 1.0
	if s.Overlap == "on" {
		cpu = 1
	}
	for range s.dims {
		all *= float64(s.Cells)
		inside *= float64(s.Cells - 2*s.Width)
	}
	r, ways := strand.New(b, rank, cpu), s.directions()
	for range s.Steps {
		var arrived []uint32
		for tag, way := range ways {
			if from := s.partner(rank, way, -1); from != rank {
				arrived = append(arrived, r.Receive(from, s.bytes(way), uint32(tag)))
			}
		}
		for tag, way := range ways {
			if to := s.partner(rank, way, 1); to != rank {
				sent := r.Send(to, s.bytes(way), uint32(tag))
				arrived = append(arrived, sent)
			}
		}
		if s.Overlap == "on" {
			r.Compute(picoseconds(inside, s.Rate))
			r.Wait(arrived...)
			r.Compute(picoseconds(all-inside, s.Rate))
		} else {
			r.Wait(arrived...)
			r.Compute(picoseconds(all, s.Rate))
		}
		if s.Reduce > 0 && s.Ranks() > 1 {
			r.Call(schedule.Op{Kind: schedule.Collective, Peer: schedule.Any, Tag: uint32(schedule.AllReduce), Size: uint64(s.Reduce)})
		}
	}
	r.End()
}
