package rma

// Unordered is a Process that can write to memory of others in no order with what it has sent them before, and
// which they perhaps have not taken yet. It is optional.
type Unordered interface {
	// PushUnordered does at once what PushLayout does, if it needs nobody for it, and reports whether it has. Else
	// nothing has happened.
	PushUnordered(to Address, scatter Layout, data []byte, gather Layout) bool
}
