package sonic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const metadata = "DEVICE_METADATA"

// Switch is what is known of one switch.
type Switch struct {
	Name string
	Database
	// IPRoutes is the output of "show ip route json", nil if there is none.
	IPRoutes []byte
	File     string // that errors name

	ports  []string // in their order
	number map[string]int
}

var (
	metadataMark = regexp.MustCompile(`"DEVICE_METADATA["|]`)
	portsMark    = regexp.MustCompile(`"(DEVICE_NEIGHBOR|PORT)["|]`)
)

// Looks reports whether a file that begins with head may be one for ReadObject.
func Looks(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && metadataMark.Match(head) && portsMark.Match(head)
}

// IsFolder reports whether a folder may have folders of SONiC switches: some that have JSON files.
func IsFolder(folder fs.FS) bool {
	files, err := fs.Glob(folder, "*/*.json")
	return err == nil && len(files) > 0
}

// ReadFolder reads a folder that has one for each switch, with JSON files: a configuration, perhaps in
// parts, and routes as APPL_DB or FRRouting have them. Switches are in the order of their names.
func ReadFolder(folder fs.FS, name string) ([]*Switch, error) {
	files, err := fs.Glob(folder, "*/*.json")
	if err != nil {
		return nil, err
	}
	var switches []*Switch
	for _, file := range files { // Glob sorts
		sub := path.Dir(file)
		if len(switches) == 0 || switches[len(switches)-1].File != path.Join(name, sub) {
			switches = append(switches, &Switch{Name: sub, Database: make(Database), File: path.Join(name, sub)})
		}
		data, err := fs.ReadFile(folder, file)
		if err == nil {
			err = switches[len(switches)-1].take(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(name, file), err)
		}
	}
	return finish(switches)
}

// ReadObject reads one object that has the databases of switches by their names, or the database of one
// switch.
func ReadObject(data []byte) ([]*Switch, error) {
	top := make(map[string]json.RawMessage)
	if err := strict(data, &top); err != nil {
		return nil, err
	}
	if top[metadata] != nil || top[metadata+"|localhost"] != nil {
		one := &Switch{Database: make(Database), File: "DEVICE_METADATA"}
		if err := one.take(data); err != nil {
			return nil, err
		}
		return finish([]*Switch{one})
	}
	var switches []*Switch
	for _, sw := range slices.Sorted(maps.Keys(top)) {
		one := &Switch{Name: sw, Database: make(Database), File: fmt.Sprintf("switch %.80q", sw)}
		if err := one.take(top[sw]); err != nil {
			return nil, fmt.Errorf("%s: %w", one.File, err)
		}
		switches = append(switches, one)
	}
	return finish(switches)
}

// take takes a file of a switch.
func (s *Switch) take(data []byte) error {
	if looksLikeRoutes(data) {
		if s.IPRoutes != nil {
			return errors.New("routes of FRRouting for a second time")
		}
		s.IPRoutes = data
		return nil
	}
	d, err := Parse(data)
	if err != nil {
		return err
	}
	return s.Merge(d)
}

// looksLikeRoutes reports whether the first member of an object is named after a prefix.
func looksLikeRoutes(data []byte) bool {
	_, rest, _ := strings.Cut(string(data[:min(len(data), 200)]), `"`)
	text, _, _ := strings.Cut(rest, `"`)
	_, err := netip.ParsePrefix(text)
	return err == nil
}

// finish checks the switches and numbers their ports.
func finish(switches []*Switch) ([]*Switch, error) {
	if len(switches) == 0 {
		return nil, errors.New("no switch; expected a folder for each, with its config_db.json")
	}
	seen := make(map[string]string)
	for _, s := range switches {
		if err := s.describe(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		if other, twice := seen[s.Name]; twice {
			return nil, fmt.Errorf("%s: switch %.80q, as in %s; expected another name", s.File, s.Name, other)
		}
		seen[s.Name] = s.File
	}
	return switches, nil
}

// describe takes the name of a switch from its configuration.
func (s *Switch) describe() error {
	own, ok := s.Database[metadata]["localhost"]
	if !ok {
		return errors.New("no entry DEVICE_METADATA|localhost; expected the configuration of a switch, as in config_db.json")
	}
	if kind := own["switch_type"]; kind == "voq" || kind == "chassis-packet" || own["sub_role"] != "" || own["asic_name"] != "" {
		return errors.New("a part of a chassis of several chips; expected switches of one chip")
	}
	if own["hostname"] != "" {
		s.Name = own["hostname"]
	}
	if s.Name == "" {
		return errors.New("no hostname in DEVICE_METADATA|localhost")
	}
	for _, table := range []string{"PORT", neighbour} {
		for port := range s.Database[table] {
			if strings.ContainsAny(port, "|") {
				return fmt.Errorf("port %.80q of several parts, as in a chassis; expected switches of one chip", port)
			}
			if !slices.Contains(s.ports, port) {
				s.ports = append(s.ports, port)
			}
		}
	}
	slices.SortFunc(s.ports, comparePorts)
	s.number = make(map[string]int)
	for i, port := range s.ports {
		s.number[port] = i + 1
	}
	return nil
}

// comparePorts puts Ethernet8 before Ethernet12.
func comparePorts(a, b string) int {
	prefixA, numberA := cutNumber(a)
	prefixB, numberB := cutNumber(b)
	return cmp.Or(cmp.Compare(prefixA, prefixB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}

func cutNumber(name string) (string, int) {
	prefix := strings.TrimRight(name, "0123456789")
	number, _ := strconv.Atoi(name[len(prefix):])
	return prefix, number
}
