package machine_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "musubi/sim/machine"
	"musubi/units"
)

// Each row is a faulty file; the message begins with "file:line: key: ".
func TestFaultyFiles(t *testing.T) {
	const base = "base = \"rhinet2\"\n"
	t.Chdir(t.TempDir())
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", base + "[switch]\nbufer = \"1KiB\"\n",
			"3: switch.bufer: unknown parameter; known: switch.engine, switch.flow, switch.classes, switch.vcs, switch.buffer, switch.latency, switch.combines"},
		{"unknown table", base + "\n[swich]\nbuffer = \"1KiB\"\n",
			"3: [swich]: unknown table; known: network, link, switch, router, packet, interface, host, bus, nic, software, atomic, node, domain, queue, barrier, sram, remote, os, conditions, card, swif, processor, botf_send, memory_send, window_receive, push_receive, ipush_receive, memory_read, match, loggp, ring"},
		{"unknown key at the top", base + "author = \"me\"\n",
			"2: author: unknown key; known before the first table: base, summary, title"},
		{"unknown base", "base = \"rhinet3\"\n",
			" base: unknown machine \"rhinet3\"; known: " + strings.Join(Names(), ", ") + ", or the path of a .toml file"},
		{"base of a wrong type", "base = 3\n", "1: base: given number, expected a text in quotes"},
		{"array of tables", base + "[[switch]]\nlatency = \"1ns\"\n", "2: [switch]: given an array of tables, expected [switch]"},
		{"wrong unit", base + "[switch]\n\nlatency = \"150MB\"\n",
			"4: switch.latency: \"150MB\" is not a time such as 175ns or 0.175us (ps, ns, us, ms, s)"},
		{"too fine", base + "[switch]\nlatency = \"0.0001ns\"\n",
			"3: switch.latency: \"0.0001ns\" is finer or larger than Musubi can represent; expected a time such as 175ns or 0.175us (ps, ns, us, ms, s)"},
		{"number for a time", base + "[switch]\nlatency = 150\n",
			"3: switch.latency: given the number 150, expected a time such as 175ns or 0.175us, in quotes"},
		{"text for a number", base + "[switch]\nvcs = \"8\"\n",
			"3: switch.vcs: given the text 8, expected a whole number such as 8"},
		{"fraction for a number", base + "[switch]\nvcs = 8.5\n",
			"3: switch.vcs: given a number with a fraction, expected a whole number such as 8"},
		{"text for a number with a fraction", "base = \"ssscore\"\n[conditions]\nabsent = \"0.5\"\n",
			"3: conditions.absent: given the text 0.5, expected a number such as 0.25"},
		{"number of another base", base + "[switch]\nvcs = 0x10\n",
			"3: switch.vcs: given \"0x10\", expected a whole number such as 8"},
		{"text for a truth value", base + "[nic]\nreplies = \"true\"\n",
			"3: nic.replies: given the text true, expected true or false"},
		{"array", base + "[nic]\nreplies = [true]\n", "3: nic.replies: given an array, expected true or false"},
		{"unknown choice", base + "[bus]\nduplex = \"none\"\n",
			"3: bus.duplex: given \"none\", expected one of half, full"},
		{"unknown kind", base + "[switch]\nvcs = { value = 8, kind = \"guessed\", note = \"?\" }\n",
			"3: switch.vcs: given the kind \"guessed\", expected one of published, derived, calibrated, assumed, chosen"},
		{"no source", base + "[switch]\nvcs = { value = 8, kind = \"published\" }\n",
			"3: switch.vcs: a value of kind published without source; expected source = \"...\""},
		{"no note", base + "[switch]\nvcs = { value = 8, kind = \"assumed\" }\n",
			"3: switch.vcs: a value of kind assumed without note; expected note = \"...\""},
		{"no value", base + "[switch]\nvcs = { kind = \"assumed\", note = \"?\" }\n",
			"3: switch.vcs: no value; expected { value = ..., kind = \"...\", source = \"...\", note = \"...\" }"},
		{"unknown part", base + "[switch]\nvcs = { value = 8, unit = \"channels\" }\n",
			"3: switch.vcs: unknown key \"unit\"; known: value, kind, source, note"},
		{"part of a wrong type", base + "[switch]\nvcs = { value = 8, kind = 1 }\n",
			"3: switch.vcs: kind: given number, expected a text in quotes"},
		{"part of a part", base + "[switch]\nvcs = { value.most = \"8\" }\n",
			"3: switch.vcs: unknown key \"value...\"; known: value, kind, source, note"},
		{"repeated key", base + "[switch]\nvcs = 8\nvcs = 9\n", "4: "},
		{"not TOML", base + "[switch\nvcs = 8\n", "2: "},
		{"of another model", base + "[loggp]\nL = \"1us\"\n",
			"3: loggp.L: a machine with network.model = \"fabric\" does not have it"},
		{"no title", "[network]\nmodel = \"loggp\"\n", "1: title: missing; expected one line that says what the machine is"},
		{"empty", "", "1: title: missing; expected one line that says what the machine is"},
		{"no model", "title = \"x\"\n", "1: network.model: missing; expected one of fabric, loggp"},
		{"missing key", "title = \"x\"\n[loggp]\nL = \"1us\"\n[network]\nmodel = \"loggp\"\n", "2: loggp.o: missing; expected a time such as 175ns or 0.175us, in quotes"},
		{"values that collide", base + "[switch]\nbuffer = \"1KiB\"\n",
			" switch.buffer of 1KiB collides with packet.payload of 1792B"},
	} {
		if err := os.WriteFile("my.toml", []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load("my.toml")
		switch want := "my.toml:" + c.want; {
		case err == nil:
			t.Errorf("%s: accepted, want %q", c.name, want)
		case strings.HasSuffix(want, ": ") || strings.Contains(want, "collides"):
			if !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s:\ngot  %v\nwant %s...", c.name, err, want)
			}
		case err.Error() != want:
			t.Errorf("%s:\ngot  %v\nwant %s", c.name, err, want)
		}
	}
}

