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
	print := func() error { return PrintChoiceCycle(s.Stdout, unsafe.Choice) }
	if p := unsafe.Proof; p != nil {
		print = func() error { return PrintCycle(s.Stdout, p, p.Cycle) }
	}
	if s.JSON || !unsafe.CanDeadlock() && (unsafe.Choice != nil || unsafe.Proof.DeadlockFree()) {
		return cli.ErrNo
	}
	if err := print(); err != nil {
		return err
	}
	s.Note("--unsafe runs it nevertheless")
	return cli.ErrNo
}
