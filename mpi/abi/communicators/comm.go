package communicators

import (
	"musubi/mpi/abi"
	"musubi/mpi/abi/attribute"
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/window"
)

var names = abi.Naming{
	Of: func(c *abi.Call, word int) (*string, error) {
		m, err := c.Comm(word)
		if err != nil {
			return nil, err
		}
		return &m.Name, nil
	},
	Null: standard.CommNull, NullName: "MPI_COMM_NULL",
}

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_Comm_rank": func(c *abi.Call) error {
			m, err := c.Comm(0)
			if err == nil {
				c.PutInt(c.Words[1], m.Inner.Rank())
			}
			return err
		},
		"MPI_Comm_size": func(c *abi.Call) error {
			m, err := c.Comm(0)
			if err == nil {
				c.PutInt(c.Words[1], m.Inner.Size())
			}
			return err
		},
		"MPI_Comm_remote_size": func(c *abi.Call) error {
			m, err := c.Inter(0)
			if err == nil {
				c.PutInt(c.Words[1], len(m.Remote))
			}
			return err
		},
		"MPI_Comm_test_inter": func(c *abi.Call) error {
			m, err := c.Comm(0)
			if err == nil {
				c.PutBool(c.Words[1], m.IsInter())
			}
			return err
		},
		"MPI_Comm_dup":           func(c *abi.Call) error { return dup(c, 1, 0) },
		"MPI_Comm_dup_with_info": func(c *abi.Call) error { return dup(c, 2, 1) },
		"MPI_Comm_idup":          func(c *abi.Call) error { return idup(c, 1, 2, 0) },
		"MPI_Comm_idup_with_info": func(c *abi.Call) error {
			return idup(c, 2, 3, 1)
		},
		"MPI_Comm_split":                   split,
		"MPI_Comm_split_type":              splitType,
		"MPI_Comm_create":                  commCreate,
		"MPI_Comm_create_group":            commCreateGroup,
		"MPI_Comm_create_from_group":       commCreateFromGroup,
		"MPI_Comm_free":                    commFree,
		"MPI_Comm_disconnect":              commFree,
		"MPI_Comm_compare":                 commCompare,
		"MPI_Comm_group":                   commGroup,
		"MPI_Comm_remote_group":            commRemoteGroup,
		"MPI_Comm_set_name":                names.Set,
		"MPI_Comm_get_name":                names.Get,
		"MPI_Intercomm_create":             intercommCreate,
		"MPI_Intercomm_create_from_groups": intercommFromGroups,
		"MPI_Intercomm_merge":              intercommMerge,
		"MPI_Comm_get_info":                commGetInfo,
		"MPI_Comm_set_info":                commSetInfo,
		"MPI_Comm_get_parent":              func(c *abi.Call) error { c.PutWord(c.Words[0], standard.CommNull); return nil },
	})
}

func dup(c *abi.Call, result, info int) error {
	m, err := c.Comm(0)
	if err != nil {
		return err
	}
	n, err := duplicate(c, m, info)
	if err == nil {
		c.PutWord(c.Words[result], n.Handle)
	}
	return err
}

// duplicate makes a duplicate, of which nothing is left if a function of the program for its attributes fails.
func duplicate(c *abi.Call, m *abi.Comm, info int) (*abi.Comm, error) {
	n, err := dupRanks(c, m)
	if err != nil {
		return nil, err
	}
	if err := inherit(c, m, n, info); err != nil {
		attribute.DeleteAttributes(c, &n.Attributes, n.Handle) // the first error counts
		c.DropComm(n)
		return nil, err
	}
	return n, nil
}

// dupRanks duplicates the ranks of a communicator.
func dupRanks(c *abi.Call, m *abi.Comm) (*abi.Comm, error) {
	if m.IsInter() {
		return dupInter(c, m)
	}
	d, err := m.Inner.Dup(c.Function.Name)
	if err != nil {
		return nil, err
	}
	return c.NewComm(d, m), nil
}

