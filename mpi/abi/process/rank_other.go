//go:build !linux

package process

import (
	"errors"

	"musubi/rma"
)

type rank struct{}

func (g *Program) start(rma.Process) (*rank, error) {
	return nil, errors.New("ranks that are processes of the operating system; expected Linux")
}

func (*rank) serve() error { return nil }

func (*rank) kill() {}
