package loggp

import (
	"musubi/sim/machine"
	"musubi/units"
)

// LogGP is the machine without a fabric (Alexandrov, Ionescu, Schauser and
// Scheiman, LogGP: incorporating long messages into the LogP model, 1995).
type LogGP struct {
	L units.Time `param:"loggp.L"` // latency
	O units.Time `param:"loggp.o"` // processor overhead per message, at either end
	G units.Time `param:"loggp.g"` // gap between messages
	// B is LogGP's G, the gap per byte, as its reciprocal.
	B units.Rate `param:"loggp.G"`
}

// Check implements machine.Section.
func (*LogGP) Check(m *machine.Machine) error { return m.CheckPositive("loggp.G") }

// LogGP returns the parameters: latency, overhead, gap between messages, and the rate of bytes.
func (p *LogGP) LogGP() (l, o, g units.Time, perByte units.Rate) { return p.L, p.O, p.G, p.B }
