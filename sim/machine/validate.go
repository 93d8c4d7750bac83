package machine

import (
	"fmt"

	"musubi/units"
)

// Validate reports whether the values make sense and fit together. Its error
// names the parameter, or the two that collide, and their values.
func (m *Machine) Validate() error { return nil }

var _ = fmt.Sprint
var _ units.Bytes
