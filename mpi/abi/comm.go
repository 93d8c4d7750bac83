package abi

import (
	"musubi/mpi/abi/standard"
	"musubi/mpi/internal/collective"
	"musubi/mpi/internal/core"
	"musubi/mpi/internal/window"
)

// comm is a communicator of the program.
type comm struct {
	handled
	c      *collective.Comm // of the local group
	point  *core.Comm       // for messages between two ranks
	remote []int32          // processes of the remote group; nil: it is an intracommunicator

	made *collective.Duplicate // by MPI_Comm_idup, while c is nil

	name       string
	attributes attributes
	topology   *topology
	buffer     *attachedBuffers
	info       *info
	fixed      bool // the program cannot free it
}

func (c *comm) isInter() bool { return c.remote != nil }

// processes returns the processes of the local group.
func (c *comm) processes() []int32 {
	all := make([]int32, c.c.Size())
	for rank := range all {
		all[rank] = c.c.Process(rank)
	}
	return all
}

// peers returns how many ranks messages can go to.
func (c *comm) peers() int { return c.point.Size() }

// is sets what a communicator is in package collective.
func (c *comm) is(x *collective.Comm) { c.c, c.point = x, &x.Comm }

// newComm makes a communicator of one of package collective; nil: there is none yet.
func (p *Process) newComm(c *collective.Comm, from *comm) *comm {
	n := &comm{}
	if c != nil {
		n.is(c)
	}
	n.errhandler = standard.ErrorsAreFatal
	if from != nil {
		n.errhandler = from.errhandler
		p.useErrhandler(n.errhandler)
	}
	n.handle = p.comms.Add(n)
	return n
}

func (p *Process) commAt(h int64) *comm {
	switch h {
	case standard.CommWorld:
		return p.worldComm
	case standard.CommSelf:
		return p.selfComm
	}
	m := p.comms.Get(h)
	if m != nil && m.c == nil {
		x := m.made.Comm()
		if x == nil {
			return nil // it is being made
		}
		m.is(x)
		if m.made = nil; m.isInter() {
			m.point = x.Across(m.remote)
		}
	}
	return m
}

// comm returns the communicator that a word names. Errors of the call are its errors.
func (c *call) comm(i int) (*comm, error) {
	m := c.commAt(c.a[i])
	if m == nil {
		if c.a[i] == standard.CommNull {
			return nil, wrong(standard.ErrComm, "MPI_COMM_NULL; expected a communicator")
		}
		if c.comms.Get(c.a[i]) != nil {
			return nil, wrong(standard.ErrComm, "a communicator whose MPI_Comm_idup is not complete")
		}
		return nil, wrong(standard.ErrComm, "%#x is no communicator", c.a[i])
	}
	c.on = &m.handled
	return m, nil
}

// intra is comm that refuses intercommunicators.
func (c *call) intra(i int) (*comm, error) {
	m, err := c.comm(i)
	if err == nil && m.isInter() {
		return nil, wrong(standard.ErrComm, "an intercommunicator; expected an intracommunicator")
	}
	return m, err
}

func init() {
	add(map[string]func(c *call) error{
		"MPI_Comm_rank": func(c *call) error {
			m, err := c.comm(0)
			if err == nil {
				c.putInt(c.a[1], m.c.Rank())
			}
			return err
		},
		"MPI_Comm_size": func(c *call) error {
			m, err := c.comm(0)
			if err == nil {
				c.putInt(c.a[1], m.c.Size())
			}
			return err
		},
		"MPI_Comm_remote_size": func(c *call) error {
			m, err := c.inter(0)
			if err == nil {
				c.putInt(c.a[1], len(m.remote))
			}
			return err
		},
		"MPI_Comm_test_inter": func(c *call) error {
			m, err := c.comm(0)
			if err == nil {
				c.putBool(c.a[1], m.isInter())
			}
			return err
		},
		"MPI_Comm_dup":           func(c *call) error { return c.dup(1, 0) },
		"MPI_Comm_dup_with_info": func(c *call) error { return c.dup(2, 1) },
		"MPI_Comm_idup":          func(c *call) error { return c.idup(1, 2, 0) },
		"MPI_Comm_idup_with_info": func(c *call) error {
			return c.idup(2, 3, 1)
		},
		"MPI_Comm_split":                   (*call).split,
		"MPI_Comm_split_type":              (*call).splitType,
		"MPI_Comm_create":                  (*call).commCreate,
		"MPI_Comm_create_group":            (*call).commCreateGroup,
		"MPI_Comm_create_from_group":       (*call).commCreateFromGroup,
		"MPI_Comm_free":                    (*call).commFree,
		"MPI_Comm_disconnect":              (*call).commFree,
		"MPI_Comm_compare":                 (*call).commCompare,
		"MPI_Comm_group":                   (*call).commGroup,
		"MPI_Comm_remote_group":            (*call).commRemoteGroup,
		"MPI_Comm_set_name":                (*call).commSetName,
		"MPI_Comm_get_name":                (*call).commGetName,
		"MPI_Intercomm_create":             (*call).intercommCreate,
		"MPI_Intercomm_create_from_groups": (*call).intercommFromGroups,
		"MPI_Intercomm_merge":              (*call).intercommMerge,
		"MPI_Comm_get_info":                (*call).commGetInfo,
		"MPI_Comm_set_info":                (*call).commSetInfo,
		"MPI_Comm_get_parent":              func(c *call) error { c.putWord(c.a[0], standard.CommNull); return nil },
	})
}

