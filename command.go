package musubi

import (
	"context"
	"errors"
	"fmt"

	"musubi/mpi/abi/process"
)

// RunCommand runs a program of MPI, in C, as the ranks of the simulated machine: each rank is a
// process of the operating system, cut at its calls of MPI. What the ranks have written comes out when all
// have ended.
func (s *System) RunCommand(ctx context.Context, g *process.Program) (*Result, error) {
	if s.IsLive() {
		return nil, wrong("machine", fmt.Errorf("a program behind -- and machine %q; expected a simulated machine, or musubi launch", Live))
	}
	g.Stop = ctx.Done()
	result, err := s.Run(ctx, g.Run)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return result, errors.Join(err, g.Finish())
}
