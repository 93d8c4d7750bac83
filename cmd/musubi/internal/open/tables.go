package open

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"musubi/cmd/musubi/internal/cli"
	"musubi/report/files"
	"musubi/routing/tables"
	"musubi/topology"
)

// ReadLevelsAndLanes reads the files that belong to forwarding tables of InfiniBand, if any.
func ReadLevelsAndLanes(t *tables.InfiniBand, levels, lanes string) error {
	if levels != "" {
		if err := cli.WithFile(levels, func(r io.Reader) error { return t.ReadLevels(r, levels) }); err != nil {
			return err
		}
	}
	if lanes == "" {
		return nil
	}
	return cli.WithFile(lanes, func(r io.Reader) error { return t.ReadLanes(r, lanes) })
}

// TableFiles are the files of the tables of InfiniBand that a fabric has; none for levels and lanes.
type TableFiles struct{ Forwarding, Levels, Lanes string }

// The files of a directory of tables, as "musubi route --export" writes them.
const (
	forwardingFile = "opensm-lfts.dump"
	levelsFile     = "path-sl.txt"
	lanesFile      = "opensm-sl2vl.dump"
)

// Inside returns the files of a directory if Forwarding is one. Levels and lanes that are named stay.
func (f TableFiles) Inside() TableFiles {
	info, err := os.Stat(f.Forwarding)
	if err != nil || !info.IsDir() {
		return f
	}
	dir := f.Forwarding
	return TableFiles{filepath.Join(dir, forwardingFile), cmp.Or(f.Levels, existing(dir, levelsFile)), cmp.Or(f.Lanes, existing(dir, lanesFile))}
}

// existing returns the path of a file of a directory, or nothing if there is none.
func existing(dir, name string) string {
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// ReadInfiniBand reads the tables of InfiniBand.
func ReadInfiniBand(net *topology.Network, f TableFiles) (*tables.InfiniBand, error) {
	inside := f.Inside()
	if inside.Forwarding != f.Forwarding && existing(f.Forwarding, forwardingFile) == "" {
		return nil, fmt.Errorf("%s has no %s; expected a file of forwarding tables, or a directory that route --export infiniband wrote", f.Forwarding, forwardingFile)
	}
	var t *tables.InfiniBand
	err := cli.WithFile(inside.Forwarding, func(r io.Reader) (err error) {
		t, err = tables.ReadForwarding(r, inside.Forwarding, net)
		return err
	})
	if err == nil {
		err = ReadLevelsAndLanes(t, inside.Levels, inside.Lanes)
	}
	return t, err
}

// CheckTables fails if tables cannot be written to a directory, which need not exist, so that a long computation need not find
// that out when it is over.
func CheckTables(directory string) error {
	dir := filepath.Clean(directory)
	info, err := os.Stat(dir)
	for err != nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory; expected --output with a directory to write", dir)
	}
	if err := files.Check(filepath.Join(dir, forwardingFile)); err != nil {
		return fmt.Errorf("--output %s: %w", directory, err)
	}
	return nil
}

// StageTables writes files of tables that are complete once staged is committed.
func StageTables(s cli.Shared, staged *files.Stage, exported []tables.File, output string) error {
	for _, file := range exported {
		path := output
		if file.Name != "" {
			if err := os.MkdirAll(output, 0o755); err != nil {
				return err
			}
			path = filepath.Join(output, file.Name)
		}
		if err := staged.Add(path, file.Write); err != nil {
			return err
		}
		s.Note("writing %s", path)
	}
	return nil
}
