package flit

import (
	"strings"
	"testing"

	"musubi/routing"
	"musubi/sim/engine"
	"musubi/sim/fabric"
	"musubi/sim/fabric/fabrictest"
)

// TestFlitEngineRefuses checks that the flit engine says what it cannot do.
func TestFlitEngineRefuses(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Errors = 1e-9
	if _, err := New(cfg, new(engine.Queue)); err == nil || !strings.Contains(err.Error(), "packet engine") {
		t.Errorf("errors: error %v", err)
	}
	cfg.Errors = 0
	f, _ := newFlit(t, cfg)
	if _, is := fabric.Fabric(f).(fabric.Multicaster); is {
		t.Error("the flit engine has multicasts")
	}
	defer func() {
		if why, _ := recover().(string); !strings.Contains(why, "packet engine") {
			t.Errorf("a packet that goes back: panic %q", why)
		}
	}()
	f.Send(fabric.Packet{Src: 0, Dst: 1, Flits: 1, Back: true})
}

func TestFlitEngineRefusesPorts(t *testing.T) {
	net, routes := fabrictest.Build(t, "mesh:2x1", 1, "minimal", routing.Options{})
	cfg := fabrictest.DefaultConfig(net, routes)
	cfg.Ports = 2
	if _, err := New(cfg, new(engine.Queue)); err == nil || !strings.Contains(err.Error(), "2 ports") {
		t.Errorf("two ports: error %v", err)
	}
}
