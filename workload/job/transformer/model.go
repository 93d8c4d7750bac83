package transformer

import (
	"cmp"

	"musubi/workload/job/param"
)

// Model has the sizes of a transformer. Those that are 0 are as the named model has them.
type Model struct {
	Name    string `name:"model" default:"llama2-70b" values:"llama2-7b,llama2-70b,gpt3-175b,mixtral-8x7b" help:"model whose sizes count where they are not given: llama2-7b, llama2-70b, gpt3-175b or mixtral-8x7b"`
	Layers  int    `name:"layers" most:"10000" help:"layers"`
	Hidden  int    `name:"hidden" help:"elements of a token between layers"`
	FFN     int    `name:"ffn" help:"elements of a token inside the MLP"`
	Gate    string `name:"gate" values:"on,off" help:"the MLP has a gate, and so three matrices instead of two: on or off"`
	Heads   int    `name:"heads" help:"heads of the attention"`
	KVHeads int    `name:"kv-heads" help:"heads of keys and values"`
	Vocab   int    `name:"vocab" most:"10000000" help:"words of the vocabulary; embedding and output have a matrix each"`
	Experts int    `name:"experts" most:"65536" help:"experts, each an MLP, in each layer"`
	TopK    int    `name:"top-k" most:"65536" help:"experts that a token goes to"`
}

// models are known models, with the sizes that their authors published.
var models = map[string]Model{
	"llama2-7b":    {Layers: 32, Hidden: 4096, FFN: 11008, Gate: "on", Heads: 32, KVHeads: 32, Vocab: 32000, Experts: 1, TopK: 1},
	"llama2-70b":   {Layers: 80, Hidden: 8192, FFN: 28672, Gate: "on", Heads: 64, KVHeads: 8, Vocab: 32000, Experts: 1, TopK: 1},
	"gpt3-175b":    {Layers: 96, Hidden: 12288, FFN: 49152, Gate: "off", Heads: 96, KVHeads: 96, Vocab: 51200, Experts: 1, TopK: 1},
	"mixtral-8x7b": {Layers: 32, Hidden: 4096, FFN: 14336, Gate: "on", Heads: 32, KVHeads: 8, Vocab: 32000, Experts: 8, TopK: 2},
}

// complete takes from the named model what is not given, and fails if the sizes do not fit.
func (m *Model) complete() error {
	known := models[m.Name]
	for _, size := range []struct{ of, otherwise *int }{
		{&m.Layers, &known.Layers}, {&m.Hidden, &known.Hidden}, {&m.FFN, &known.FFN}, {&m.Heads, &known.Heads}, {&m.KVHeads, &known.KVHeads},
		{&m.Vocab, &known.Vocab}, {&m.Experts, &known.Experts}, {&m.TopK, &known.TopK},
	} {
		*size.of = cmp.Or(*size.of, *size.otherwise)
	}
	m.Gate = cmp.Or(m.Gate, known.Gate)
	switch {
	case m.Hidden%m.Heads != 0:
		return param.Wrong("heads", "expected a divisor of the %d elements of a token (hidden)", m.Hidden)
	case m.Heads%m.KVHeads != 0:
		return param.Wrong("kv-heads", "expected a divisor of the %d heads", m.Heads)
	case m.TopK > m.Experts:
		return param.Wrong("top-k", "expected at most the %d experts", m.Experts)
	}
	return nil
}

// keys returns the elements that the keys of a token have, and its values as many.
func (m *Model) keys() int64 { return int64(m.KVHeads) * int64(m.Hidden/m.Heads) }

// attention returns the parameters of the matrices of a layer's attention: queries and output, keys and values.
func (m *Model) attention() int64 {
	h := int64(m.Hidden)
	return 2*h*h + 2*h*m.keys()
}

// mlp returns the parameters of an MLP, of which a layer has one for each expert.
func (m *Model) mlp() int64 {
	matrices := int64(2)
	if m.Gate == "on" {
		matrices = 3
	}
	return matrices * int64(m.Hidden) * int64(m.FFN)
}

// norms returns the parameters of a layer's two norms.
func (m *Model) norms() int64 { return 2 * int64(m.Hidden) }

// router returns the parameters by which a layer chooses experts.
func (m *Model) router() int64 {
	if m.Experts == 1 {
		return 0
	}
	return int64(m.Hidden) * int64(m.Experts)
}

// words returns the parameters of the embedding, or of the output.
func (m *Model) words() int64 { return int64(m.Hidden) * int64(m.Vocab) }

// Parameters returns how many parameters a layer has, and how many the model.
func (m *Model) Parameters() (layer, all int64) {
	layer = m.attention() + int64(m.Experts)*m.mlp() + m.norms() + m.router()
	return layer, int64(m.Layers)*layer + 2*m.words() + int64(m.Hidden)
}

// Operations on numbers, forward and for a token of a sequence: two for each parameter, and the products of the
// attention, without leaving out what a causal mask leaves out.

func (m *Model) projectionFLOPs() float64 { return 2 * float64(m.attention()) }
func (m *Model) scoreFLOPs(sequence int) float64 {
	return 4 * float64(sequence) * float64(m.Hidden)
}
func (m *Model) mlpFLOPs() float64    { return 2 * float64(m.TopK) * float64(m.mlp()) }
func (m *Model) outputFLOPs() float64 { return 2 * float64(m.words()) }

// FLOPs returns the operations for a token of a sequence, forward.
func (m *Model) FLOPs(sequence int) float64 {
	return float64(m.Layers)*(m.projectionFLOPs()+m.scoreFLOPs(sequence)+m.mlpFLOPs()) + m.outputFLOPs()
}
