package collectives

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/algorithm"
)

// rootAt reads a root.
func rootAt(c *abi.Call, m *abi.Comm, i int) (int, error) {
	root := c.At(i)
	if m.IsInter() {
		if root == standard.Root || root == standard.ProcNull || root >= 0 && root < len(m.Remote) {
			return root, nil
		}
	} else if root >= 0 && root < m.Inner.Size() {
		return root, nil
	}
	return 0, abi.Wrong(standard.ErrRoot, "root %d; there are ranks 0 to %d", root, m.Peers()-1)
}

// rooted begins the plan of an operation with a root, from the words of the communicator and of the root.
func rooted(c *abi.Call, kind algorithm.Operation, comm, at int) (*plan, error) {
	m, err := c.Comm(comm)
	if err != nil {
		return nil, err
	}
	root, err := rootAt(c, m, at)
	return newPlan(m, kind, algorithm.Arguments{Root: root, Element: 1}), err
}

func isRootOf(m *abi.Comm, root int) bool {
	if m.IsInter() {
		return root == standard.Root
	}
	return m.Inner.Rank() == root
}

// gives reports whether a rank gives data in an operation with a root that takes it.
func gives(m *abi.Comm, root int) bool { return !m.IsInter() || root >= 0 }

func planBcast(c *abi.Call) (*plan, error) {
	n, err := rooted(c, algorithm.Broadcast, 4, 3)
	if err != nil {
		return nil, err
	}
	m, root := n.m, n.args.Root
	if m.IsInter() && root == standard.ProcNull {
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	if isRootOf(m, root) {
		n.args.Out = c.Outgoing(c.Words[0], count, t)
		return n, nil
	}
	n.args.Out = lands(c, n, c.Words[0], count, t)
	return n, nil
}

func planGather(c *abi.Call) (*plan, error) {
	n, err := rooted(c, algorithm.Gather, 7, 6)
	if err != nil {
		return nil, err
	}
	m, root := n.m, n.args.Root
	own := 0
	if isRootOf(m, root) {
		count, t, err := c.Counted(4)
		if err != nil {
			return nil, err
		}
		own = count * t.Extent()
		n.args.Out = lands(c, n, c.Words[3], count*m.Peers(), t)
		if c.Words[0] == standard.InPlace && !m.IsInter() {
			part := len(n.args.Out) / m.Peers()
			copy(n.args.Out[root*part:][:part], c.Outgoing(c.Words[3]+int64(root*count*t.Extent()), count, t))
			n.args.In = n.args.Out[root*part:][:part]
			return n, nil
		}
	}
	return given(c, n, root*own)
}

func planGatherv(c *abi.Call) (*plan, error) {
	n, err := rooted(c, algorithm.GatherV, 8, 7)
	if err != nil {
		return nil, err
	}
	m, root := n.m, n.args.Root
	own := 0
	if isRootOf(m, root) {
		if err := n.v.read(c, 4, 5, 6, m.Peers()); err != nil {
			return nil, err
		}
		own = ownAt(m, n.v.at)
		partsIn(c, n, c.Words[3])
		if c.Words[0] == standard.InPlace && !m.IsInter() {
			copy(n.args.Outs[root], c.Outgoing(c.Words[3]+int64(n.v.at[root]), n.v.counts[root], n.v.types[root]))
			n.args.In = n.args.Outs[root]
			return n, nil
		}
	}
	return given(c, n, own)
}

func planScatter(c *abi.Call) (*plan, error) {
	n, err := rooted(c, algorithm.Scatter, 7, 6)
	if err != nil {
		return nil, err
	}
	m, root := n.m, n.args.Root
	own := 0
	if isRootOf(m, root) {
		count, t, err := c.Counted(1)
		if err != nil {
			return nil, err
		}
		own = count * t.Extent()
		n.args.In = c.Outgoing(c.Words[0], count*m.Peers(), t)
		if c.Words[3] == standard.InPlace && !m.IsInter() {
			part := len(n.args.In) / m.Peers()
			n.args.Out = n.args.In[root*part:][:part]
			return n, nil
		}
	}
	return taken(c, n, 3, root*own)
}

func planScatterv(c *abi.Call) (*plan, error) {
	n, err := rooted(c, algorithm.ScatterV, 8, 7)
	if err != nil {
		return nil, err
	}
	m, root := n.m, n.args.Root
	own := 0
	if isRootOf(m, root) {
		if err := n.v.read(c, 1, 2, 3, m.Peers()); err != nil {
			return nil, err
		}
		own = ownAt(m, n.v.at)
		partsOut(c, n, c.Words[0])
		if c.Words[4] == standard.InPlace && !m.IsInter() {
			n.args.Out = n.args.Ins[root]
			return n, nil
		}
	}
	return taken(c, n, 4, own)
}

// given adds what a rank gives to the root, which has a place of its own among the results, so many bytes behind their
// beginning.
func given(c *abi.Call, n *plan, own int) (*plan, error) {
	if !gives(n.m, n.args.Root) {
		return n, nil
	}
	count, t, err := c.Counted(1)
	if err != nil {
		return nil, err
	}
	n.args.In = c.Outgoing(c.Words[0], count, t)
	if isRootOf(n.m, n.args.Root) && !n.m.IsInter() {
		err = distinctAt(c, 0, c.Words[3]+int64(own), len(n.args.In))
	}
	return n, err
}

// taken adds where a rank takes what the root has for it, from the word of the address on; own is as for given, among the
// data of the root.
func taken(c *abi.Call, n *plan, word, own int) (*plan, error) {
	if !gives(n.m, n.args.Root) {
		return n, nil
	}
	count, t, err := c.Counted(word + 1)
	if err != nil {
		return nil, err
	}
	n.args.Out = lands(c, n, c.Words[word], count, t)
	if isRootOf(n.m, n.args.Root) && !n.m.IsInter() {
		err = distinctAt(c, word, c.Words[0]+int64(own), len(n.args.Out))
	}
	return n, err
}
