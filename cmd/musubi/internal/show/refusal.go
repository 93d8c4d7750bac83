package show

import (
	"errors"
	"fmt"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
)

// Refusal prints what stands behind the refusal of routes, and returns other
// errors as they are.
func Refusal(s cli.Shared, err error) error {
	var unsafe *musubi.UnsafeError
	if !errors.As(err, &unsafe) {
		return err
	}
	fmt.Fprintln(s.Stderr, "musubi:", err)
	if s.JSON || unsafe.Proof.DeadlockFree() {
		return cli.ErrNo
	}
	if err := PrintCycle(s.Stdout, unsafe.Proof, unsafe.Proof.Cycle); err != nil {
		return err
	}
	s.Note("--unsafe runs it nevertheless")
	return cli.ErrNo
}
