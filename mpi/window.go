package mpi

import "fmt"

// window is the memory that the ranks of a communicator let each other access.
type window struct{}

// peer is what a window knows of another rank.
type peer struct{}

// toWindow deals with a message for a window.
func (e *engine) toWindow(from int32, v *envelope, body []byte) error {
	return fmt.Errorf("a message of %d bytes from process %d for window %d, which there is not", len(body), from, v.context/2)
}

// endAccess completes an access that was waited for.
func (e *engine) endAccess(r *Request, err error) { r.finish(err) }
