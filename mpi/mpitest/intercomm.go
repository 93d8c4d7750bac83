package mpitest

import (
	"errors"
	"fmt"
	"slices"

	"musubi/mpi"
)

var groupChecks = group{"groups and communicators of them", []check{
	{name: "groups are calculated with", program: groupsAsValues},
	{name: "all ranks make communicators of groups", program: createAll},
	{name: "members make communicators alone", program: createAlone},
	{name: "wrong groups are refused", program: createWrong},
}}

var intercommChecks = group{"intercommunicators", []check{
	{name: "messages go to the other group", program: inBoth(crossMessages)},
	{name: "ranks of a group get what those of the other one give", program: inBoth(crossOperations)},
	{name: "roots give to the other group, and get from it", program: inBoth(crossRoots)},
	{name: "both groups become one", program: inBoth(crossMerge)},
	{name: "what is wrong is refused", program: inBoth(crossWrong)},
	{name: "groups that have a rank in common are refused", program: crossOverlap},
}}

func groupsAsValues(c *mpi.Comm) error {
	all := c.Group()
	some, err1 := all.Include(2, 0)
	rest, err2 := all.Exclude(0)
	there, err3 := some.Translate([]int{0, 1}, rest)
	_, twice := all.Include(1, 1)
	_, negative := mpi.GroupOf(-1)
	p := all.Processes()
	switch {
	case !errors.Is(twice, mpi.ErrRank) || !errors.Is(negative, mpi.ErrGroup):
		return fmt.Errorf("wrong groups: errors %v, %v", twice, negative)
	case all.Size() != c.Size() || all.RankOf(p[c.Rank()]) != c.Rank():
		return fmt.Errorf("the group of a communicator of %d has %d, and rank %d as %d", c.Size(), all.Size(), c.Rank(), all.RankOf(p[c.Rank()]))
	case some.Equal(rest) || !some.Union(rest).IsSimilar(all) || some.Union(rest).Equal(all):
		return fmt.Errorf("the union of %v and %v is %v", some.Processes(), rest.Processes(), some.Union(rest).Processes())
	}
	return first(err1, err2, err3, same("intersection", some.Intersection(rest).Processes(), p[2:3]), same("difference", some.Difference(rest).Processes(), p[:1]),
		same("ranks there", there, []int{1, -1}))
}

// createAll makes one communicator of the even ranks, backwards, and one of the odd ones, at once.
func createAll(c *mpi.Comm) error {
	var ranks []int
	for r := c.Rank() % 2; r < c.Size(); r += 2 {
		ranks = append([]int{r}, ranks...)
	}
	g, err := c.Group().Include(ranks...)
	if err != nil {
		return err
	}
	made, err := c.CommCreate(g)
	if err := first(err, usable(made, g)); err != nil {
		return err
	}
	if c.Rank() == 0 {
		g = mpi.Group{}
	} else {
		g, err = c.Group().Exclude(0)
	}
	made, failed := c.CommCreate(g)
	if c.Rank() == 0 {
		if made != nil || failed != nil {
			return fmt.Errorf("a rank outside the group got %v, %v", made, failed)
		}
		return nil
	}
	return first(err, failed, usable(made, g))
}

// createAlone makes a communicator that rank 0 knows nothing of.
func createAlone(c *mpi.Comm) error {
	g, err := c.Group().Exclude(0)
	if err != nil || c.Rank() == 0 {
		return err
	}
	made, err := c.CommCreateGroup(g, 7)
	return first(err, usable(made, g))
}

// usable adds up ones in a communicator of a group, and frees it.
func usable(c *mpi.Comm, g mpi.Group) error {
	if c == nil || !c.Group().Equal(g) {
		return fmt.Errorf("the communicator of %v is %v", g.Processes(), c.Group().Processes())
	}
	sum, err := mpi.AllReduceValue(c, 1, mpi.Sum)
	return first(err, same("members", []int{sum}, []int{g.Size()}), c.Free())
}

func createWrong(c *mpi.Comm) error {
	outside, err := mpi.GroupOf(1_000_000)
	if err != nil {
		return err
	}
	made, failed := c.CommCreate(outside)
	if made != nil || !errors.Is(failed, mpi.ErrGroup) {
		return fmt.Errorf("a group of other processes: %v, error %v; expected ErrGroup", made, failed)
	}
	if _, failed := c.CommCreateGroup(mpi.Group{}, 0); !errors.Is(failed, mpi.ErrGroup) {
		return fmt.Errorf("a group without this rank: error %v; expected ErrGroup", failed)
	}
	return nil
}

// inBoth does a check in both groups of an intercommunicator: the first rank, and all others.
func inBoth(check func(c *mpi.Comm, x *mpi.Intercomm) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		side := min(c.Rank(), 1)
		part, err := c.Split(side, -c.Rank()) // the last rank leads
		if err != nil {
			return err
		}
		remoteLeader := []int{c.Size() - 1, 0}[side]
		x, err := mpi.NewIntercomm(part, 0, c, remoteLeader, 5)
		if err != nil {
			return err
		}
		if x.Size() != part.Size() || x.Rank() != part.Rank() || x.RemoteSize() != c.Size()-part.Size() {
			return fmt.Errorf("rank %d of %d, and %d others; expected %d of %d", x.Rank(), x.Size(), x.RemoteSize(), part.Rank(), part.Size())
		}
		return first(check(c, x), x.Free(), part.Free())
	}
}

