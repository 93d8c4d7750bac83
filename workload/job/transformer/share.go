package transformer

import "musubi/trace/schedule"

// sharing does what a rank tells those with the same parameters: sums of gradients, and parameters that others keep.
type sharing struct {
	r      *trainer
	beside bool // beside computation

	// Gathers of parameters, of one layer after the other, in the order of their use.
	gathers  map[layer]uint32 // those of the first passes, on the side line
	order    []pass           // with all parameters shared: the passes
	at       int              // the layer of these passes that is gathered next
	gathered []uint32         // what the next layer waits for
}

// layer is a layer of a rank's stage.
type layer struct{ chunk, number int }

func newSharing(r *trainer) *sharing {
	return &sharing{r: r, beside: r.Overlap != "none", gathers: map[layer]uint32{}}
}

// dense and experts are the parameters of a layer that a rank has.
func (s *sharing) dense(l layer) int64 {
	first := s.r.stage == 0 && l == layer{}
	last := s.r.stage == s.r.Pipeline-1 && l == layer{s.r.Chunks - 1, s.r.layersOfChunk() - 1}
	return s.r.Train.dense(first, last)
}

func (s *sharing) experts() int64 { return s.r.Train.experts() }

// do does an operation of those with the same parameters, for a number of parameters of each kind, on the side line or the
// main line. It returns what to wait for.
func (s *sharing) do(o schedule.Operation, element int, dense, experts int64) (ops []uint32) {
	for _, part := range []struct {
		g          *group
		parameters int64
	}{{s.r.copies, dense}, {s.r.twins, experts}} {
		if part.parameters == 0 || part.g.size() == 1 {
			continue
		}
		whole := part.parameters * int64(element)
		if s.beside && !part.g.inside {
			ops = append(ops, s.r.Beside(operation(part.g, o, whole)))
		} else {
			s.r.call(part.g, o, whole)
		}
	}
	return ops
}

func (s *sharing) gather(l layer) []uint32 {
	return s.do(schedule.AllGather, s.r.Element, s.dense(l), s.experts())
}

// begin starts the gathers of parameters that the last step has left, if they are beside computation.
func (s *sharing) begin() {
	s.order = s.r.passes(s.r.stage)
	switch {
	case !s.beside:
	case s.r.ZeRO == 3:
		s.gathered = s.gatherNext()
	case s.r.ZeRO > 0:
		for chunk := range s.r.Chunks {
			for number := range s.r.layersOfChunk() {
				l := layer{chunk, number}
				for _, op := range s.gather(l) {
					s.gathers[l] = op
				}
			}
		}
	}
}

// gatherNext gathers the next layer in the order of passes.
func (s *sharing) gatherNext() []uint32 {
	layers := s.r.layersOfChunk()
	if s.at == len(s.order)*layers {
		return nil
	}
	p, number := s.order[s.at/layers], s.at%layers
	if p.backward {
		number = layers - 1 - number
	}
	s.at++
	return s.gather(layer{p.chunk, number})
}

// before brings the parameters of a layer, in front of its computation.
func (s *sharing) before(p pass, number int) {
	l := layer{p.chunk, number}
	switch {
	case s.r.ZeRO == 3 && s.beside:
		if len(s.gathered) > 0 {
			s.r.Wait(s.gathered...)
		}
		s.gathered = s.gatherNext()
	case s.r.ZeRO == 3:
		s.gather(l)
	default:
		if op, waits := s.gathers[l]; waits {
			s.r.Wait(op)
			delete(s.gathers, l)
		}
	}
}

// after sums the gradients of a layer, behind its computation.
func (s *sharing) after(p pass, number int) {
	final := p.batch == s.r.MicroBatches()-1
	switch {
	case s.r.ZeRO < 2 && (!final || !s.beside):
		return
	case s.r.ZeRO == 0:
		s.do(schedule.AllReduce, s.r.Gradient, s.dense(layer{p.chunk, number}), s.experts())
	default:
		s.do(schedule.ReduceScatter, s.r.Gradient, s.dense(layer{p.chunk, number}), s.experts())
	}
}

// finish does what is not beside computation: sums gradients, and gathers parameters.
func (s *sharing) finish() {
	if s.beside {
		return
	}
	var dense, experts int64
	for chunk := range s.r.Chunks {
		for number := range s.r.layersOfChunk() {
			dense += s.dense(layer{chunk, number})
			experts += s.experts()
		}
	}
	switch s.r.ZeRO {
	case 0:
		s.do(schedule.AllReduce, s.r.Gradient, dense, experts)
	case 1:
		s.do(schedule.ReduceScatter, s.r.Gradient, dense, experts)
		s.do(schedule.AllGather, s.r.Element, dense, experts)
	case 2:
		s.do(schedule.AllGather, s.r.Element, dense, experts)
	}
}
