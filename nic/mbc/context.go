package mbc

import "musubi/nic/register"

// Context is the registers of an interface that the operating system loads at a context
// switch: who runs. The interface stamps them into what is sent, so that no process can
// pass for another one, and compares what arrives with them; see AccessGate.
type Context struct {
	id      Identity
	node    uint16
	running bool
}

// Load says that a process runs now, with its identity and virtual node. Only a privileged
// process may do so; for others it fails with a *register.RightsError and changes nothing.
func (c *Context) Load(id Identity, node uint16, by register.Rights) error {
	if err := register.CheckWrite(register.Process, by); err != nil {
		return err
	}
	*c = Context{id: id, node: node, running: true}
	return nil
}

// Stamp overwrites the source of a packet that is sent with the process that runs. It
// reports whether there is one; if not, nothing may be sent.
func (c *Context) Stamp(h *Header) bool {
	h.From, h.FromNode = c.id, c.node
	return c.running
}

// names reports whether a packet is for the process that runs.
func (c *Context) names(h *Header) bool {
	return c.running && c.id.Process == h.To.Process && c.node == h.ToNode
}

// allows reports whether a packet for the process that runs has the right access id.
func (c *Context) allows(h *Header) bool { return c.id.Access == h.To.Access }