// Leaving out any key that has no documented zero is noticed. Machines of one model have the same keys.
func TestEveryRequiredKeyIsMissed(t *testing.T) {
	seen := map[[2]string]bool{}
	for _, m := range All() {
		whole, leaves := text(t, m), slices.Concat(ofAll(), ofModel(m))
		for _, p := range m.Parameters() {
			if pair := [2]string{m.ModelName(), p.Key}; seen[pair] {
				continue
			} else {
				seen[pair] = true
			}
			_, err := loadText(t, without(t, whole, p.Key))
			missed := err != nil && strings.Contains(err.Error(), ": missing")
			f := leaves[slices.IndexFunc(leaves, func(l leaf) bool { return l.key == p.Key })]
			optional := f.optional && !(f.key == "interface.model" && m.ModelName() == "windows") // then what "dma" needs is missing
			if missed == optional {
				t.Errorf("%s without %s: error %v, but optional is %v", m.Name, p.Key, err, optional)
			}
		}
	}
}

// without returns a machine file without the line of a key.
func without(t *testing.T, file, key string) string {
	t.Helper()
	table, name, _ := strings.Cut(key, ".")
	begin := strings.Index(file, "\n["+table+"]\n")
	begin += strings.Index(file[begin:], "\n"+name+" = ") + 1
	rest := file[begin:]
	if !strings.HasPrefix(rest, name+" = ") {
		t.Fatalf("no %s in\n%s", key, file)
	}
	_, behind, _ := strings.Cut(rest, "\n")
	return file[:begin] + behind
}

func TestBase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	text := `base = "rhinet2"
title = "RHiNET-2 with a faster bus"
[bus]
rate = { value = "1066MB/s", kind = "assumed", note = "PCI-X at 133 MHz" }
[nic]
in_flight = 4
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	original := load(t, "rhinet2")
	if m.Name != "mine" || m.Title != "RHiNET-2 with a faster bus" || m.Summary != original.Summary {
		t.Errorf("name %q, title %q, summary %q", m.Name, m.Title, m.Summary)
	}
	if m.Bus.Rate != 1066*units.MBPerSecond || m.NIC.InFlight != 4 || m.Switch != original.Switch {
		t.Errorf("bus %v, in flight %d, switch %+v", m.Bus.Rate, m.NIC.InFlight, m.Switch)
	}
	if got, want := find(m, "bus.rate"), (Parameter{Key: "bus.rate", Value: "1066MB/s", Kind: Assumed, Note: "PCI-X at 133 MHz"}); got != want {
		t.Errorf("bus.rate is %+v, want %+v", got, want)
	}
	if got, want := find(m, "nic.in_flight").Note, "set in "+path+"; 1 (published) in its base"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	if len(m.Parameters()) != len(original.Parameters()) {
		t.Errorf("%d parameters, want %d", len(m.Parameters()), len(original.Parameters()))
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.toml")
	if err := os.WriteFile(large, make([]byte, 1<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "folder.toml")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"rhinet":                          `unknown machine "rhinet"; known: ` + strings.Join(Names(), ", ") + `, or the path of a .toml file`,
		"":                                `unknown machine ""; known: `,
		"../rhinet2":                      `unknown machine "../rhinet2"; known: `,
		filepath.Join(dir, "no.toml"):     "no such file",
		folder:                            "not a regular file",
		large:                             "1048577 bytes; expected at most 1048576",
		strings.Repeat("x", 70) + ".toml": "no such file",
	} {
		m, err := Load(name)
		if err == nil {
			t.Errorf("Load(%q) = %v", name, m)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q): %v; want %q", name, err, want)
		}
	}
}

// Whatever is accepted is sound, and writes and reads back the same.
func FuzzLoad(f *testing.F) {
	for _, name := range Names() {
		data, err := os.ReadFile("machines/" + name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{
		"base = \"ndr\"\n[link]\nspeeds = false\n[switch]\nengine = \"flit\"\n",
		"base = \"loggp\"\n[loggp]\nG = { value = \"0.04ns/B\", kind = \"assumed\", note = \"\\u0001\\\"\\\\\" }\n",
		"switch.latency = \"1ns\"\n\"switch\".\"vcs\" = 3\nswitch = {vcs = 1}\n[a.b]\n[[c]]\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := loadText(t, string(data))
		if err != nil {
			if strings.ContainsRune(err.Error(), '\n') {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if err := m.Validate(); err != nil {
			t.Errorf("accepted, but %v", err)
		}
		written := text(t, m)
		again, err := loadText(t, written)
		if err != nil {
			t.Fatalf("written machine does not read back: %v\n%s", err, written)
		}
		again.Base = m.Base // what is written is whole
		if !reflect.DeepEqual(again, m) {
			t.Errorf("changed by writing and reading:\n%+v\n%+v", m, again)
		}
	})
}