func (c *call) inter(i int) (*comm, error) {
	m, err := c.comm(i)
	if err == nil && !m.isInter() {
		return nil, wrong(standard.ErrComm, "an intracommunicator; expected an intercommunicator")
	}
	return m, err
}

func (c *call) dup(result, info int) error {
	m, err := c.comm(0)
	if err != nil {
		return err
	}
	n, err := c.duplicate(m, info)
	if err == nil {
		c.putWord(c.a[result], n.handle)
	}
	return err
}

func (c *call) duplicate(m *comm, info int) (*comm, error) {
	if m.isInter() {
		n, err := c.dupInter(m)
		if err != nil {
			return nil, err
		}
		return n, c.inherit(m, n, info)
	}
	d, err := m.c.Dup(c.function.name)
	if err != nil {
		return nil, err
	}
	n := c.newComm(d, m)
	return n, c.inherit(m, n, info)
}

// inherit gives a duplicate what it has from a communicator, beside the ranks.
func (c *call) inherit(m, n *comm, info int) error {
	n.topology, n.info = m.topology, m.info
	if info > 0 {
		n.info = c.infos.Get(c.a[info])
	}
	return c.copyAttributes(&m.attributes, &n.attributes, m.handle)
}

// dupInter duplicates an intercommunicator: rank 0 of each group are the leaders.
func (c *call) dupInter(m *comm) (*comm, error) {
	peer := c.world
	own, bridge, remote, err := m.c.Bridge(c.function.name, 0, peer, int(m.remote[0]), int(m.point.Point))
	if err != nil {
		return nil, err
	}
	n := c.newComm(own, m)
	n.point, n.remote = bridge, remote
	return n, nil
}

// idup begins to duplicate a communicator. The handle is there at once, the communicator when the
// request is complete.
func (c *call) idup(result, request, info int) error {
	m, err := c.comm(0)
	if err != nil {
		return err
	}
	var across *core.Comm
	if m.isInter() {
		across = m.point
	}
	whole, made, err := m.c.IDup(c.function.name, across)
	if err != nil {
		return err
	}
	n := c.newComm(nil, m)
	n.made, n.remote = made, m.remote
	if err := c.inherit(m, n, info); err != nil {
		return err
	}
	r := c.newRequest(m)
	r.core = whole
	c.putWord(c.a[result], n.handle)
	c.putWord(c.a[request], c.requests.Add(r))
	return nil
}

func (c *call) split() error {
	m, err := c.comm(0)
	if err != nil {
		return err
	}
	color, key := c.at(1), c.at(2)
	if color < 0 && color != standard.Undefined {
		return wrong(standard.ErrArg, "color %d; expected at least 0, or MPI_UNDEFINED", color)
	}
	if m.isInter() {
		return c.splitInter(m, color, key)
	}
	return c.putSplit(m, color, key, 3)
}

func (c *call) putSplit(m *comm, color, key, result int) error {
	s, err := m.c.Split(c.function.name, color, key)
	if err != nil {
		return err
	}
	if s == nil {
		c.putWord(c.a[result], standard.CommNull)
		return nil
	}
	c.putWord(c.a[result], c.newComm(s, m).handle)
	return nil
}

