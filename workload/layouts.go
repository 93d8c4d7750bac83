package workload

import (
	"math/rand/v2"
	"slices"

	"musubi/rma"
	"musubi/units"
)

var layoutsWorkload = &Workload{
	Name:    "layouts",
	lists:   []string{"by", "bytes", "element", "form", "side", "stride"},
	Summary: "strided and listed elements: gathered and scattered by the interface, compared with the processor that packs and unpacks them",
	Params: []Param{
		{"side", sideGather, "gather (rank 0 writes elements that lie apart to one piece at rank 1), scatter (rank 0 reads one piece of rank 1 to elements that lie apart), remote (rank 0 reads elements that lie apart at rank 1 to one piece), or all"},
		{"form", formStrided, "strided (at even distances), list (the same places in random order), or all"},
		{"element", "8,64,512", "bytes of an element; " + sizesHelp},
		{"stride", "64,512,4KiB", "bytes from one element to the next, in the same form; strides below the size of an element are left out"},
		{"bytes", "4KiB", "of all elements together, in the same form"},
		{"by", "all", "interface, or the processor, which packs: load (it loads the elements at once), each (one after the other), span (all from the first to the last), of what is remote by a read of each, or of the span; or a list, or all"},
		{"iterations", "", "transfers measured, of which the median counts; if empty 10, or 1000 between real processes"},
		{"warmup", "", "transfers before, which are not measured; if empty 2, or 100 between real processes"},
	},
	prepare: prepareLayouts,
}

// Values of the parameters side, form and by, besides byInterface (PushLayout or PullLayout) and byEach
// (a Load for each element).
const (
	sideGather  = "gather"
	sideScatter = "scatter"
	sideRemote  = "remote"

	formStrided = "strided"
	formList    = "list"

	byLoad = "load" // one Load of the elements, or of the piece that is scattered
	bySpan = "span" // one Load of all from the first element to the last
)

// layouts measures transfers of rank 0, in which the other ranks only own memory.
type layouts struct {
	trials             []layoutTrial
	iterations, warmup int
}

// layoutTrial is one layout, in all ways.
type layoutTrial struct {
	side   string
	layout rma.Layout
	size   int // bytes of all elements
	extent int // bytes from the beginning of the first element to the end of the last
	ways   []string
	labels []Label // of the results
}

func prepareLayouts(v *values, env Env) *Plan {
	v.orOften(env, "10", "2")
	if env.Ranks < 2 {
		v.fail("side", "expected two ranks or more, and there is one")
	}
	w := layouts{iterations: v.int("iterations", 1, 1e7), warmup: v.int("warmup", 0, 1e6)}
	sides, forms := v.choices("side", []string{sideGather, sideScatter, sideRemote}), v.choices("form", []string{formStrided, formList})
	ways := v.choices("by", []string{byInterface, byLoad, byEach, bySpan})
	for _, side := range sides {
		for _, form := range forms {
			common := layoutTrial{side: side, ways: v.waysOf(side, ways)}
			if len(sides) > 1 {
				common.labels = append(common.labels, Label{"side", side})
			}
			if len(forms) > 1 {
				common.labels = append(common.labels, Label{"form", form})
			}
			w.trials = append(w.trials, v.layoutTrials(common, form, env)...)
		}
	}
	return &Plan{Program: w.run}
}

// layoutTrials reads the parameters element, stride and bytes, and returns the trials of all
// combinations with what they have in common.
func (v *values) layoutTrials(common layoutTrial, form string, env Env) []layoutTrial {
	var list []layoutTrial
	strides, sizes := v.sizes("stride", env), v.sizes("bytes", env)
	for _, element := range v.sizes("element", env) {
		for _, stride := range v.stridesFor(element, strides) {
			for _, size := range sizes {
				t := common
				t.labels = append(slices.Clone(common.labels), Label{"element", element}, Label{"stride", stride})
				v.lay(&t, form, element, stride, size, env.Seed)
				list = append(list, t)
			}
		}
	}
	return list
}

// stridesFor returns the strides at which elements do not overlap.
func (v *values) stridesFor(element int, strides []int) []int {
	fit := slices.DeleteFunc(slices.Clone(strides), func(stride int) bool { return stride < element })
	if len(fit) == 0 {
		v.fail("stride", "elements of %d bytes overlap; expected a stride of as many or more", element)
	}
	return fit
}

// waysOf returns the ways that a side has: what is scattered has one piece to load, and the processor
// cannot load what is remote.
func (v *values) waysOf(side string, ways []string) []string {
	without := map[string][]string{sideScatter: {bySpan, byEach}, sideRemote: {byLoad}}[side]
	left := slices.DeleteFunc(slices.Clone(ways), func(by string) bool { return slices.Contains(without, by) })
	if len(left) == 0 {
		v.fail("by", "has no meaning with side=%s", side)
	}
	return left
}

// lay gives a trial a layout of size bytes, unless something is wrong.
func (v *values) lay(t *layoutTrial, form string, element, stride, size int, seed uint64) {
	count := size / element
	switch {
	case size%element != 0:
		v.fail("bytes", "%d bytes are not a whole number of elements of %d", size, element)
	case count-1 > (MaxSize-element)/stride:
		v.fail("bytes", "%d elements that lie %d bytes apart reach over more than %v", count, stride, units.Bytes(MaxSize))
	}
	if v.err != nil {
		return
	}
	t.size, t.extent = size, (count-1)*stride+element
	t.layout = rma.Strided(element, stride, count)
	if form == formList {
		offsets := rand.New(rand.NewPCG(seed, uint64(stride))).Perm(count)
		for i := range offsets {
			offsets[i] *= stride
		}
		t.layout = rma.List(element, offsets...)
	}
}

func (w layouts) run(p rma.Process, out *Rows) error {
	t := newTeam(p)
	size, extent, remote := 0, 0, 0
	for i := range w.trials {
		size, extent = max(size, w.trials[i].size), max(extent, w.trials[i].extent)
		if w.trials[i].side == sideRemote {
			remote = max(remote, w.trials[i].extent)
		}
	}
	packed := expose(p, size)
	if p.Rank() == 1 && remote > 0 {
		expose(p, remote) // has the number of the elements at rank 0
	}
	if p.Rank() == 0 {
		g := gatherer{
			p: p, packed: packed, apart: expose(p, extent), own: make([]byte, extent),
			message: make([]byte, size), content: make([]byte, size),
		}
		for i := range w.trials {
			progress(p, out, i, len(w.trials))
			if err := g.measure(w, &w.trials[i], out); err != nil {
				return err
			}
		}
	}
	_, err := t.agree(0) // the others keep their memory until then
	return err
}
