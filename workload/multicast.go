package workload

import "math/bits"

// newMulticast returns a barrier by unicast-based multicast (McKinley et al.,
// 1994), the one of the RHiNET-2 paper: ceil(log2 n) steps to gather and as many
// to release. Positions of the visiting order form a binomial tree with the root
// at 0: in step s of the release, node i < 2^s serves node i + 2^s. The gathering
// is the exact mirror of that.
//
// Every step crosses the path twice. When gathering, a parent asks its child and
// the child answers once it has arrived and gathered what is below it. When
// releasing, the parent writes to the child and waits for the completion before
// it takes the next step.
func newMulticast(n *node) func() error {
	m := multicast{n, bits.Len(uint(n.position))}
	return m.barrier
}

type multicast struct {
	*node
	// first is the step in which this node could have its first child: the one
	// after the step in which its parent serves it.
	first int
}

func (m multicast) barrier() error {
	if err := m.gather(); err != nil {
		return err
	}
	if m.position > 0 {
		if err := m.report(); err != nil {
			return err
		}
	}
	return m.release()
}

// child returns the position of the child served in a step.
func (m multicast) child(step int) (position int, exists bool) {
	position = m.position + 1<<step
	return position, position < len(m.order)
}

// gather asks the children one after the other.
func (m multicast) gather() error {
	for step := m.steps - 1; step >= m.first; step-- {
		child, exists := m.child(step)
		if !exists {
			continue
		}
		op, err := m.send(child, requestWord)
		if err != nil {
			return err
		}
		if err := m.await(step); err != nil {
			return err
		}
		if err := m.p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}

// report answers the parent and waits to be released.
func (m multicast) report() error {
	if err := m.await(requestWord); err != nil {
		return err
	}
	step := m.first - 1
	op, err := m.send(m.position-1<<step, step)
	if err != nil {
		return err
	}
	if err := m.await(releaseWord); err != nil {
		return err
	}
	return m.p.Wait(op)
}

func (m multicast) release() error {
	for step := m.first; step < m.steps; step++ {
		child, exists := m.child(step)
		if !exists {
			continue
		}
		op, err := m.send(child, releaseWord)
		if err != nil {
			return err
		}
		if err := m.p.Wait(op); err != nil {
			return err
		}
	}
	return nil
}
