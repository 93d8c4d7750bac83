package transformer

import (
	"math"

	"musubi/trace/schedule"
	"musubi/units"
	"musubi/workload/job/param"
	"musubi/workload/job/strand"
)

// Serve is inference with disaggregated prefill: some ranks read prompts, and hand their keys and values to others, which
// generate tokens. The first ranks are those of prefill.
type Serve struct {
	Model
	Prefill int `name:"prefill" default:"8" most:"4096" help:"ranks that share the reading of prompts (a tensor group)"`
	Decode  int `name:"decode" default:"4" most:"4096" help:"ranks that share the generating of tokens (a tensor group)"`

	Prompt  int     `name:"prompt" default:"4096" most:"16777216" help:"tokens of a prompt"`
	Output  int     `name:"output" default:"16" most:"1000000" help:"tokens that are generated for a prompt, the first one included"`
	At      int     `name:"at-once" default:"1" most:"4096" help:"prompts that are read, and then generated for, at once"`
	Batches int     `name:"batches" default:"4" most:"100000" help:"such batches, one after the other"`
	Element int     `name:"element" default:"2" most:"8" help:"bytes of an activation, a parameter, a key or a value"`
	Rate    float64 `name:"flops" default:"4e14" help:"operations that an accelerator does in a second"`
	// Memory: NVIDIA states 3.35 TB/s for the H100 SXM.
	Memory units.Rate `name:"memory-rate" default:"3350GB/s" help:"rate at which an accelerator reads its memory; a step of generating reads all parameters, keys and values"`
	Domain
}

// Ranks returns how many ranks the job has.
func (s *Serve) Ranks() int { return s.Prefill + s.Decode }

// Check completes the parameters, and fails if they do not fit each other.
func (s *Serve) Check() error {
	if err := s.complete(); err != nil {
		return err
	}
	more, less := max(s.Prefill, s.Decode), min(s.Prefill, s.Decode)
	switch {
	case s.Heads%s.Prefill != 0:
		return param.Wrong("prefill", "expected a divisor of the number of heads")
	case s.Heads%s.Decode != 0:
		return param.Wrong("decode", "expected a divisor of the number of heads")
	case more%less != 0:
		return param.Wrong("decode", "expected a multiple or a divisor of prefill")
	case s.Rate == 0:
		return param.Wrong("flops", "expected more than 0")
	case s.Memory == 0:
		return param.Wrong("memory-rate", "expected more than 0")
	case s.Domain.Size > 1 && s.Domain.Rate == 0:
		return param.Wrong("domain-rate", "expected more than 0")
	case s.operations() > mostOperations:
		return param.Wrong("batches", "the schedule would have more operations than the 20 million that are possible; with domain it has fewer")
	}
	return nil
}

// operations returns about how many operations the schedule has.
func (s *Serve) operations() float64 {
	layers := float64(4 * s.Layers)
	if s.Domain.Size >= max(s.Prefill, s.Decode) {
		layers = 0
	}
	return float64(s.Batches) * (float64(s.Prefill)*(4+layers) + float64(s.Decode)*float64(s.Output)*(4+layers))
}

// cache returns the bytes of keys and values of a batch.
func (s *Serve) cache(tokens int) int64 {
	return 2 * int64(s.Layers) * s.keys() * int64(s.Element) * int64(tokens) * int64(s.At)
}

// Schedule returns what all ranks do.
func (s *Serve) Schedule() *schedule.Schedule {
	b := schedule.NewBuilder(s.Ranks())
	groups := []*group{s.group(0, 0, s.Prefill), s.group(1, s.Prefill, s.Decode)}
	for rank := range s.Ranks() {
		m := &member{Strand: strand.New(b, rank, accelerator), rank: rank, domain: &s.Domain}
		if rank < s.Prefill {
			s.read(m, groups[0])
		} else {
			s.generate(m, groups[1])
		}
		m.End()
	}
	schedule := b.Schedule()
	schedule.Groups = [][]uint32{groups[0].ranks, groups[1].ranks}
	return schedule
}

func (s *Serve) group(number, first, count int) *group {
	g := &group{number: uint32(number), ranks: make([]uint32, count)}
	for i := range g.ranks {
		g.ranks[i] = uint32(first + i)
	}
	g.inside = s.Domain.Size > 1 && s.Domain.has(g.ranks)
	return g
}

// layers passes all layers with some tokens, in a time for each of them.
func (s *Serve) layers(m *member, g *group, tokens, layer int64) {
	m.met = nil
	bytes := tokens * int64(s.Hidden) * int64(s.Element)
	for range s.Layers {
		m.Compute(layer / 2)
		m.call(g, schedule.AllReduce, bytes)
		m.Compute(layer - layer/2)
		m.call(g, schedule.AllReduce, bytes)
	}
}

// pieces lists the ranks on the other side to which, or from which, keys and values of a rank go.
func pieces(index, own, other int) (list []int) {
	if own >= other {
		return []int{index * other / own}
	}
	for i := range other / own {
		list = append(list, index*(other/own)+i)
	}
	return list
}

// read reads prompts, and hands their keys and values on while the next ones are read.
func (s *Serve) read(m *member, g *group) {
	tokens := int64(s.Prompt) * int64(s.At)
	one := s.projectionFLOPs() + s.scoreFLOPs(s.Prompt) + s.mlpFLOPs()
	layer := int64(math.Round(one * float64(tokens) / float64(s.Prefill) / s.Rate * 1e12))
	for batch := range s.Batches {
		s.layers(m, g, tokens, layer)
		for _, to := range pieces(m.rank, s.Prefill, s.Decode) {
			m.Send(s.Prefill+to, m.bytesTo(s.Prefill+to, s.piece()), uint32(batch))
		}
	}
}

// piece returns the bytes of keys and values that go from one rank to another.
func (s *Serve) piece() int64 {
	n := int64(max(s.Prefill, s.Decode))
	return (s.cache(s.Prompt) + n - 1) / n
}

// generate generates tokens. Each step reads the parameters and all keys and values from memory, or does its operations, whatever takes
// longer.
func (s *Serve) generate(m *member, g *group) {
	parameters, _ := s.Parameters()
	for batch := range s.Batches {
		for _, from := range pieces(m.rank-s.Prefill, s.Decode, s.Prefill) {
			m.ReceiveAhead(from, m.bytesTo(from, s.piece()), uint32(batch))
			m.Compute(m.took(from, s.piece()))
		}
		for token := range s.Output {
			length := s.Prompt + token
			bytes := (parameters*int64(s.Element) + s.cache(length)/int64(s.Layers)) / int64(s.Decode)
			operations := (s.projectionFLOPs() + s.scoreFLOPs(length) + s.mlpFLOPs()) * float64(s.At) / float64(s.Decode)
			layer := max(int64(s.Memory.Transfer(units.Bytes(bytes))), int64(math.Round(operations/s.Rate*1e12)))
			s.layers(m, g, int64(s.At), layer)
		}
	}
}
