package loggops

import "musubi/units"

// event is an operation of a rank that is tried, or a message that is tried at a rank.
type event struct {
	at     units.Time
	number uint64 // decides at equal times
	rank   uint32
	from   uint32 // rank that sent the message
	op     uint32 // of rank, or of from
	kind   eventKind
}

type eventKind uint8

const (
	tryOp eventKind = iota
	tryMessage
	tryRoom // the first of those that wait in room op of rank
)

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.number < f.number
}

// heap yields the first event. An event that is tried again keeps its number, so the queue of package
// sim/engine, where the one pushed last is the last of its time, does not fit.
type heap []event

// arity is the number of children of a node. Four children lie in three or four lines of cache.
const arity = 4

func (h *heap) push(e event) {
	all := append(*h, e)
	i := len(all) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(&all[parent]) {
			break
		}
		all[i] = all[parent]
		i = parent
	}
	all[i] = e
	*h = all
}

func (h *heap) pop() (ev event, ok bool) {
	all := *h
	if len(all) == 0 {
		return event{}, false
	}
	top, last := all[0], all[len(all)-1]
	all = all[:len(all)-1]
	if *h = all; len(all) > 0 {
		all.sink(last)
	}
	return top, true
}

// sink puts an event in the place of the first.
func (h heap) sink(e event) {
	i := 0
	for {
		least := arity*i + 1
		if least >= len(h) {
			break
		}
		for child := least + 1; child < min(arity*i+1+arity, len(h)); child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}
