package window

import (
	"fmt"

	"musubi/mpi/internal/core"
	"musubi/rma"
)

// Windows are all windows of a process. Messages find theirs by the number of its communicator.
type windows struct {
	e           *core.Engine
	atomics     rma.Atomics         // of the process; nil: it has none
	accumulator rma.Accumulator     // of the process; nil: it has none
	sequencer   rma.Sequencer       // of the process; nil: it has none, or is an accumulator
	unordered   rma.Unordered       // of the process; nil: it is not
	sequence    []rma.Change        // that is being started
	list        []*Window           // nil where there is none
	fetches     core.Table[*access] // that wait for an answer
	changing    int                 // words whose changes are under way
	locks       lockWords           // of the memory of this rank
	lockWas     int64               // of the lock that is being changed
	spare       []*access           // recycled
}

// windowsOf returns the windows of a process.
func windowsOf(e *core.Engine) *windows {
	if all, ok := e.Windows.(*windows); ok {
		return all
	}
	all := &windows{e: e}
	all.atomics, _ = e.Process.(rma.Atomics)
	all.unordered, _ = e.Process.(rma.Unordered)
	if all.accumulator, _ = e.Process.(rma.Accumulator); all.accumulator == nil {
		all.sequencer, _ = e.Process.(rma.Sequencer)
	}
	e.Windows = all
	e.RecordBeside("windows, by one-sided operations")
	return all
}

// add lets a window get messages.
func (all *windows) add(w *Window) {
	id := int(w.C.Point / 2)
	if id >= len(all.list) {
		all.list = append(all.list, make([]*Window, id+1-len(all.list))...)
	}
	all.list[id] = w
}

func (all *windows) remove(w *Window) { all.list[w.C.Point/2] = nil }

// Take deals with a message for a window.
func (all *windows) Take(from int32, context, id uint32, body []byte) error {
	number := int(context / 2)
	if number >= len(all.list) || all.list[number] == nil {
		return core.NoWindow(context)
	}
	w := all.list[number]
	m, err := decodeMessage(body)
	if err != nil {
		return err
	}
	rank := w.C.RankOf(from)
	if rank < 0 {
		return fmt.Errorf("a message for window %d, of which it is not a member", number)
	}
	return w.handle(w.peer(rank), id, &m)
}

// Open describes the windows that have not been freed.
func (all *windows) Open() (list []string) {
	for _, w := range all.list {
		if w != nil && !w.C.IsGivenUp() {
			list = append(list, fmt.Sprintf("a window of %d bytes, which has not been freed", len(w.Memory)))
		}
	}
	return list
}
