package window

import (
	"fmt"

	"musubi/mpi/internal/core"
	"musubi/rma"
)

// Windows are all windows of a process. Messages find theirs by the number of its communicator.
type Windows struct {
	e           *core.Engine
	atomics     rma.Atomics         // of the process; nil: it has none
	accumulator rma.Accumulator     // of the process; nil: it has none
	list        []*Window           // nil where there is none
	fetches     core.Table[*access] // that wait for what was there
	changing    int                 // words whose changes are under way
	spare       []*access           // to be used again
}

// windowsOf returns the windows of a process.
func windowsOf(e *core.Engine) *Windows {
	if all, ok := e.Windows.(*Windows); ok {
		return all
	}
	all := &Windows{e: e}
	all.atomics, _ = e.Process.(rma.Atomics)
	all.accumulator, _ = e.Process.(rma.Accumulator)
	e.Windows = all
	return all
}

// add lets messages find a window.
func (all *Windows) add(w *Window) {
	id := int(w.C.Point / 2)
	if id >= len(all.list) {
		all.list = append(all.list, make([]*Window, id+1-len(all.list))...)
	}
	all.list[id] = w
}

func (all *Windows) remove(w *Window) { all.list[w.C.Point/2] = nil }

// Take deals with a message for a window.
func (all *Windows) Take(from int32, context, id uint32, body []byte) error {
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
		return fmt.Errorf("a message for window %d, which it is not in", number)
	}
	return w.take(w.peer(rank), id, &m)
}

// Open describes the windows that have not been freed.
func (all *Windows) Open() (list []string) {
	for _, w := range all.list {
		if w != nil {
			list = append(list, fmt.Sprintf("a window of %d bytes, which has not been freed", len(w.Memory)))
		}
	}
	return list
}
