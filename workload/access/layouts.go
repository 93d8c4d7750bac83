package access

import (
	"math/rand/v2"
	"slices"

	"musubi/rma"
	"musubi/units"
	"musubi/workload"
	"musubi/workload/internal/ranks"
)

// Layouts measures transfers of data that does not lie in one piece.
var Layouts = &workload.Workload{
	Name:       "layouts",
	ListParams: []string{"by", "bytes", "element", "form", "side", "stride"},
	Summary:    "strided and listed elements: gathered and scattered by the interface, compared with the processor that packs and unpacks them",
	Params: []workload.Param{
		{Name: "side", Default: sideGather, Help: "gather (rank 0 writes elements that lie apart to one piece at rank 1), scatter (rank 0 reads one piece of rank 1 to elements that lie apart), remote (rank 0 reads elements that lie apart at rank 1 to one piece), or all"},
		{Name: "form", Default: formStrided, Help: "strided (at even distances), list (the same places in random order), or all"},
		{Name: "element", Default: "8,64,512", Help: "bytes of an element; " + workload.SizesHelp},
		{Name: "stride", Default: "64,512,4KiB", Help: "bytes from one element to the next, in the same form; strides below the size of an element are left out"},
		{Name: "bytes", Default: "4KiB", Help: "of all elements together, in the same form"},
		{Name: "by", Default: "all", Help: "interface, or the processor, which packs: load (it loads the elements at once), each (one after the other), span (all from the first to the last), of what is remote by a read of each, or of the span; or a list, or all"},
		{Name: "iterations", Default: "", Help: "transfers measured, of which the median counts; if not given 10, or 1000 between real processes"},
		{Name: "warmup", Default: "", Help: "transfers before, which are not measured; if not given 2, or 100 between real processes"},
	},
	Make: prepareLayouts,
}

// Values of the parameters side, form and by, besides byEach (a Load for each element).
const (
	sideGather  = "gather"
	sideScatter = "scatter"
	sideRemote  = "remote"

	formStrided = "strided"
	formList    = "list"

	byLayout = "interface" // PushLayout or PullLayout
	byLoad   = "load"      // one Load of the elements, or of the piece that is scattered
	bySpan   = "span"      // one Load of all from the first element to the last
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
	labels []workload.Label // of the results
}

func prepareLayouts(v *workload.Values, env workload.Env) *workload.Plan {
	v.OrOften(env, "10", "2")
	if env.Ranks < 2 {
		v.Fail("side", "expected two ranks or more, and there is one")
	}
	w := layouts{iterations: v.Int("iterations", 1, 1e7), warmup: v.Int("warmup", 0, 1e6)}
	sides, forms := v.Choices("side", []string{sideGather, sideScatter, sideRemote}), v.Choices("form", []string{formStrided, formList})
	ways := v.Choices("by", []string{byLayout, byLoad, byEach, bySpan})
	for _, side := range sides {
		for _, form := range forms {
			common := layoutTrial{side: side, ways: waysOf(v, side, ways)}
			if len(sides) > 1 {
				common.labels = append(common.labels, workload.Label{Name: "side", Value: side})
			}
			if len(forms) > 1 {
				common.labels = append(common.labels, workload.Label{Name: "form", Value: form})
			}
			w.trials = append(w.trials, layoutTrials(v, common, form, env)...)
		}
	}
	return &workload.Plan{Program: w.run}
}

// layoutTrials reads the parameters element, stride and bytes, and returns the trials of all
// combinations with what they have in common.
func layoutTrials(v *workload.Values, common layoutTrial, form string, env workload.Env) []layoutTrial {
	var list []layoutTrial
	strides, sizes := v.Sizes("stride", env), v.Sizes("bytes", env)
	for _, element := range v.Sizes("element", env) {
		for _, stride := range stridesFor(v, element, strides) {
			for _, size := range sizes {
				t := common
				t.labels = append(slices.Clone(common.labels), workload.Label{Name: "element", Value: element}, workload.Label{Name: "stride", Value: stride})
				lay(v, &t, form, element, stride, size, env.Seed)
				list = append(list, t)
			}
		}
	}
	return list
}

// stridesFor returns the strides at which elements do not overlap.
func stridesFor(v *workload.Values, element int, strides []int) []int {
	fit := slices.DeleteFunc(slices.Clone(strides), func(stride int) bool { return stride < element })
	if len(fit) == 0 {
		v.Fail("stride", "elements of %d bytes overlap; expected a stride of as many or more", element)
	}
	return fit
}

// waysOf returns the ways that a side has: what is scattered has one piece to load, and the processor
// cannot load what is remote.
func waysOf(v *workload.Values, side string, ways []string) []string {
	without := map[string][]string{sideScatter: {bySpan, byEach}, sideRemote: {byLoad}}[side]
	left := slices.DeleteFunc(slices.Clone(ways), func(by string) bool { return slices.Contains(without, by) })
	if len(left) == 0 {
		v.Fail("by", "has no meaning with side=%s", side)
	}
	return left
}

// lay gives a trial a layout of size bytes, unless something is wrong.
func lay(v *workload.Values, t *layoutTrial, form string, element, stride, size int, seed uint64) {
	count := size / element
	switch {
	case size%element != 0:
		v.Fail("bytes", "%d bytes are not a whole number of elements of %d", size, element)
	case count-1 > (workload.MaxSize-element)/stride:
		v.Fail("bytes", "%d elements that lie %d bytes apart reach over more than %v", count, stride, units.Bytes(workload.MaxSize))
	}
	if v.Failed() {
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

func (w layouts) run(p rma.Process, out *workload.Rows) error {
	t := ranks.NewTeam(p)
	size, extent, remote := 0, 0, 0
	for i := range w.trials {
		size, extent = max(size, w.trials[i].size), max(extent, w.trials[i].extent)
		if w.trials[i].side == sideRemote {
			remote = max(remote, w.trials[i].extent)
		}
	}
	packed := ranks.Expose(p, size)
	if p.Rank() == 1 && remote > 0 {
		ranks.Expose(p, remote) // has the number of the elements at rank 0
	}
	if p.Rank() == 0 {
		g := gatherer{
			p: p, packed: packed, apart: ranks.Expose(p, extent), own: make([]byte, extent),
			message: make([]byte, size), content: make([]byte, size),
		}
		for i := range w.trials {
			workload.Progress(p, out, i, len(w.trials))
			if err := g.measure(w, &w.trials[i], out); err != nil {
				return err
			}
		}
	}
	_, err := t.Agree(0) // the others keep their memory until then
	return err
}
