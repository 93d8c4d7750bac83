package neighbour

import (
	"fmt"

	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/fault"
	"musubi/units"
)

// Protocol is how a persistent neighbourhood operation moves its data.
type Protocol uint8

// The protocols; package mpi says what they do.
const (
	auto Protocol = iota
	PRDMA
	FAST
	MRC
	Shared
	Eager
	Agent
)

var protocolNames = [...]string{auto: "auto", PRDMA: "PRDMA", FAST: "FAST", MRC: "MRC", Shared: "shared", Eager: "eager", Agent: "agent"}

// String names the protocol.
func (p Protocol) String() string {
	if int(p) >= len(protocolNames) {
		return fmt.Sprintf("protocol %d", uint8(p))
	}
	return protocolNames[p]
}

// Options are what a program asks of a persistent neighbourhood operation.
type Options struct {
	Protocol Protocol
	Queues   int // of Shared, of an Agent, or at most of auto; 0: as many as are predicted to be best, and one of an Agent
}

// plan is how a persistent neighbourhood operation is carried out by this rank.
type plan struct {
	Protocol Protocol   // auto: it is not planned yet
	Queues   int        // command queues in use
	Engines  []int      // the engine of each
	Time     units.Time // predicted, of an exchange when all ranks are ready; for comparison only
	Reason   string     // why it is so
}

func (o *Options) check() error {
	switch {
	case o.Protocol > Agent:
		return fmt.Errorf("%v; expected one of Auto, PRDMA, FAST, MRC, Shared, Eager and Agent", o.Protocol)
	case o.Queues < 0:
		return fmt.Errorf("%d command queues; expected at least 0", o.Queues)
	}
	return nil
}

// Prepare makes a planned operation persistent.
func Prepare(r *collective.Operation, o Options) (*core.Persistent, error) {
	defer r.Recycle()
	if err := o.check(); err != nil {
		return nil, r.C.Fail(fault.Argument, r.Call, err)
	}
	tag := r.C.PersistentTag()
	x := newExchange(r.C, r.Call, connectTags{tag, tag}, o, &r.Arguments)
	return core.NewPersistent(&x.c.Comm, x.call, x), nil
}

// PlanOf returns how a persistent neighbourhood operation is carried out, false for other
// operations.
func PlanOf(p *core.Persistent) (plan, bool) {
	x, ok := p.Operation.(*exchange)
	if !ok {
		return plan{}, false
	}
	return x.plan, true
}
