package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
)

// between returns both groups of an intercommunicator.
func (c *comm) between() *collective.Intercomm {
	return &collective.Intercomm{Own: c.c, Bridge: c.point, Remote: c.remote}
}

// across carries out a collective operation of an intercommunicator.
func (c *call) across(n *plan) error {
	if !collective.Crosses(n.kind) {
		return wrong(standard.ErrUnsupportedOperation, "Musubi does not have %s of intercommunicators yet", c.function.name)
	}
	a := n.args
	switch a.Root {
	case standard.Root:
		a.Root = collective.ThisRank
	case standard.ProcNull:
		a.Root = collective.NoRank
	}
	if err := n.m.between().Run(c.function.name, n.kind, &a); err != nil {
		return err
	}
	for i := range n.lands {
		n.lands[i].put(c.Process, len(n.lands[i].data))
	}
	return nil
}
