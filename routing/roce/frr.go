package roce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strings"

	"musubi/topology"
)

// FRRouting prints the routes of a switch by "show ip route json", after zebra/zebra_vty.c: prefixes with
// lists of candidates. A packet takes the one that is selected and installed, and those of its
// next hops that are in the FIB.

// LooksFRR reports whether a file that begins with head may have routes of FRRouting.
func LooksFRR(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) }

// ReadFRR reads the routes of all switches of net from one object: the output of FRRouting's
// "show ip route json" by switch. Errors name file, switch, prefix and what was expected.
func ReadFRR(r io.Reader, file string, net *topology.Network) (*Tables, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	z := newFRRReader(file, net)
	err = members(data, func(name string, value json.RawMessage) error {
		if _, err := netip.ParsePrefix(name); err == nil {
			return errors.New("routes of one switch; expected a folder with such a file for each, or an object of them by switch")
		}
		return z.read(name, value)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return z.finishFRR()
}

// ReadFRRFolder reads the routes of all switches of net from files of a folder: one for each switch, named after it,
// as leaf1.json.
func ReadFRRFolder(folder fs.FS, name string, net *topology.Network) (*Tables, error) {
	files, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	z := newFRRReader(name, net)
	for _, file := range files {
		data, err := fs.ReadFile(folder, file)
		if err == nil {
			err = z.read(strings.TrimSuffix(file, ".json"), data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(name, file), err)
		}
	}
	return z.finishFRR()
}

type frrReader struct {
	ipFabric
	vrf string // of all entries
}

func newFRRReader(file string, net *topology.Network) *frrReader {
	return &frrReader{ipFabric: newIPFabric(file, net)}
}

// frrEntry is a candidate. Fields may be null, which is as if they were missing.
type frrEntry struct {
	Protocol  string   `json:"protocol"`
	VRF       string   `json:"vrfName"`
	Selected  bool     `json:"selected"`
	Installed bool     `json:"installed"`
	NextHops  []frrHop `json:"nexthops"`
}

type frrHop struct {
	IP          string          `json:"ip"`
	Interface   string          `json:"interfaceName"`
	FIB         bool            `json:"fib"`
	Recursive   bool            `json:"recursive"` // those that it resolves to follow
	Duplicate   bool            `json:"duplicate"`
	LinkDown    bool            `json:"linkDown"`
	Unreachable bool            `json:"unreachable"`
	Blackhole   bool            `json:"blackhole"`
	Reject      bool            `json:"reject"`
	VRF         string          `json:"vrf"`
	Labels      json.RawMessage `json:"labels"`
	Segments    json.RawMessage `json:"seg6"`
	Local       json.RawMessage `json:"seg6local"`
}

// read reads the routes of a switch.
func (z *frrReader) read(name string, data []byte) error {
	sw, err := z.switchNamed(name)
	if err != nil {
		return err
	}
	t := &z.byIP[sw]
	if t.routes != nil {
		return fmt.Errorf("routes of switch %s for a second time", name)
	}
	t.routes = make(map[netip.Prefix]*ipRoute)
	selected := false
	err = members(data, func(text string, value json.RawMessage) error {
		p, err := netip.ParsePrefix(text)
		if err != nil || p != p.Masked() {
			return fmt.Errorf(`%.80q is no prefix; expected the output of "show ip route json"`, text)
		}
		var entries []frrEntry
		if err := json.Unmarshal(value, &entries); err != nil {
			return fmt.Errorf(`route %v: %s; expected the output of "show ip route json"`, p, jsonError(err))
		}
		for _, e := range entries {
			selected = selected || e.Selected
			if err := z.entry(sw, p, e); err != nil {
				return fmt.Errorf("route %v: %w", p, err)
			}
		}
		return nil
	})
	if err == nil && !selected {
		err = errors.New("no route is selected; expected the routes of a switch that runs")
	}
	if err != nil {
		return fmt.Errorf("switch %s: %w", name, err)
	}
	return nil
}

// entry reads a candidate.
func (z *frrReader) entry(sw int, p netip.Prefix, e frrEntry) error {
	if z.vrf == "" {
		z.vrf = e.VRF
	}
	t := &z.byIP[sw]
	switch {
	case e.VRF != "" && e.VRF != z.vrf:
		return fmt.Errorf("VRF %.80q after %.80q; expected routes of one", e.VRF, z.vrf)
	case !e.Selected || !e.Installed:
		return nil
	case e.Protocol == "local":
		if len(e.NextHops) > 0 && e.NextHops[0].Interface != managementPort {
			z.local[p.Addr()] = sw
		}
		return nil
	case t.routes[p] != nil:
		return errors.New("a second candidate is selected and installed; expected one")
	}
	r := new(ipRoute)
	for _, h := range e.NextHops {
		if err := r.addFRR(h); err != nil {
			return err
		}
	}
	if (len(r.hops) == 0) != r.drop {
		return errors.New("installed with a blackhole beside next hops, or without next hops that have fib; expected one of both")
	}
	t.routes[p] = r
	if e.Protocol == "connected" && !p.Addr().IsLinkLocalUnicast() {
		for _, h := range r.hops {
			t.links = append(t.links, ipLink{p, h.port, h.numbers})
		}
	}
	return nil
}

// addFRR adds a next hop if packets take it.
func (r *ipRoute) addFRR(h frrHop) error {
	switch {
	case h.Unreachable || h.Blackhole || h.Reject:
		r.drop = true
		return nil
	case !h.FIB || h.Recursive || h.Duplicate || h.LinkDown:
		return nil
	case h.VRF != "" || given(h.Labels) || given(h.Segments) || given(h.Local):
		return fmt.Errorf("next hop %s has another VRF, labels or segments; expected plain IP", h.IP)
	}
	hop := ipHop{port: h.Interface}
	if h.IP != "" {
		var err error
		if hop.address, err = netip.ParseAddr(h.IP); err != nil {
			return fmt.Errorf("next hop %.80q; expected an IP address", h.IP)
		}
	} else if h.Interface == "" {
		return errors.New("a next hop without address and interface; expected one of them")
	}
	r.hops = append(r.hops, hop)
	return nil
}

func given(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// finishFRR turns what was read into tables.
func (z *frrReader) finishFRR() (*Tables, error) {
	missing := slices.IndexFunc(z.byIP, func(t ipTable) bool { return t.routes == nil })
	if missing >= 0 {
		return nil, fmt.Errorf("%s: no routes of switch %s; expected those of all switches", z.file, z.net.SwitchName(missing))
	}
	z.t.NotCovered = append(z.t.NotCovered, fmt.Sprintf("which ports have flow control: FRRouting does not tell, so class %d was taken to have it everywhere", usualClass))
	return z.finish()
}

// members calls a function for each member of a JSON object. It refuses names that come twice, which
// encoding/json does not.
func members(data []byte, each func(string, json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("no JSON object: it begins with %.20q", bytes.TrimSpace(data))
	}
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return errors.New(jsonError(err))
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("after %.80q: %s", name, jsonError(err))
		}
		if seen[name] {
			return fmt.Errorf("%.80q for a second time", name)
		}
		seen[name] = true
		if err := each(name, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return errors.New(jsonError(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something after the JSON object; expected one alone")
	}
	return nil
}

// jsonError is an error of encoding/json in a line.
func jsonError(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the JSON ends early"
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}