// inherit gives a duplicate what it has from a communicator, beside the ranks.
func inherit(c *abi.Call, m, n *abi.Comm, info int) error {
	hints := m.Info
	if info > 0 {
		hints = c.Infos.Get(c.Words[info])
	}
	n.Topology, n.Info = m.Topology, hints.Clone() // the program may change either
	return attribute.CopyAttributes(c, &m.Attributes, &n.Attributes, m.Handle)
}

// dupInter duplicates an intercommunicator: rank 0 of each group are the leaders.
func dupInter(c *abi.Call, m *abi.Comm) (*abi.Comm, error) {
	peer := c.World
	own, bridge, remote, err := m.Inner.Bridge(c.Function.Name, 0, peer, int(m.Remote[0]), int(m.Point.Point))
	if err != nil {
		return nil, err
	}
	n := c.NewComm(own, m)
	n.Point, n.Remote = bridge, remote
	return n, nil
}

// idup begins to duplicate a communicator. The handle is there at once, the communicator when the
// request is complete.
func idup(c *abi.Call, result, request, info int) error {
	m, err := c.Comm(0)
	if err != nil {
		return err
	}
	var across *core.Comm
	if m.IsInter() {
		across = m.Point
	}
	whole, made, err := m.Inner.IDup(c.Function.Name, across)
	if err != nil {
		return err
	}
	n := c.NewComm(nil, m)
	n.Made, n.Remote = made, m.Remote
	if err := inherit(c, m, n, info); err != nil {
		return err
	}
	r := c.NewRequest(m)
	r.Core = whole
	c.PutWord(c.Words[result], n.Handle)
	c.PutWord(c.Words[request], c.Requests.Add(r))
	return nil
}

func split(c *abi.Call) error {
	m, err := c.Comm(0)
	if err != nil {
		return err
	}
	color, key := c.At(1), c.At(2)
	if color < 0 && color != standard.Undefined {
		return abi.Wrong(standard.ErrArg, "color %d; expected at least 0, or MPI_UNDEFINED", color)
	}
	if m.IsInter() {
		return splitInter(c, m, color, key, 3)
	}
	return putSplit(c, m, color, key, 3)
}

func putSplit(c *abi.Call, m *abi.Comm, color, key, result int) error {
	s, err := m.Inner.Split(c.Function.Name, color, key)
	if err != nil {
		return err
	}
	if s == nil {
		c.PutWord(c.Words[result], standard.CommNull)
		return nil
	}
	c.PutWord(c.Words[result], c.NewComm(s, m).Handle)
	return nil
}

// splitType splits by what ranks share. All of a live job on one host share memory; on simulated
// machines ranks share nothing but their host. Musubi knows no other resource.
func splitType(c *abi.Call) error {
	m, err := c.Comm(0)
	if err != nil {
		return err
	}
	if c.Words[4] == 0 {
		return c.WithoutResult()
	}
	color := window.Host(m.Inner)
	if m.IsInter() {
		color = window.Host(c.World) // both groups have the same number
	}
	switch c.At(1) {
	case standard.CommTypeShared:
	case standard.CommTypeHwGuided, standard.CommTypeResourceGuided:
		if resource, _ := c.Infos.Get(c.Words[3]).Get("mpi_hw_resource_type"); resource != abi.MemoryOfHost {
			color = standard.Undefined
		}
	case standard.CommTypeHwUnguided, standard.Undefined:
		color = standard.Undefined
	default:
		return abi.Wrong(standard.ErrArg, "split type %d", c.At(1))
	}
	if m.IsInter() {
		return splitInter(c, m, color, c.At(2), 4)
	}
	return putSplit(c, m, color, c.At(2), 4)
}

func commCreate(c *abi.Call) error {
	m, err := c.Comm(0)
	if err != nil {
		return err
	}
	g, err := c.Group(1)
	if err != nil {
		return err
	}
	if m.IsInter() {
		return createInter(c, m, g)
	}
	return create(c, m, g, 2, 1<<20+int(m.Inner.Point)%(1<<20))
}

