package groups

import (
	"math/rand/v2"
	"sync"
)

// visitingOrder is the assignment of ranks to positions of a barrier.
type visitingOrder struct {
	ranks     []int // at each position
	positions []int // of each rank
}

func newOrder(ranks []int) *visitingOrder {
	o := &visitingOrder{ranks, make([]int, len(ranks))}
	for position, rank := range ranks {
		o.positions[rank] = position
	}
	return o
}

// visitingOrders are random orders. Only the last ones are kept, which ranks are in: all of them together would take more memory than
// everything else, on many ranks.
type visitingOrders struct {
	count, ranks int
	seed         uint64

	mutex sync.Mutex
	last  [keptOrders]struct {
		number int // from 1
		order  *visitingOrder
	}
}

// keptOrders is how many orders are kept: no rank is in the next but two, as there is a barrier at least in each.
const keptOrders = 4

// at returns an order.
func (o *visitingOrders) at(i int) *visitingOrder {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	kept := &o.last[i%keptOrders]
	if kept.number != i+1 {
		kept.number, kept.order = i+1, newOrder(rand.New(rand.NewPCG(o.seed, uint64(i))).Perm(o.ranks))
	}
	return kept.order
}