// splitType splits by what ranks share. All of a live job on one host share memory; on simulated
// machines ranks share nothing but their host.
func (c *call) splitType() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	if c.a[4] == 0 {
		return c.withoutResult()
	}
	color := window.Host(m.c)
	switch c.at(1) {
	case standard.CommTypeShared:
	case standard.CommTypeHwGuided, standard.CommTypeHwUnguided, standard.CommTypeResourceGuided, standard.Undefined:
		color = standard.Undefined
	default:
		return wrong(standard.ErrArg, "split type %d", c.at(1))
	}
	return c.putSplit(m, color, c.at(2), 4)
}

func (c *call) commCreate() error {
	m, err := c.comm(0)
	if err != nil {
		return err
	}
	g, err := c.group(1)
	if err != nil {
		return err
	}
	if m.isInter() {
		return c.createInter(m, g)
	}
	return c.create(m, g, 2, 1<<20+int(m.c.Point)%(1<<20))
}

func (c *call) commCreateGroup() error {
	m, err := c.intra(0)
	if err != nil {
		return err
	}
	g, err := c.group(1)
	if err != nil {
		return err
	}
	if c.at(2) < 0 {
		return wrong(standard.ErrTag, "tag %d; expected at least 0", c.at(2))
	}
	return c.create(m, g, 3, 1<<21+c.at(2)%(1<<21))
}

func (c *call) commCreateFromGroup() error {
	g, err := c.group(0)
	if err != nil {
		return err
	}
	c.on = &handled{errhandler: c.a[3]}
	if len(g.processes) == 0 {
		c.putWord(c.a[4], standard.CommNull)
		return nil
	}
	n, err := c.fromGroup(g, c.textTag(1))
	if err != nil {
		return err
	}
	c.putWord(c.a[4], c.newOrphan(n, c.a[3]).handle)
	return nil
}

// textTag returns a tag for the text by which programs tell groups apart that they make at once.
func (c *call) textTag(word int) int {
	sum := 0
	for _, b := range []byte(c.text(c.a[word])) {
		sum = sum*31 + int(b)
	}
	return (sum & 0x7fffffff) % (1 << 22)
}

// fromGroup makes a communicator of a group, without one that its processes have in common.
func (c *call) fromGroup(g *group, tag int) (*collective.Comm, error) {
	if err := c.joinWorld(); err != nil {
		return nil, err
	}
	ranks := make([]int, len(g.processes))
	for i, process := range g.processes {
		ranks[i] = int(process)
	}
	return c.world.Create(c.function.name, ranks, 1<<22+tag)
}

// newOrphan makes a communicator that has its error handler from no other.
func (p *Process) newOrphan(c *collective.Comm, errhandler int64) *comm {
	m := p.newComm(c, nil)
	m.errhandler = errhandler
	p.useErrhandler(errhandler)
	return m
}

// intercommFromGroups makes an intercommunicator of two groups. Their leaders meet in the
// communicator of all processes.
func (c *call) intercommFromGroups() error {
	local, err := c.group(0)
	if err != nil {
		return err
	}
	remote, err := c.group(2)
	if err != nil {
		return err
	}
	leader, theirs := c.at(1), c.at(3)
	c.on = &handled{errhandler: c.a[6]}
	if leader < 0 || leader >= len(local.processes) {
		return wrong(standard.ErrRank, "local leader %d in a group of %d", leader, len(local.processes))
	}
	there := -1 // only the leader has to know the other group
	if local.rankOf(int32(c.engine.Rank)) == leader {
		if theirs < 0 || theirs >= len(remote.processes) {
			return wrong(standard.ErrRank, "remote leader %d in a group of %d", theirs, len(remote.processes))
		}
		there = int(remote.processes[theirs])
	}
	tag := c.textTag(4)
	group, err := c.fromGroup(local, tag)
	if err != nil {
		return err
	}
	own, bridge, members, err := group.Bridge(c.function.name, leader, c.world, there, 1<<26+tag)
	if err != nil {
		return err
	}
	if err := group.Free(c.function.name); err != nil {
		return err
	}
	n := c.newOrphan(own, c.a[6])
	n.point, n.remote = bridge, members
	c.putWord(c.a[7], n.handle)
	return nil
}

// create makes a communicator of a group, which all its members do.
func (c *call) create(m *comm, g *group, result, tag int) error {
	ranks := make([]int, len(g.processes))
	member := false
	for i, process := range g.processes {
		ranks[i] = m.c.RankOf(process)
		if ranks[i] < 0 {
			return wrong(standard.ErrGroup, "a group with a process that the communicator does not have")
		}
		member = member || int(process) == c.engine.Rank
	}
	if !member {
		c.putWord(c.a[result], standard.CommNull)
		return nil
	}
	n, err := m.c.Create(c.function.name, ranks, tag)
	if err != nil {
		return err
	}
	c.putWord(c.a[result], c.newComm(n, m).handle)
	return nil
}

