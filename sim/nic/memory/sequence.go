package memory

import (
	"encoding/binary"
	"fmt"

	"musubi/nic/mbc"
	"musubi/onesided"
	"musubi/rma"
	"musubi/sim/host"
)

var _ rma.Sequencer = memoryRank{}

// LongestSequence implements rma.Sequencer.
func (r memoryRank) LongestSequence() int { return longestSequence(r.m.Machine) }

// Sequence implements rma.Sequencer. A packet accesses one page, so all words must lie in one.
func (r memoryRank) Sequence(list []rma.Change) (rma.Op, error) {
	if most := r.LongestSequence(); len(list) < 1 || len(list) > most {
		return 0, fmt.Errorf("rma: sequence of %d changes; expected 1 to %d", len(list), most)
	}
	first := list[0].At
	steps := make([]host.Step, len(list))
	for i, c := range list {
		switch at := c.At; {
		case at.Rank != first.Rank || at.Segment != first.Segment:
			return 0, fmt.Errorf("rma: change %d of a sequence at %v; expected the rank and segment of the first, at %v", i, at, first)
		case at.Offset < 0 || at.Offset%onesided.WordSize != 0:
			return 0, fmt.Errorf("rma: change %d of a sequence at %v; expected an offset that is a multiple of %d bytes", i, at, onesided.WordSize)
		case at.Offset/mbc.PageSize != first.Offset/mbc.PageSize:
			return 0, fmt.Errorf("rma: change %d of a sequence at %v; expected the page of the first, at %v: a packet accesses one page of %d bytes", i, at, first, mbc.PageSize)
		case !c.Swap && c.Reduction > rma.Replace:
			return 0, fmt.Errorf("rma: change %d of a sequence by %v; expected %v to %v", i, c.Reduction, rma.NoOp, rma.Replace)
		}
		steps[i] = host.Step{At: c.At.Offset, Word: host.Word{Swap: c.Swap, Reduction: c.Reduction, Operand: c.Operand, Expected: c.Expected, Was: c.Was}}
	}
	return r.Process.Sequence(first, steps)
}

// formSequence makes the packet of a sequence.
func (form *former) formSequence(a *access, f *frame) {
	space := &form.m.residents.processes[a.Target].space
	form.steps = form.steps[:0]
	for i := range a.Steps() {
		s := &a.Steps()[i]
		form.steps = append(form.steps, mbc.Step{At: space.address(a.Address.Segment, s.At), Atomic: atomicOf(&s.Word)})
	}
	data, err := mbc.AppendSequence(f.data, &f.h, form.steps)
	if err != nil {
		panic(err) // Sequence has checked it
	}
	f.data = data
}

// changeWords does the atomic operations of a sequence, and answers with what was there before. If
// one of the words cannot be changed, it changes none.
func (s *executor) changeWords(f *frame) {
	answer := s.m.frames.list[f.answer]
	steps, err := mbc.ParseSequence(s.steps[:0], &f.h, f.data)
	if err != nil {
		panic(err) // the simulated link delivers what was sent
	}
	s.steps = steps
	if err := s.checkWords(f, steps); err != nil {
		s.m.FailOp(f.op, err)
		answer.data = append(answer.data, make([]byte, answer.h.Size)...)
	} else {
		r := &s.m.Ranks[f.place.Rank]
		for i := range steps {
			memory, _ := r.Word(stepPlace(f, &steps[i]))
			answer.data = append(answer.data, memory...)
			old := int64(binary.NativeEndian.Uint64(memory))
			binary.NativeEndian.PutUint64(memory, uint64(steps[i].Atomic.Apply(old)))
		}
		r.Touched()
	}
	s.m.operations.apply(f)
	s.sender.launch(f.answer)
}

// checkWords fails unless all words of a sequence can be changed.
func (s *executor) checkWords(f *frame, steps []mbc.Step) error {
	for i := range steps {
		if _, err := s.m.Ranks[f.place.Rank].Word(stepPlace(f, &steps[i])); err != nil {
			return err
		}
	}
	return nil
}

// stepPlace returns the place of the word of a step, which lies in the same page as that of the
// first.
func stepPlace(f *frame, step *mbc.Step) rma.Address {
	at := f.place
	at.Offset += int(step.At) - int(f.h.At)
	return at
}

// takeResults hands what was there before to who has asked for a sequence.
func (a *access) takeResults(data []byte) {
	for i := range a.Steps() {
		if was := a.Steps()[i].Word.Was; was != nil {
			*was = int64(binary.NativeEndian.Uint64(data[onesided.WordSize*i:]))
		}
	}
}
