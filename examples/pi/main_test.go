package main

import (
	"context"
	"fmt"
	"math"
	"testing"

	"musubi"
	"musubi/mpi"
	"musubi/rma"
)

// Every rank gets pi, however many there are.
func TestIntegrate(t *testing.T) {
	for _, ranks := range []int{1, 2, 7} {
		_, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "loggp", Ranks: ranks}, func(p rma.Process) error {
			c, err := mpi.New(p)
			if err != nil {
				return err
			}
			pi, err := integrate(c, 10_000)
			if math.Abs(pi-math.Pi) > 1e-8 {
				return fmt.Errorf("%v on %d ranks; want pi", pi, ranks)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Without any step there is no sum to divide.
func TestNoSteps(t *testing.T) {
	*steps = 0
	if _, err := musubi.Run(context.Background(), musubi.Scenario{Machine: "loggp", Ranks: 2}, program); err == nil {
		t.Error("-steps 0 is not refused")
	}
}
