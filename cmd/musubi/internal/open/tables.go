package open

import (
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

// ReadInfiniBand reads the tables of InfiniBand from a file each; none for levels and lanes.
func ReadInfiniBand(net *topology.Network, forwarding, levels, lanes string) (*tables.InfiniBand, error) {
	var t *tables.InfiniBand
	err := cli.WithFile(forwarding, func(r io.Reader) (err error) {
		t, err = tables.ReadForwarding(r, forwarding, net)
		return err
	})
	if err == nil {
		err = ReadLevelsAndLanes(t, levels, lanes)
	}
	return t, err
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
