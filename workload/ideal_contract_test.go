package workload

import (
	"testing"

	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"
)

func TestIdealWorldKeepsTheContract(t *testing.T) {
	const packet = 128
	for name, world := range map[string]ideal{
		"slow":    {latency: units.Microsecond, perByte: units.Nanosecond, copying: units.Nanosecond, write: units.Nanosecond},
		"timely":  {},
		"windows": {latency: units.Microsecond, perByte: units.Nanosecond, windows: 2, cache: 1 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			rmatest.Test(t, rmatest.World{Packet: packet, Run: func(ranks int, program func(rma.Process) error) error {
				world := world
				world.packet = packet
				return world.run(ranks, program)
			}})
		})
	}
}