func commCreateGroup(c *abi.Call) error {
	m, err := c.Intra(0)
	if err != nil {
		return err
	}
	g, err := c.Group(1)
	if err != nil {
		return err
	}
	if c.At(2) < 0 {
		return abi.Wrong(standard.ErrTag, "tag %d; expected at least 0", c.At(2))
	}
	return create(c, m, g, 3, 1<<21+c.At(2)%(1<<21))
}

func commCreateFromGroup(c *abi.Call) error {
	g, err := c.Group(0)
	if err != nil {
		return err
	}
	c.On = &abi.Handled{Errhandler: c.Words[3]}
	if len(g.Processes) == 0 {
		c.PutWord(c.Words[4], standard.CommNull)
		return nil
	}
	n, err := fromGroup(c, g, textTag(c, 1))
	if err != nil {
		return err
	}
	c.PutWord(c.Words[4], newOrphan(c.Process, n, c.Words[3]).Handle)
	return nil
}

// textTag returns a tag for the text by which programs tell groups apart that they make at once.
func textTag(c *abi.Call, word int) int {
	sum := 0
	for _, b := range []byte(c.Text(c.Words[word])) {
		sum = sum*31 + int(b)
	}
	return (sum & 0x7fffffff) % (1 << 22)
}

// fromGroup makes a communicator of a group, without one that its processes have in common.
func fromGroup(c *abi.Call, g *abi.Group, tag int) (*collective.Comm, error) {
	if err := c.JoinWorld(); err != nil {
		return nil, err
	}
	ranks := make([]int, len(g.Processes))
	for i, process := range g.Processes {
		ranks[i] = int(process)
	}
	return c.World.Create(c.Function.Name, ranks, 1<<22+tag)
}

// newOrphan makes a communicator that has its error handler from no other.
func newOrphan(p *abi.Process, c *collective.Comm, errhandler int64) *abi.Comm {
	m := p.NewComm(c, nil)
	m.Errhandler = errhandler
	p.UseErrhandler(errhandler)
	return m
}

// intercommFromGroups makes an intercommunicator of two groups. Their leaders meet in the
// communicator of all processes.
func intercommFromGroups(c *abi.Call) error {
	local, err := c.Group(0)
	if err != nil {
		return err
	}
	remote, err := c.Group(2)
	if err != nil {
		return err
	}
	leader, theirs := c.At(1), c.At(3)
	c.On = &abi.Handled{Errhandler: c.Words[6]}
	if leader < 0 || leader >= len(local.Processes) {
		return abi.Wrong(standard.ErrRank, "local leader %d in a group of %d", leader, len(local.Processes))
	}
	there := -1 // only the leader has to know the other group
	if local.RankOf(int32(c.Engine.Rank)) == leader {
		if theirs < 0 || theirs >= len(remote.Processes) {
			return abi.Wrong(standard.ErrRank, "remote leader %d in a group of %d", theirs, len(remote.Processes))
		}
		there = int(remote.Processes[theirs])
	}
	tag := textTag(c, 4)
	group, err := fromGroup(c, local, tag)
	if err != nil {
		return err
	}
	own, bridge, members, err := group.Bridge(c.Function.Name, leader, c.World, there, 1<<26+tag)
	if err != nil {
		return err
	}
	if err := group.Free(c.Function.Name); err != nil {
		return err
	}
	n := newOrphan(c.Process, own, c.Words[6])
	n.Point, n.Remote = bridge, members
	c.PutWord(c.Words[7], n.Handle)
	return nil
}

