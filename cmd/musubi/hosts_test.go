package main

import (
	"fmt"
	"os"
	"testing"

	"musubi/cmd/musubi/internal/open"
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
		hosts, err := open.Hosts(c.list)
		if got := fmt.Sprint(hosts); err == nil && got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q is %s, %v; want %s", c.list, got, err, c.want)
		}
	}
}

func TestHostFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ text, want string }{
		{"a\nb 2\n\n# none\nc slots=3 # of 4\n", "[{a 1} {b 2} {c 3}]"},
		{"a 2", "[{a 2}]"},
		{"", "f: no host; expected one in each line"},
		{"a 1\nb 2 3\n", `f:2: "b 2 3"; expected a host and a number of ranks`},
		{"a cores=2", `f:1: host "a" with "cores=2" ranks; expected a name and a number from 1 on, such as node1:4`},
	} {
		if err := os.WriteFile("f", []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		hosts, err := open.HostFile("f")
		got := fmt.Sprint(hosts)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q is %s; want %s", c.text, got, c.want)
		}
	}
}
