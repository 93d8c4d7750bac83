package main

import (
	"fmt"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/launch"
)

func TestListsOfHosts(t *testing.T) {
	for _, c := range []struct{ list, want string }{
		{"a", "[{a 1}]"},
		{"a:2,b:3", "[{a 2} {b 3}]"},
		{"a:1,a:1", "[{a 1} {a 1}]"},
		{"user@node-1.net:4", "[{user@node-1.net 4}]"},
		{"[fe80::1]:2,[::1]", "[{fe80::1 2} {::1 1}]"},
		{"", ""}, {"a:", ""}, {":2", ""}, {"a:0", ""}, {"a:-1", ""}, {"a:b", ""}, {"a:2,", ""}, {"[]:1", ""},
	} {
		hosts, err := launch.ParseHosts(c.list)
		if got := fmt.Sprint(hosts); err == nil && got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q is %s, %v; want %s", c.list, got, err, c.want)
		}
	}
}

func TestHostFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\nb 2\n\n# none\nc slots=3 # of 4\n", "[{a 1} {b 2} {c 3}]"},
		{"a 2", "[{a 2}]"},
		{"", "f: no host; expected one in each line"},
		{"a 1\nb 2 3\n", `f:2: "b 2 3"; expected a host and a number of ranks`},
		{"a cores=2", `f:1: host "a" with "cores=2" ranks; expected a name and a number from 1 on, such as node1:4`},
	} {
		hosts, err := launch.ScanHosts(strings.NewReader(c.text), "f")
		got := fmt.Sprint(hosts)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q is %s; want %s", c.text, got, c.want)
		}
	}
}

func TestSettingsOfTheEnvironment(t *testing.T) {
	t.Setenv("MUSUBI_TEST_SET", "a value")
	for _, c := range []struct{ given, want string }{
		{"NAME=value", "NAME=value"},
		{"NAME=", "NAME="},
		{"NAME=a=b", "NAME=a=b"},
		{"MUSUBI_TEST_SET", "MUSUBI_TEST_SET=a value"},
		{"MUSUBI_TEST_UNSET", ""}, {"=value", ""}, {"", ""},
	} {
		got, err := launch.EnvironmentSetting(c.given)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("--env %q is %q, %v; want %q", c.given, got, err, c.want)
		}
	}
}