// create makes a communicator of a group, which all its members do.
func create(c *abi.Call, m *abi.Comm, g *abi.Group, result, tag int) error {
	ranks := make([]int, len(g.Processes))
	member := false
	for i, process := range g.Processes {
		ranks[i] = m.Inner.RankOf(process)
		if ranks[i] < 0 {
			return abi.Wrong(standard.ErrGroup, "a group with a process that the communicator does not have")
		}
		member = member || int(process) == c.Engine.Rank
	}
	if !member {
		c.PutWord(c.Words[result], standard.CommNull)
		return nil
	}
	n, err := m.Inner.Create(c.Function.Name, ranks, tag)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[result], c.NewComm(n, m).Handle)
	return nil
}

func commFree(c *abi.Call) error {
	m := c.CommAt(c.Word(c.Words[0]))
	if m == nil {
		return abi.Wrong(standard.ErrComm, "%#x is no communicator", c.Word(c.Words[0]))
	}
	c.On = &m.Handled
	if m.Fixed {
		return abi.Wrong(standard.ErrComm, "a communicator of the standard; expected one that the program has made")
	}
	if err := attribute.DeleteAttributes(c, &m.Attributes, m.Handle); err != nil {
		return err
	}
	c.PutWord(c.Words[0], standard.CommNull)
	c.DropComm(m)
	return nil
}

func commCompare(c *abi.Call) error {
	a, err := c.Comm(0)
	if err != nil {
		return err
	}
	b, err := c.Comm(1)
	if err != nil {
		return err
	}
	result := compareProcesses(a.Processes(), b.Processes())
	if a.IsInter() != b.IsInter() {
		result = standard.Unequal
	} else if a.IsInter() {
		result = max(result, compareProcesses(a.Remote, b.Remote))
	}
	if result == standard.Ident && a != b {
		result = standard.Congruent
	}
	c.PutInt(c.Words[2], result)
	return nil
}

func commGroup(c *abi.Call) error {
	m, err := c.Comm(0)
	if err == nil {
		c.PutWord(c.Words[1], c.NewGroup(m.Processes()))
	}
	return err
}

func commRemoteGroup(c *abi.Call) error {
	m, err := c.Inter(0)
	if err == nil {
		c.PutWord(c.Words[1], c.NewGroup(m.Remote))
	}
	return err
}

func commGetInfo(c *abi.Call) error {
	m, err := c.Comm(0)
	if err == nil {
		c.PutWord(c.Words[1], c.Infos.Add(m.Info.Clone()))
	}
	return err
}

func commSetInfo(c *abi.Call) error {
	m, err := c.Comm(0)
	if err == nil {
		if m.Info == nil {
			m.Info = new(abi.Info)
		}
		m.Info.Merge(c.Infos.Get(c.Words[1]))
	}
	return err
}

func intercommCreate(c *abi.Call) error {
	local, err := c.Intra(0)
	if err != nil {
		return err
	}
	if c.Words[5] == 0 {
		return c.WithoutResult()
	}
	leader := c.At(1)
	if leader < 0 || leader >= local.Inner.Size() {
		return abi.Wrong(standard.ErrRank, "local leader %d; expected a rank of the communicator", leader)
	}
	var peer *collective.Comm
	if local.Inner.Rank() == leader {
		m, err := c.Intra(2)
		if err != nil {
			return err
		}
		if r := c.At(3); r < 0 || r >= m.Inner.Size() {
			return abi.Wrong(standard.ErrRank, "remote leader %d; expected a rank of the peer communicator", r)
		}
		peer = m.Inner
	}
	own, bridge, remote, err := local.Inner.Bridge(c.Function.Name, leader, peer, c.At(3), 1<<23+c.At(4)%(1<<23))
	if err != nil {
		return err
	}
	n := c.NewComm(own, local)
	n.Point, n.Remote = bridge, remote
	c.PutWord(c.Words[5], n.Handle)
	return nil
}

func intercommMerge(c *abi.Call) error {
	m, err := c.Inter(0)
	if err != nil {
		return err
	}
	n, err := m.Between().Merge(c.Function.Name, c.At(1) != 0)
	if err != nil {
		return err
	}
	c.PutWord(c.Words[2], c.NewComm(n, m).Handle)
	return nil
}
