package groups

// newDissemination returns a dissemination barrier (Hensgen, Finkel and Manber, 1988): in step s of
// ceil(log2 n), every node notifies the node 2^s places ahead, and waits for the node 2^s places
// behind.
func newDissemination(n *node) func() error {
	return func() error {
		for step := range n.steps {
			if err := n.p.Wait(n.open[step]); err != nil {
				return err
			}
			op, err := n.send((n.position+1<<step)%len(n.order), step)
			if err != nil {
				return err
			}
			n.open[step] = op
			if err := n.await(step); err != nil {
				return err
			}
		}
		return nil
	}
}
