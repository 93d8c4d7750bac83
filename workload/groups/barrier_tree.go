package groups

import "math/bits"

// newTreeBarrier returns a barrier by unicast-based multicast (McKinley et al., 1994), as in the
// RHiNET-2 paper: ceil(log2 n) steps to gather and as many to release. Positions of the visiting
// order form a binomial tree with the root at 0: in step s of the release, node i < 2^s serves node
// i + 2^s. The gathering runs the same steps backwards.
//
// Every step crosses the path twice. When gathering, a parent asks its child and
// the child answers once it has arrived and gathered what is below it. When
// releasing, the parent writes to the child and waits for the completion before
// it takes the next step.
func newTreeBarrier(n *node) func() error {
	b := treeBarrier{n, bits.Len(uint(n.position))}
	return b.barrier
}

type treeBarrier struct {
	*node
	// first is the step in which this node could have its first child: the one
	// after the step in which its parent serves it.
	first int
}

func (b treeBarrier) barrier() error {
	if err := b.gather(); err != nil {
		return err
	}
	if b.position > 0 {
		if err := b.report(); err != nil {
			return err
		}
	}
	return b.release()
}

// child returns the position of the child served in a step.
func (b treeBarrier) child(step int) (position int, exists bool) {
	position = b.position + 1<<step
	return position, position < len(b.order)
}

// gather asks the children one after the other.
func (b treeBarrier) gather() error {
	for step := b.steps - 1; step >= b.first; step-- {
		child, exists := b.child(step)
		if !exists {
			continue
		}
		op, err := b.send(child, requestWord)
		if err != nil {
			return err
		}
		if err := b.await(step); err != nil {
			return err
		}
		if err := b.p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// report answers the parent and waits to be released.
func (b treeBarrier) report() error {
	if err := b.await(requestWord); err != nil {
		return err
	}
	step := b.first - 1
	op, err := b.send(b.position-1<<step, step)
	if err != nil {
		return err
	}
	if err := b.await(releaseWord); err != nil {
		return err
	}
	return b.p.Wait(op)
}

func (b treeBarrier) release() error {
	for step := b.first; step < b.steps; step++ {
		child, exists := b.child(step)
		if !exists {
			continue
		}
		op, err := b.send(child, releaseWord)
		if err != nil {
			return err
		}
		if err := b.p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}
