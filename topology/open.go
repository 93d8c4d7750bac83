package topology

import (
	"fmt"
	"os"
	"strings"
)

// Open returns the network that spec names: one that Generate makes, or a file.
// The format of a file is told by its content and extension; "format:path"
// names it.
//
// A file that describes end points keeps them, and hosts must be 0. Otherwise
// every switch gets hosts end points of kind Host, 1 if hosts is 0.
//
// The error is one line. For a malformed file it has the form
// "file:line: what was found; expected what".
func Open(spec string, hosts int) (*Network, error) {
	family, _, _ := strings.Cut(spec, ":")
	for _, g := range generators {
		if g.Name == family {
			return Generate(spec, hosts)
		}
	}
	return nil, fmt.Errorf("%s: %w", spec, os.ErrNotExist)
}
