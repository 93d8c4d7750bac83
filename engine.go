package musubi

import (
	"fmt"

	"musubi/report/ordered"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/units"
	"musubi/workload"
)

// Engine says which engine has simulated the network, if the scenario asks for one, and why.
type Engine struct {
	Name string // packet, flit or flow
	Why  string // one line
}

// engineAuto lets Musubi choose the engine.
const engineAuto = "auto"

// manyPackets is from how many packets under way on auto takes flows: those of about a second of
// simulating packets.
const manyPackets = 1 << 20

// setEngine gives a machine the engine that a scenario asks for.
func (s *Scenario) setEngine(m *machine.Machine) error {
	if s.Engine == "" {
		return nil
	}
	if set, given := s.Set["switch.engine"]; given && set != s.Engine {
		return wrong("engine", fmt.Errorf("engine %s collides with switch.engine=%s; expected one of them", s.Engine, set))
	}
	if s.Engine != engineAuto {
		m.Switch.Engine = s.Engine
	}
	return nil
}

// chooseEngine says which engine is for a run of a plan, or of a program if that is nil.
func (s *System) chooseEngine(plan *workload.Plan) {
	switch {
	case s.Scenario.Engine == "":
		s.engine = nil
	case s.Scenario.Engine == engineAuto:
		s.engine = s.autoEngine(plan)
	default:
		s.engine = &Engine{s.Scenario.Engine, "as asked"}
		if s.engine.Name == "flow" && host.TraitsOf(s.Machine).Bulks == 0 {
			s.engine.Why += "; but messages go by single packets, as the model of interfaces has it"
		}
	}
}

// autoEngine takes flows for workloads with many packets where they are possible.
func (s *System) autoEngine(plan *workload.Plan) *Engine {
	m := s.Machine
	switch err := s.withEngine("flow").Validate(); {
	case m.Switch.Engine == "flit":
		return &Engine{"flit", "machine " + m.Name + " has it"}
	case s.fails:
		return &Engine{m.Switch.Engine, "links fail, which is for packets only"}
	case plan == nil:
		return &Engine{m.Switch.Engine, "it is not known how long the messages of a program are"}
	case plan.Program == nil:
		return &Engine{m.Switch.Engine, "there are single packets only"}
	case err != nil:
		return &Engine{m.Switch.Engine, err.Error()}
	case host.TraitsOf(m).Bulks == 0:
		return &Engine{m.Switch.Engine, "messages go by single packets, as the model of interfaces has it"}
	}
	packets := len(s.Hosts) * ((plan.Longest + int(m.Packet.Payload) - 1) / int(m.Packet.Payload))
	why := fmt.Sprintf("messages of up to %v between %d ranks are %d packets, and flows are from %d on", units.Bytes(plan.Longest), len(s.Hosts), packets, manyPackets)
	if packets < manyPackets {
		return &Engine{m.Switch.Engine, why}
	}
	return &Engine{"flow", why}
}

// withEngine returns the machine with an engine.
func (s *System) withEngine(name string) *machine.Machine {
	m := *s.Machine
	m.Switch.Engine = name
	return &m
}

// simulated returns the machine as it is simulated.
func (s *System) simulated() *machine.Machine {
	if s.engine == nil {
		return s.Machine
	}
	return s.withEngine(s.engine.Name)
}

// field is the engine in JSON.
func (e *Engine) field() ordered.Field {
	return ordered.Field{Name: "engine", Value: ordered.Object{{Name: "name", Value: e.Name}, {Name: "why", Value: e.Why}}}
}
