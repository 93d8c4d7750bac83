package chakra

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

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
	r := reader{groups: groups{known: map[string]uint32{}}, b: schedule.NewBuilder(len(list)), ranks: len(list), ids: make([][]uint64, len(list))}
	if err := r.groups.openFile(path, len(list)); err != nil {
		return nil, err
	}
	for rank, file := range list {
		if err := r.open(rank, file); err != nil {
			return nil, fmt.Errorf("%s: rank %d: %w", file, rank, err)
		}
	}
	s := r.b.Schedule()
	for rank := range s.Ranks {
		s.Ranks[rank].IDs = r.ids[rank]
	}
	s.Groups = r.groups.members
	return s, nil
}

// reader reads the files of all ranks.
type reader struct {
	groups groups
	b      *schedule.Builder
	ranks  int
	ids    [][]uint64 // of nodes, by rank
}

func (r *reader) open(rank int, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.read(rank, f)
}

// read reads the file of a rank.
func (r *reader) read(rank int, from io.Reader) error {
	nodes, err := readNodes(from)
	if err != nil {
		return err
	}
	for i := range nodes { // groups may stand behind their use
		if err := r.groups.readMetadata(&nodes[i], r.ranks); err != nil {
			return err
		}
	}
	numbers := make(map[uint64]uint32, len(nodes))
	last := map[uint32]uint32{} // collective operation of each group
	for i := range nodes {
		n := &nodes[i]
		if _, known := numbers[n.id]; known {
			return fmt.Errorf("node %d is there twice; expected one of each id", n.id)
		}
		op, err := r.operation(rank, n)
		if err != nil {
			return err
		}
		numbers[n.id] = r.b.Add(rank, op)
		r.ids[rank] = append(r.ids[rank], n.id)
		if op.Kind == schedule.Collective {
			if before, known := last[op.Peer]; known {
				r.b.RequireStart(rank, before, numbers[n.id])
			}
			last[op.Peer] = numbers[n.id]
		}
	}
	for i := range nodes {
		slices.Sort(nodes[i].deps)
		for _, dep := range slices.Compact(nodes[i].deps) {
			before, known := numbers[dep]
			if !known {
				return fmt.Errorf("node %d depends on node %d; expected one of this file", nodes[i].id, dep)
			}
			r.b.Require(rank, before, numbers[nodes[i].id])
		}
	}
	return nil
}

// readNodes reads all nodes of a file, in the order of their ids.
func readNodes(from io.Reader) ([]node, error) {
	m, err := newMessages(from)
	if err != nil {
		return nil, err
	}
	form := unknown
	var nodes []node
	for count := 0; ; count++ {
		data, err := m.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", count+1, err)
		}
		if count == 0 && isMetadata(data) {
			continue
		}
		n, of, err := readNode(data)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", count+1, err)
		}
		form = max(form, of)
		nodes = append(nodes, n)
	}
	for i := range nodes {
		nodes[i].settle(form)
	}
	slices.SortStableFunc(nodes, func(a, b node) int {
		switch {
		case a.id < b.id:
			return -1
		case a.id > b.id:
			return 1
		}
		return 0
	})
	return nodes, nil
}

// isMetadata reports whether the first message of a file is no node: it has a version where nodes have an id.
func isMetadata(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	number, kind, n := protowire.ConsumeTag(data)
	return n > 0 && (number == 1 || number == 2) && kind == protowire.BytesType
}
