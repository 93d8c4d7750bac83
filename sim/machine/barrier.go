package machine

import "musubi/units"

// Barrier describes the part of a network interface of model "queues" that does barriers
// and reductions of one word without the processor. Its packets have packet.reply flits,
// and travel with replies.
type Barrier struct {
	Channels int        `param:"barrier.channels" zero:"there is no such part"` // groups that ranks of a node can be members of at once
	Gate     units.Time `param:"barrier.gate" zero:"takes no time"`             // what has come is combined, and the next packet sent
}
