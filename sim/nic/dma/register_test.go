package dma

import "musubi/sim/host"

func init() { host.Register(DMA, Queues) }
