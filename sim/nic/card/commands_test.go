package card

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"musubi/rma"
	"musubi/sim/host"
	"musubi/sim/host/hosttest"
)

// The commands of the card, in all directions, and the way that the receiving card
// takes for each: a packet goes to a Prefetch Window or to memory, as the command
// says.
func TestCommandsInAllDirections(t *testing.T) {
	const toWindow, toMemory = "receive-window", "push-receive"
	for _, c := range []struct {
		name string
		by   rma.Mechanism
		pull bool
		into bool // a window
		want string
	}{
		{"Write Window to remote Prefetch Window", rma.BOTF, false, true, toWindow},
		{"Write Window to remote memory", rma.BOTF, false, false, toMemory},
		{"memory to remote Prefetch Window", rma.DMA, false, true, toWindow},
		{"memory to remote memory", rma.DMA, false, false, toMemory},
		{"remote memory to Prefetch Window", rma.DMA, true, true, toWindow},
		{"remote memory to memory", rma.DMA, true, false, toMemory},
	} {
		cluster := hosttest.NewCluster(t, "dimmnet2", "fullmesh:1", 2)
		var paths []string
		cluster.Stages = func(s host.Stage) {
			if (s.Path == toWindow || s.Path == toMemory) && !slices.Contains(paths, s.Path) {
				paths = append(paths, s.Path)
			}
		}
		message := []byte("a message of 32 bytes and no end")
		err := cluster.Run(func(p rma.Process) error {
			source := bytes.Clone(message)
			sources, memory := p.Expose(source), make([]byte, len(message))
			memories := p.Expose(memory)
			windows, window, err := p.ExposeWindow(len(message))
			if err != nil || p.Rank() == 1 {
				return err
			}
			local, remote := memory, memories
			if c.into {
				local, remote = window, windows
			}
			var op rma.Op
			if c.pull {
				op, err = p.Pull(rma.Address{Rank: 1, Segment: sources}, local)
			} else {
				op, err = p.Push(rma.Address{Rank: 1, Segment: remote}, source, c.by)
			}
			if err != nil {
				return err
			}
			if err := p.Wait(op); err != nil {
				return err
			}
			if c.pull && !bytes.Equal(local, message) {
				return fmt.Errorf("read %q, want %q", local, message)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !slices.Equal(paths, []string{c.want}) {
			t.Errorf("%s takes the ways %v, want %s", c.name, paths, c.want)
		}
	}
}
