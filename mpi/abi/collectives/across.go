package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
)

// across carries out a collective operation of an intercommunicator.
func across(c *abi.Call, n *plan) error {
	if !collective.Crosses(n.kind) {
		return abi.Wrong(standard.ErrUnsupportedOperation, "Musubi does not have %s of intercommunicators yet", c.Function.Name)
	}
	a := n.args
	switch a.Root {
	case standard.Root:
		a.Root = collective.ThisRank
	case standard.ProcNull:
		a.Root = collective.NoRank
	}
	return n.m.Between().Run(c.Function.Name, n.kind, &a)
}
