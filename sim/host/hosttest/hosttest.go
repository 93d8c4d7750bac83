// Package hosttest builds clusters for tests of hosts and of models of network interfaces.
package hosttest

import (
	"bytes"
	"fmt"
	"testing"

	"musubi/rma"
	"musubi/routing"
	"musubi/sim/host"
	"musubi/sim/machine"
	"musubi/topology/generate"
	"musubi/units"
)

// NewCluster builds a cluster of a built-in machine with changed parameters, one
// rank on every host.
func NewCluster(t testing.TB, name, spec string, hosts int, set ...string) *host.Cluster {
	t.Helper()
	m, err := machine.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(set); i += 2 {
		if err := m.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	cfg := host.Config{Machine: m, Seed: 1}
	if !m.HasNetwork() {
		cfg.Hosts = make([]int, hosts)
	} else {
		cfg.Net, err = generate.Network(spec, hosts)
		if err != nil {
			t.Fatal(err)
		}
		alg, err := routing.Lookup("dl")
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Routes, err = alg.Build(cfg.Net, routing.Options{VCs: 1}); err != nil {
			t.Fatal(err)
		}
		for e := range cfg.Net.Hosts() {
			cfg.Hosts = append(cfg.Hosts, e)
		}
	}
	c, err := host.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// PushPing measures a Push of n bytes from rank 0 to another rank, until it is
// complete and until the target has noticed.
func PushPing(t *testing.T, c *host.Cluster, to, n int, by rma.Mechanism) (complete, noticed units.Time) {
	t.Helper()
	err := c.Run(func(p rma.Process) error {
		memory := make([]byte, n)
		segment := p.Expose(memory)
		switch p.Rank() {
		case 0:
			data := bytes.Repeat([]byte{7}, n)
			op, err := p.Push(rma.Address{Rank: to, Segment: segment}, data, by)
			if err != nil {
				return err
			}
			err = p.Wait(op)
			complete = p.Now()
			return err
		case to:
			err := p.WaitUntil(func() bool { return memory[n-1] == 7 })
			noticed = p.Now()
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return complete, noticed
}

// Run runs a program that is not to fail.
func Run(t *testing.T, c *host.Cluster, program func(p rma.Process) error) {
	t.Helper()
	if err := c.Run(program); err != nil {
		t.Fatal(err)
	}
}

// IPushPing measures a message of n bytes from rank 0 to rank 1, until it is
// complete and until the target knows of it.
func IPushPing(t *testing.T, c *host.Cluster, n int) (complete, noticed units.Time) {
	t.Helper()
	Run(t, c, func(p rma.Process) error {
		switch p.Rank() {
		case 0:
			err := Send(p, 1, make([]byte, n))
			complete = p.Now()
			return err
		case 1:
			a, err := p.Next()
			noticed = p.Now()
			if a.Bytes != n || a.From != 0 || !a.Last {
				t.Errorf("%d bytes arrive as %+v", n, a)
			}
			return err
		}
		return nil
	})
	return complete, noticed
}

// Send sends a message and waits for its completion.
func Send(p rma.Process, to int, data []byte) error {
	op, err := p.IPush(to, data, rma.DMA)
	if err != nil {
		return err
	}
	return p.Wait(op)
}

// Receive takes the next message.
func Receive(p rma.Process) ([]byte, error) {
	a, err := p.Next()
	if err != nil {
		return nil, err
	}
	data := make([]byte, a.Bytes)
	return data, p.Take(a, data, rma.Cached)
}

// NewRanks builds a machine with a row of switches and a rank on each, or without
// switches.
func NewRanks(t testing.TB, name string, ranks int, set ...string) *host.Cluster {
	t.Helper()
	hosts := 1
	if m, err := machine.Load(name); err == nil && !m.HasNetwork() {
		hosts = ranks
	}
	return NewCluster(t, name, fmt.Sprintf("mesh:%dx1", ranks), hosts, set...)
}
