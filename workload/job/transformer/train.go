package transformer

import (
	"math"

	"musubi/trace/schedule"
	"musubi/workload/job/param"
)

// Train is a training step.
type Train struct {
	Model
	Tensor   int `name:"tensor" default:"8" most:"4096" help:"ranks that share each matrix (tensor parallelism)"`
	Context  int `name:"context" default:"1" most:"4096" help:"ranks that share each sequence (context parallelism): keys and values go round them in a ring"`
	Data     int `name:"data" default:"1" most:"1048576" help:"replicas of the model (data parallelism)"`
	Pipeline int `name:"pipeline" default:"1" most:"4096" help:"stages of the pipeline"`
	Chunks   int `name:"chunks" default:"1" most:"4096" help:"parts of the model in each stage (interleaved 1F1B), or 1 (1F1B)"`
	Expert   int `name:"expert" default:"1" most:"65536" help:"ranks that share the experts (expert parallelism), among those of data and context"`

	Sequence int `name:"sequence" default:"4096" most:"16777216" help:"tokens of a sequence"`
	Micro    int `name:"micro" default:"1" help:"sequences of a micro-batch"`
	Batch    int `name:"batch" help:"sequences of a step; if not given, as many that each replica has a micro-batch for each stage"`

	SequenceParallel string  `name:"sequence-parallel" default:"on" values:"on,off" help:"the ranks of a tensor group share tokens between matrices: their all-reduces become all-gathers and reduce-scatters"`
	ZeRO             int     `name:"zero" default:"1" least:"0" most:"3" help:"what data-parallel ranks share: nothing (0), the optimizer's state (1), gradients too (2), parameters too (3)"`
	Recompute        string  `name:"recompute" default:"off" values:"on,off" help:"backward computes everything again first"`
	Overlap          string  `name:"overlap" default:"all" values:"none,data,all" help:"messages beside computation: none, data (of gradients and parameters) or all (of the pipeline and of contexts too)"`
	Element          int     `name:"element" default:"2" most:"8" help:"bytes of an activation or a parameter"`
	Gradient         int     `name:"gradient" default:"4" most:"8" help:"bytes of a gradient"`
	Rate             float64 `name:"flops" default:"4e14" help:"operations that an accelerator does in a second"`
	Domain

	known []*group // by number
}

// Ranks returns how many ranks the job has.
func (t *Train) Ranks() int { return t.Tensor * t.Context * t.Data * t.Pipeline }

// MicroBatches returns how many micro-batches a replica has.
func (t *Train) MicroBatches() int { return t.Batch / (t.Data * t.Micro) }

// mostRanks and mostOperations are limits of a job, so that a schedule fits into memory.
const (
	mostRanks      = 1 << 20
	mostOperations = 20e6
)

// Check completes the parameters, and fails if they do not fit each other.
func (t *Train) Check() error {
	if err := t.complete(); err != nil {
		return err
	}
	if float64(t.Tensor)*float64(t.Context)*float64(t.Data)*float64(t.Pipeline) > mostRanks {
		return param.Wrong("data", "with tensor, context and pipeline that is more than %d ranks", mostRanks)
	}
	if t.Batch == 0 {
		t.Batch = t.Data * t.Micro * t.Pipeline
	}
	if t.Rate == 0 {
		return param.Wrong("flops", "expected more than 0")
	}
	for _, fits := range []struct {
		ok            bool
		name, problem string
	}{
		{t.Heads%t.Tensor == 0, "tensor", "expected a divisor of the number of heads"},
		{t.FFN%t.Tensor == 0, "tensor", "expected a divisor of ffn"},
		{t.Layers%(t.Pipeline*t.Chunks) == 0, "pipeline", "expected a number that, times chunks, divides the number of layers"},
		{t.Chunks == 1 || t.Pipeline > 1, "chunks", "expected 1, as there is one stage"},
		{t.Batch%(t.Data*t.Micro) == 0, "batch", "expected a multiple of data times micro"},
		{t.Chunks == 1 || t.MicroBatches()%t.Pipeline == 0, "batch", "expected a multiple of data, micro and pipeline, as stages have chunks"},
		{t.Sequence%(t.Tensor*t.Context) == 0, "sequence", "expected a multiple of tensor times context"},
		{t.Experts%t.Expert == 0, "expert", "expected a divisor of the number of experts"},
		{(t.Data*t.Context)%t.Expert == 0, "expert", "expected a divisor of data times context"},
		{t.Experts == 1 || t.Tensor == 1 || t.shares(), "sequence-parallel", "expected on, as there are experts"},
		{t.Domain.Size == 1 || t.Domain.Rate > 0, "domain-rate", "expected more than 0"},
		{t.operations() <= mostOperations, "batch", "the schedule would have more operations than the 20 million that are possible; with domain, or overlap=none, it has fewer"},
	} {
		if !fits.ok {
			return param.Wrong(fits.name, "%s", fits.problem)
		}
	}
	return nil
}

// operations returns about how many operations the schedule has.
func (t *Train) operations() float64 {
	layer := 0
	if t.Tensor > 1 && t.Domain.Size < t.Tensor {
		layer += 8
	}
	if t.Experts > 1 {
		layer += 8
	}
	layer += 4 * (t.Context - 1)
	if t.ZeRO > 1 && t.Overlap != "none" {
		layer += 3
	}
	passes := 2 * float64(t.MicroBatches()*t.Chunks)
	return float64(t.Ranks()) * passes * (4 + float64(layer*t.Layers/(t.Pipeline*t.Chunks)))
}

// shares reports whether tensor-parallel ranks share tokens.
func (t *Train) shares() bool { return t.SequenceParallel == "on" }

// tokens returns how many tokens of a micro-batch a tensor group has.
func (t *Train) tokens() int64 { return int64(t.Micro) * int64(t.Sequence/t.Context) }

// activations returns the bytes of a micro-batch between layers, of a tensor group.
func (t *Train) activations() int64 { return t.tokens() * int64(t.Hidden) * int64(t.Element) }

// message returns the bytes that a rank sends to another stage.
func (t *Train) message() int64 {
	if t.shares() {
		return t.activations() / int64(t.Tensor)
	}
	return t.activations()
}

// time returns how many picoseconds operations for the tokens of a tensor group take, which its ranks share.
func (t *Train) time(perToken float64) int64 {
	return int64(math.Round(perToken * float64(t.tokens()) / float64(t.Tensor) / t.Rate * 1e12))
}

// dense returns the parameters that a rank has of a layer of its stage, apart from those of experts. The first layer
// comes with the embedding, the last with the output and the last norm.
func (t *Train) dense(first, last bool) int64 {
	split := t.attention()
	whole := t.norms() + t.router()
	if t.Experts == 1 {
		split += t.mlp()
	}
	if first {
		split += t.words()
	}
	if last {
		split += t.words()
		whole += int64(t.Hidden)
	}
	return split/int64(t.Tensor) + whole
}

// experts returns the parameters that a rank has of the experts of a layer.
func (t *Train) experts() int64 {
	if t.Experts == 1 {
		return 0
	}
	return int64(t.Experts/t.Expert) * t.mlp() / int64(t.Tensor)
}

// Schedule returns what all ranks do in the step.
func (t *Train) Schedule() *schedule.Schedule {
	b := schedule.NewBuilder(t.Ranks())
	for rank := range t.Ranks() {
		t.write(b, rank)
	}
	s := b.Schedule()
	s.Groups = make([][]uint32, len(t.known))
	for i, g := range t.known {
		s.Groups[i] = g.ranks
	}
	return s
}
