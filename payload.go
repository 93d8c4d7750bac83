package musubi

import (
	"fmt"

	"musubi/sim/host"
	"musubi/workload"
)

// Values of Scenario.Payload.
const (
	payloadAuto = "auto"
	payloadNone = "none"
	payloadReal = "real"
)

// mostReal is how much data, in bytes, the ranks of a workload have together before it is simulated without
// its bytes, unless the scenario says otherwise.
const mostReal = 64 << 20

// omitsPayload reports whether a workload runs with the sizes of its data and without the bytes. It
// fails if the scenario asks for that, and the workload or the machine needs them.
func (s *System) omitsPayload(plan *workload.Plan) (bool, error) {
	if s.IsLive() {
		return false, nil
	}
	asked, can := s.Scenario.Payload, host.TraitsOf(s.Machine).Phantom
	if asked != payloadNone {
		return (asked == "" || asked == payloadAuto) && can && plan.Data > mostReal, nil
	}
	return true, s.refusePayloadNone(plan.Data > 0 || plan.Program == nil)
}

// refusePayloadNone fails if a scenario is to run without bytes, and its machine or its program
// needs them.
func (s *System) refusePayloadNone(withoutValues bool) error {
	switch {
	case s.Scenario.Payload != payloadNone:
		return nil
	case !host.TraitsOf(s.Machine).Phantom:
		return wrong("payload", fmt.Errorf("payload none, but the network interfaces of machine %s make packets of bytes; expected auto or real", s.Machine.Name))
	case !withoutValues:
		return wrong("payload", fmt.Errorf("payload none, but workload %s looks at its data; expected auto or real", s.Scenario.Workload))
	}
	return nil
}
