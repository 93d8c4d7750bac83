package flit

import "slices"

// wheel holds the actions of future cycles: one slot per cycle, used over and over again. Actions
// in a slot take place in the order in which they were added.
type wheel struct {
	slots []slot
	held  int // entries in all slots
}

// slot is the list of actions in one cycle.
type slot struct {
	flits   []flight // arrivals
	delayed []flight // flits that have been delayed at the input of a switch
	credits []uint32 // lanes whose sender learns of one more free place
	signals []signal // stops and goes
	stages  []uint32 // lanes whose header has finished a stage
}

// flight is a flit on its way to a lane.
type flight struct {
	lane   uint32
	packet uint32 // with headerBit
}

// headerBit marks the header of a packet in a flight.
const headerBit = 1 << 31

// signal is a stop or a go for the sender of a lane.
type signal struct {
	lane uint32
	stop bool
}

// newWheel returns a wheel for delays of up to longest cycles.
func newWheel(longest int64) wheel { return wheel{slots: make([]slot, longest+1)} }

// at returns the slot of a cycle, which must lie less than the wheel's length
// ahead.
func (w *wheel) at(cycle int64) *slot { return &w.slots[cycle%int64(len(w.slots))] }

func (w *wheel) addFlit(cycle int64, f flight) {
	s := w.at(cycle)
	s.flits = append(s.flits, f)
	w.held++
}

func (w *wheel) addDelayed(cycle int64, f flight) {
	s := w.at(cycle)
	s.delayed = append(s.delayed, f)
	w.held++
}

func (w *wheel) addCredit(cycle int64, lane uint32) {
	s := w.at(cycle)
	s.credits = append(s.credits, lane)
	w.held++
}

func (w *wheel) addSignal(cycle int64, g signal) {
	s := w.at(cycle)
	s.signals = append(s.signals, g)
	w.held++
}

func (w *wheel) addStage(cycle int64, lane uint32) {
	s := w.at(cycle)
	s.stages = append(s.stages, lane)
	w.held++
}

// dropStages takes out the stages that the header of a lane is in.
func (w *wheel) dropStages(lane uint32) {
	for i := range w.slots {
		s := &w.slots[i]
		before := len(s.stages)
		s.stages = slices.DeleteFunc(s.stages, func(l uint32) bool { return l == lane })
		w.held -= before - len(s.stages)
	}
}

func (s *slot) len() int {
	return len(s.flits) + len(s.delayed) + len(s.credits) + len(s.signals) + len(s.stages)
}

// clear empties a slot after its cycle.
func (w *wheel) clear(s *slot) {
	w.held -= s.len()
	s.flits, s.delayed, s.credits = s.flits[:0], s.delayed[:0], s.credits[:0]
	s.signals, s.stages = s.signals[:0], s.stages[:0]
}

// next returns the first cycle after the given one in which anything happens.
// There must be one.
func (w *wheel) next(cycle int64) int64 {
	for cycle++; w.at(cycle).len() == 0; cycle++ {
	}
	return cycle
}
