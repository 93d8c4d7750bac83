package networks

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"musubi/topology"
)

// ReadGUIDFile reads a file of switches of a network as OpenSM takes them for roots: a GUID a line, and
// comments that begin with #. Errors name file, line and what was expected.
func ReadGUIDFile(path string, net *topology.Network) ([]int, error) {
	file, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readGUIDs(file, path, net)
}

func readGUIDs(r io.Reader, name string, net *topology.Network) ([]int, error) {
	number := make(map[uint64]int)
	for s, sw := range net.WithGUIDs().Switches {
		number[sw.GUID] = s
	}
	var switches []int
	lines := bufio.NewScanner(r)
	at := 0
	for lines.Scan() {
		at++
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		guid, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: found %.40q; expected the GUID of a switch, such as 0x%016x", name, at, text, net.WithGUIDs().Switches[0].GUID)
		}
		sw, ok := number[guid]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s:%d: no switch has GUID 0x%016x; expected one of the network's switches", name, at, guid)
		case slices.Contains(switches, sw):
			return nil, fmt.Errorf("%s:%d: GUID 0x%016x for a second time", name, at, guid)
		}
		switches = append(switches, sw)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, at+1, err)
	}
	if len(switches) == 0 {
		return nil, fmt.Errorf("%s: no GUID; expected one a line", name)
	}
	return switches, nil
}