func (c *call) commFree() error {
	m := c.commAt(c.word(c.a[0]))
	if m == nil {
		return wrong(standard.ErrComm, "%#x is no communicator", c.word(c.a[0]))
	}
	c.on = &m.handled
	if m.fixed {
		return wrong(standard.ErrComm, "a communicator of the standard; expected one that the program has made")
	}
	if err := c.deleteAttributes(&m.attributes, m.handle); err != nil {
		return err
	}
	c.putWord(c.a[0], standard.CommNull)
	c.dropComm(m)
	return nil
}

// dropComm frees a communicator if nothing is under way there. What is, as MPI allows, keeps its
// number until the end.
func (p *Process) dropComm(m *comm) {
	p.comms.Remove(m.handle)
	p.unuseErrhandler(m.errhandler)
	if len(p.engine.Pending(&m.c.Comm)) == 0 && len(p.engine.NotReceived(&m.c.Comm)) == 0 {
		m.c.Free("MPI_Comm_free") // its error would be one of what is under way
	}
}

func (c *call) commCompare() error {
	a, err := c.comm(0)
	if err != nil {
		return err
	}
	b, err := c.comm(1)
	if err != nil {
		return err
	}
	result := compareProcesses(a.processes(), b.processes())
	if a.isInter() != b.isInter() {
		result = standard.Unequal
	} else if a.isInter() {
		result = max(result, compareProcesses(a.remote, b.remote))
	}
	if result == standard.Ident && a != b {
		result = standard.Congruent
	}
	c.putInt(c.a[2], result)
	return nil
}

func (c *call) commGroup() error {
	m, err := c.comm(0)
	if err == nil {
		c.putWord(c.a[1], c.newGroup(m.processes()))
	}
	return err
}

func (c *call) commRemoteGroup() error {
	m, err := c.inter(0)
	if err == nil {
		c.putWord(c.a[1], c.newGroup(m.remote))
	}
	return err
}

func (c *call) commSetName() error {
	m, err := c.comm(0)
	if err == nil {
		m.name = c.text(c.a[1])
		m.name = m.name[:min(len(m.name), standard.MaxObjectName-1)]
	}
	return err
}

func (c *call) commGetName() error {
	name := "MPI_COMM_NULL"
	if c.a[0] != standard.CommNull {
		m, err := c.comm(0)
		if err != nil {
			return err
		}
		name = m.name
	}
	c.putInt(c.a[2], c.putText(c.a[1], name, standard.MaxObjectName))
	return nil
}

func (c *call) commGetInfo() error {
	m, err := c.comm(0)
	if err == nil {
		c.putWord(c.a[1], c.infos.Add(m.info.clone()))
	}
	return err
}

func (c *call) commSetInfo() error {
	m, err := c.comm(0)
	if err == nil {
		if m.info == nil {
			m.info = new(info)
		}
		m.info.merge(c.infos.Get(c.a[1]))
	}
	return err
}

func (c *call) intercommCreate() error {
	local, err := c.intra(0)
	if err != nil {
		return err
	}
	if c.a[5] == 0 {
		return c.withoutResult()
	}
	leader := c.at(1)
	if leader < 0 || leader >= local.c.Size() {
		return wrong(standard.ErrRank, "local leader %d; expected a rank of the communicator", leader)
	}
	var peer *collective.Comm
	if local.c.Rank() == leader {
		m, err := c.intra(2)
		if err != nil {
			return err
		}
		if r := c.at(3); r < 0 || r >= m.c.Size() {
			return wrong(standard.ErrRank, "remote leader %d; expected a rank of the peer communicator", r)
		}
		peer = m.c
	}
	own, bridge, remote, err := local.c.Bridge(c.function.name, leader, peer, c.at(3), 1<<23+c.at(4)%(1<<23))
	if err != nil {
		return err
	}
	n := c.newComm(own, local)
	n.point, n.remote = bridge, remote
	c.putWord(c.a[5], n.handle)
	return nil
}

func (c *call) intercommMerge() error {
	m, err := c.inter(0)
	if err != nil {
		return err
	}
	n, err := m.between().Merge(c.function.name, c.at(1) != 0)
	if err != nil {
		return err
	}
	c.putWord(c.a[2], c.newComm(n, m).handle)
	return nil
}
