package memory

import (
	"musubi/sim/host"
)

// station is a host with its network interface.
type station struct {
	m   *memoryBased
	end int

	sender    sender
	receiver  receiver
	executor  executor
	check     accessCheck
	system    operatingSystem
	routing   routeCache
	links     links
	casting   casting // what it has switches copy
	converter converter

	ranks []int32 // that live there
	bus   host.Bus
	sram  sram
}
