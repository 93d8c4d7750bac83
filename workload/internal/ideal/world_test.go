package ideal_test

import (
	"testing"

	"musubi/rma"
	"musubi/rma/rmatest"
	"musubi/units"
	"musubi/workload/internal/ideal"
)

func TestIdealWorldKeepsTheContract(t *testing.T) {
	const packet = 128
	for name, world := range map[string]ideal.World{
		"slow":    {Latency: units.Microsecond, PerByte: units.Nanosecond, Copying: units.Nanosecond, Write: units.Nanosecond},
		"timely":  {},
		"windows": {Latency: units.Microsecond, PerByte: units.Nanosecond, Windows: 2, Cache: 1 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			rmatest.Test(t, rmatest.World{Packet: packet, Run: func(ranks int, program func(rma.Process) error) error {
				world := world
				world.Packet = packet
				return world.Run(ranks, program)
			}})
		})
	}
}