func crossMessages(c *mpi.Comm, x *mpi.Intercomm) error {
	for _, n := range []int{short, large} {
		if err := x.Barrier(); err != nil { // else messages of the next round may come before others of this one
			return err
		}
		if c.Rank() > 0 {
			if err := mpi.Send(x.Remote(), 0, x.Rank(), text(n, x.Rank())); err != nil {
				return err
			}
			into := make([]byte, n)
			_, err := mpi.Receive(x.Remote(), mpi.AnySource, mpi.AnyTag, into)
			if err := first(err, same("what came back", into, text(n, 100+x.Rank()))); err != nil {
				return err
			}
			continue
		}
		for range x.RemoteSize() {
			into := make([]byte, n)
			status, err := mpi.Receive(x.Remote(), mpi.AnySource, mpi.AnyTag, into)
			if err := first(err, same("sender and tag", []int{status.From, status.Tag}, []int{status.Tag, status.Tag}), same("what came", into, text(n, status.From)),
				mpi.Send(x.Remote(), status.From, 1, text(n, 100+status.From))); err != nil {
				return err
			}
		}
	}
	return nil
}

// mark is what a rank of a side gives.
func mark(side, rank int) int { return 100*(side+1) + rank }

// sides returns the side of this rank, and what all ranks of the other one give.
func sides(c *mpi.Comm, x *mpi.Intercomm) (side int, theirs []int) {
	side = min(c.Rank(), 1)
	for r := range x.RemoteSize() {
		theirs = append(theirs, mark(1-side, r))
	}
	return side, theirs
}

func crossOperations(c *mpi.Comm, x *mpi.Intercomm) error {
	side, theirs := sides(c, x)
	mine, all, sum := []int{mark(side, x.Rank())}, make([]int, x.RemoteSize()), []int{0}
	if err := first(x.Barrier(), mpi.AllGatherAcross(x, mine, all), mpi.AllReduceAcross(x, mine, sum, mpi.Sum[int]())); err != nil {
		return err
	}
	want := 0
	for _, m := range theirs {
		want += m
	}
	each := make([]int, x.RemoteSize())
	for r := range each {
		each[r] = 1000*mine[0] + r
	}
	got := make([]int, x.RemoteSize())
	err := mpi.AllToAllAcross(x, each, got)
	for r := range theirs {
		theirs[r] = 1000*theirs[r] + x.Rank()
	}
	for r := range all {
		if all[r] != mark(1-side, r) {
			return fmt.Errorf("gathered %v", all)
		}
	}
	return first(err, same("the sum", sum, []int{want}), same("from each", got, theirs))
}

// crossRoots: the first rank of all is the root, which is alone in its group; then the last rank of the others.
func crossRoots(c *mpi.Comm, x *mpi.Intercomm) error {
	for rootSide, root := range []int{0, c.Size() - 2} {
		side, theirs := sides(c, x)
		at := root
		if side == rootSide {
			if at = mpi.None; x.Rank() == root {
				at = mpi.ThisRank
			}
		}
		n := x.RemoteSize()
		data, scattered, in := []int{0}, []int{0}, []int{mark(side, x.Rank())}
		out, sum, parts := []int(nil), []int(nil), []int(nil)
		if at == mpi.ThisRank {
			data[0], out, sum, parts = 42, make([]int, n), []int{0}, make([]int, n)
			for r := range parts {
				parts[r] = 7 * r
			}
		}
		if err := first(mpi.BroadcastAcross(x, at, data), mpi.GatherAcross(x, at, in, out), mpi.ScatterAcross(x, at, parts, scattered), mpi.ReduceAcross(x, at, in, sum, mpi.Max[int]())); err != nil {
			return err
		}
		var err error
		switch {
		case at == mpi.ThisRank:
			err = first(same("gathered", out, theirs), same("the largest", sum, []int{slices.Max(theirs)}))
		case at >= 0:
			err = first(same("broadcast", data, []int{42}), same("scattered", scattered, []int{7 * x.Rank()}))
		default:
			err = same("what others leave alone", data, []int{0})
		}
		if err := first(err, x.Barrier()); err != nil {
			return err
		}
	}
	return nil
}

func crossMerge(c *mpi.Comm, x *mpi.Intercomm) error {
	made, err := x.Merge(c.Rank() == 0)
	if err != nil {
		return err
	}
	order := x.RemoteGroup().Union(x.Group())
	if c.Rank() > 0 {
		order = x.Group().Union(x.RemoteGroup())
	}
	return usable(made, order)
}

func crossWrong(c *mpi.Comm, x *mpi.Intercomm) error {
	_, dup := x.Remote().Dup()
	for what, test := range map[string]struct{ err, class error }{
		"a root that does not exist":     {mpi.BroadcastAcross(x, x.RemoteSize(), []int{0}), mpi.ErrRoot},
		"a barrier of the other group":   {mpi.Barrier(x.Remote()), mpi.ErrComm},
		"a duplicate of the other group": {dup, mpi.ErrComm},
		"the other group freed":          {x.Remote().Free(), mpi.ErrComm},
		"elements with pointers":         {mpi.BroadcastAcross(x, 0, []*int{nil}), mpi.ErrType},
		"an odd number of elements":      {mpi.AllReduceAcross(x, []int{0}, nil, mpi.Sum[int]()), mpi.ErrCount},
		"no intercommunicator":           {mpi.BroadcastAcross(nil, 0, []int{0}), mpi.ErrComm},
	} {
		if !errors.Is(test.err, test.class) {
			return fmt.Errorf("%s: error %v; expected %v", what, test.err, test.class)
		}
	}
	return x.Barrier()
}

func crossOverlap(c *mpi.Comm) error {
	d, err := c.Dup()
	if err != nil {
		return err
	}
	if _, failed := mpi.NewIntercomm(d, 0, c, 0, 1); !errors.Is(failed, mpi.ErrGroup) {
		return fmt.Errorf("error %v; expected ErrGroup", failed)
	}
	return d.Free()
}
