// Package models registers the models of network interfaces that machine files can name.
// Nothing else names them: a new one is a package, and a line here.
package models

import (
	"musubi/sim/host"
	"musubi/sim/nic/card"
	"musubi/sim/nic/dma"
	"musubi/sim/nic/loggp"
	"musubi/sim/nic/memory"
)

func init() {
	host.Register(
		dma.DMA,
		dma.Queues,
		memory.Entry,
		card.Entry,
		loggp.Entry,
	)
}
