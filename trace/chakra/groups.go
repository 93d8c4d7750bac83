package chakra

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"musubi/trace/schedule"
)

// groups are the process groups of a trace by their names.
type groups struct {
	known   map[string]uint32
	members [][]uint32
}

// find returns a group. Without a name, and by 0 if none is called so, it is all ranks.
func (g *groups) find(name string) (uint32, bool) {
	if group, known := g.known[name]; known {
		return group, true
	}
	return schedule.Any, name == "" || name == "0"
}

// add enters a group; one without ranks is all. Ranks tell the same of it.
func (g *groups) add(name string, members []uint32, ranks int) error {
	seen := map[uint32]bool{}
	for _, rank := range members {
		if int64(rank) >= int64(ranks) || seen[rank] {
			return fmt.Errorf("group %q has rank %d; expected each of 0 to %d at most once", name, rank, ranks-1)
		}
		seen[rank] = true
	}
	group := schedule.Any
	if before, known := g.known[name]; known {
		if before != schedule.Any && !slices.Equal(g.members[before], members) || before == schedule.Any && len(members) > 0 {
			return fmt.Errorf("group %q has ranks %v; expected the same as elsewhere", name, members)
		}
		return nil
	}
	if len(members) > 0 {
		group = uint32(len(g.members))
		g.members = append(g.members, members)
	}
	g.known[name] = group
	return nil
}

// readMetadata reads the groups that a METADATA node may list.
func (g *groups) readMetadata(n *node, ranks int) error {
	if n.kind != metadataNode || !strings.Contains(n.values, "pg_name") {
		return nil
	}
	begin, end := strings.Index(n.values, "[{"), strings.LastIndex(n.values, "}]")
	var list []struct {
		Name  string   `json:"pg_name"`
		Ranks []uint32 `json:"ranks"`
	}
	if begin < 0 || end < begin || json.Unmarshal([]byte(strings.ReplaceAll(n.values[begin:end+2], `\"`, `"`)), &list) != nil {
		return fmt.Errorf("node %d, METADATA: process groups; expected a list of {\"pg_name\": \"1\", \"ranks\": [0, 1]}", n.id)
	}
	for _, x := range list {
		if err := g.add(x.Name, x.Ranks, ranks); err != nil {
			return fmt.Errorf("node %d, METADATA: %w", n.id, err)
		}
	}
	return nil
}

// mostGroupsFile is the size of the largest file of groups, in bytes.
const mostGroupsFile = 256 << 20

// groupsFile returns the name of the file of groups beside a trace: PREFIX.groups.json, or groups.json in a directory.
func groupsFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, "groups.json")
	}
	dir, prefix := filepath.Split(path)
	if parts := fileName.FindStringSubmatch(prefix); parts != nil {
		prefix = parts[1]
	}
	return dir + strings.TrimSuffix(prefix, ".et") + ".groups.json"
}

// openFile reads the file of groups, if there is one: an object such as {"1": [0, 1], "2": [2, 3]}, as ASTRA-sim has it.
func (g *groups) openFile(path string, ranks int) error {
	file := groupsFile(path)
	info, err := os.Stat(file)
	if err != nil {
		return nil // there need not be one
	}
	if info.Size() > mostGroupsFile {
		return fmt.Errorf("%s has %d bytes; expected at most %d", file, info.Size(), mostGroupsFile)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var all map[string][]uint32
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("%s: %w; expected groups such as {\"1\": [0, 1]}", file, err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := g.add(name, all[name], ranks); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
