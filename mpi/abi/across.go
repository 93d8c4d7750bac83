package abi

// across carries out a collective operation of an intercommunicator.
func (c *call) across(n *plan) error {
	return wrong(cErrUnsupportedOperation, "Musubi does not have %s of intercommunicators yet", c.function.name)
}
