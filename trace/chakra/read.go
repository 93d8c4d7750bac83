package chakra

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"musubi/internal/spill"
	"musubi/trace/schedule"
)

// mostRanks is how many files are read.
const mostRanks = 1 << 20

var fileName = regexp.MustCompile(`^(.*)\.([0-9]+)\.et$`)

// Files returns the files of a trace by rank: all in a directory, or those of a prefix, or of the name of one of them.
func Files(path string) ([]string, error) {
	dir, prefix := path, ""
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		dir, prefix = filepath.Split(path)
		if parts := fileName.FindStringSubmatch(prefix); parts != nil {
			prefix = parts[1]
		}
		prefix = strings.TrimSuffix(prefix, ".et")
	}
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	byRank := map[int]string{}
	for _, e := range entries {
		parts := fileName.FindStringSubmatch(e.Name())
		if parts == nil || prefix != "" && parts[1] != prefix {
			continue
		}
		rank, err := strconv.Atoi(parts[2])
		if err != nil || rank >= mostRanks {
			return nil, fmt.Errorf("%s: rank %s; expected at most %d", e.Name(), parts[2], mostRanks-1)
		}
		if other, known := byRank[rank]; known {
			return nil, fmt.Errorf("%s: %s and %s are both of rank %d; expected a prefix such as %s", path, filepath.Base(other), e.Name(), rank, filepath.Join(dir, parts[1]))
		}
		byRank[rank] = filepath.Join(dir, e.Name())
	}
	list := make([]string, len(byRank))
	for rank := range list {
		if list[rank] = byRank[rank]; list[rank] == "" {
			return nil, fmt.Errorf("%s: %d files, and none of rank %d; expected PREFIX.0.et to PREFIX.%d.et", path, len(byRank), rank, len(byRank)-1)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no files; expected PREFIX.0.et, PREFIX.1.et and so on", path)
	}
	return list, nil
}

// Open reads a trace, see Files. Errors name file, rank and node.
func Open(path string) (*schedule.Schedule, error) {
	list, err := Files(path)
	if err != nil {
		return nil, err
	}
	r := reader{groups: groups{known: map[string]uint32{}}, s: schedule.New(), ranks: len(list)}
	if err := r.groups.openFile(path, len(list)); err != nil {
		return nil, err
	}
	for rank, file := range list {
		if err := r.open(rank, file); err != nil {
			return nil, fmt.Errorf("%s: rank %d: %w", file, rank, err)
		}
	}
	r.s.Groups = r.groups.members
	r.s.Count()
	return r.s, nil
}

// reader reads the files of all ranks.
type reader struct {
	groups groups
	s      *schedule.Schedule
	ranks  int
}

func (r *reader) open(rank int, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.read(rank, f)
}

// read reads the file of the next rank: once for the ids of its nodes, and for groups, which may stand behind their use, and once
// for what the nodes do. Operations come in the order of ids.
func (r *reader) read(rank int, from io.ReadSeeker) error {
	to := r.s.AddRank()
	form, sorted := unknown, true
	err := eachNode(from, func(n *node, of generation) error {
		form = max(form, of)
		sorted = sorted && (len(to.IDs) == 0 || to.IDs[len(to.IDs)-1] < n.id)
		to.IDs = spill.Append(to.Area(), to.IDs, n.id)
		r.s.Used(1)
		return r.groups.readMetadata(n, r.ranks)
	})
	if err != nil {
		return err
	}
	if !sorted {
		slices.Sort(to.IDs)
		for i := range len(to.IDs) - 1 {
			if to.IDs[i] == to.IDs[i+1] {
				return fmt.Errorf("node %d is there twice; expected one of each id", to.IDs[i])
			}
		}
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	to.Ops = spill.Make[schedule.Op](to.Area(), len(to.IDs))
	area := spill.New()
	defer runtime.KeepAlive(area)
	var edges []schedule.Edge
	err = eachNode(from, func(n *node, _ generation) error {
		n.settle(form)
		op, err := r.operation(rank, n)
		if err != nil {
			return err
		}
		own, known := find(to.IDs, n.id)
		if !known {
			return errors.New("the file changes while it is read")
		}
		to.Ops[own] = op
		for _, dep := range n.waitsFor() {
			before, known := find(to.IDs, dep)
			if !known {
				return fmt.Errorf("node %d depends on node %d; expected one of this file", n.id, dep)
			}
			edges = spill.Append(area, edges, schedule.Edge{From: before, To: own})
		}
		area.Used(1)
		r.s.Used(1)
		return nil
	})
	if err != nil {
		return err
	}
	if !sorted {
		slices.SortStableFunc(edges, func(a, b schedule.Edge) int { return cmp.Compare(a.To, b.To) })
	}
	to.Connect(withCollectives(area, to.Ops, edges))
	return nil
}

// find returns the place of an id in a list that is in order, which mostly has no gaps.
func find(ids []uint64, id uint64) (uint32, bool) {
	if i := id - ids[0]; i < uint64(len(ids)) && ids[i] == id {
		return uint32(i), true
	}
	i, known := slices.BinarySearch(ids, id)
	return uint32(i), known
}

// withCollectives lets each collective operation of a group start after the one before it.
func withCollectives(area *spill.Area, ops []schedule.Op, edges []schedule.Edge) []schedule.Edge {
	last := map[uint32]uint32{} // of each group
	for i := range ops {
		if ops[i].Kind != schedule.Collective {
			continue
		}
		if before, known := last[ops[i].Peer]; known {
			edges = spill.Append(area, edges, schedule.Edge{From: before, To: uint32(i), Start: true})
		}
		last[ops[i].Peer] = uint32(i)
	}
	return edges
}

// eachNode calls a function for each node of a file, in the order of the file.
func eachNode(from io.Reader, do func(n *node, form generation) error) error {
	m, err := newMessages(from)
	if err != nil {
		return err
	}
	for count := 0; ; count++ {
		data, err := m.next()
		if err == io.EOF && count == 0 {
			return errors.New("the file is empty; expected a trace")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", count+1, err)
		}
		if count == 0 && isMetadata(data) {
			continue
		}
		n, form, err := readNode(data)
		if err != nil {
			return fmt.Errorf("message %d: %w", count+1, err)
		}
		if err := do(&n, form); err != nil {
			return err
		}
	}
}

// isMetadata reports whether the first message of a file is no node: it has a version where nodes have an id.
func isMetadata(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	number, kind, n := protowire.ConsumeTag(data)
	return n > 0 && (number == 1 || number == 2) && kind == protowire.BytesType
}
