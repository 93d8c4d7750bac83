package main

import (
	"fmt"
	"strings"
)

// engine is a routing engine of OpenSM, with the options that its manual page asks for.
type engine struct {
	name   string // in tables
	opensm string // its own name
	args   []string
	conf   string // lines of its configuration
	levels bool   // it hands out service levels
	alone  bool   // no other engine may take over
	extra  bool   // not part of the usual audit
	// prepare returns the name and the contents of a file that args name, and whether the engine is for the network.
	prepare func(c *candidate) (file, text string, ok bool)
}

// fourLanes lets ports have lanes 0 to 3; those of ibsim have 0 to 7 otherwise.
const fourLanes = "max_op_vls 3\n"

var engines = []engine{
	{name: "minhop", opensm: "minhop"},
	{name: "updn", opensm: "updn"},
	{name: "updn -a", opensm: "updn", args: []string{"-a", "roots"}, prepare: roots},
	{name: "ftree", opensm: "ftree"},
	{name: "lash", opensm: "lash", args: []string{"-Q"}, levels: true},
	{name: "dfsssp", opensm: "dfsssp", args: []string{"-Q"}, levels: true},
	{name: "nue", opensm: "nue", args: []string{"-Q"}, levels: true},
	{name: "nue, 8 lanes", opensm: "nue", args: []string{"-Q"}, conf: "nue_max_num_vls 8\n", levels: true},
	{name: "torus-2QoS", opensm: "torus-2QoS", args: []string{"-Q", "--torus_config", "torus.conf"}, levels: true, prepare: torus},
	{name: "updn, no_fallback", opensm: "updn", alone: true, extra: true},
	{name: "ftree, no_fallback", opensm: "ftree", alone: true, extra: true},
	{name: "lash, 4 lanes", opensm: "lash", args: []string{"-Q"}, conf: fourLanes, levels: true, extra: true},
	{name: "dfsssp, 4 lanes", opensm: "dfsssp", args: []string{"-Q"}, conf: fourLanes, levels: true, extra: true},
	{name: "nue, 4 lanes", opensm: "nue", args: []string{"-Q"}, conf: fourLanes + "nue_max_num_vls 4\n", levels: true, extra: true},
}

func usualEngines() []string {
	var names []string
	for _, e := range engines {
		if !e.extra {
			names = append(names, e.name)
		}
	}
	return names
}

func engineNames() []string {
	var names []string
	for _, e := range engines {
		names = append(names, e.name)
	}
	return names
}

func engineNamed(name string) *engine {
	for i := range engines {
		if engines[i].name == name {
			return &engines[i]
		}
	}
	return nil
}

// roots names one root, a switch in the middle.
func roots(c *candidate) (file, text string, ok bool) {
	best, least := 0, -1
	for s := range c.net.Switches {
		far := 0
		for _, d := range c.net.Distances(s) {
			far += d
		}
		if least < 0 || far < least {
			best, least = s, far
		}
	}
	return "roots", fmt.Sprintf("0x%016x\n", c.net.Switches[best].GUID), true
}

// torus tells where the coordinates of a mesh or torus begin and which way they go.
func torus(c *candidate) (file, text string, ok bool) {
	s := c.shape
	if s == nil || s.Kind != "torus" && s.Kind != "mesh" || len(s.Dims) < 2 || len(s.Dims) > 3 {
		return "", "", false
	}
	guid := func(sw int) string { return fmt.Sprintf("0x%016x", c.intact.Switches[sw].GUID) }
	radix := []string{"1", "1", "1"}
	var links strings.Builder
	step := 1
	for i, d := range s.Dims {
		radix[i] = fmt.Sprint(d)
		if !s.Wrap[i] {
			radix[i] += "m"
		}
		fmt.Fprintf(&links, "%cp_link %s %s\n", "xyz"[i], guid(0), guid(step))
		if s.Wrap[i] && d == 4 { // where one direction leaves the other open
			fmt.Fprintf(&links, "%cm_link %s %s\n", "xyz"[i], guid(0), guid((d-1)*step))
		}
		step *= d
	}
	return "torus.conf", fmt.Sprintf("torus %s\n%s", strings.Join(radix, " "), links.String()), true
}
