package job

import (
	"fmt"
	"testing"
)

func TestHubsAreWhereTheLauncherIs(t *testing.T) {
	const connection = "10.0.0.1 40000 10.0.0.2 22"
	for _, c := range []struct{ hub, connection, want string }{
		{"", connection, ""},
		{"10.9.9.9:80", connection, "10.9.9.9:80"},
		{":80", connection, "10.0.0.1:80"},
		{"0.0.0.0:80", connection, "10.0.0.1:80"},
		{"[::]:80", "fe80::1 40000 fe80::2 22", "[fe80::1]:80"},
		{"[::]:80", "", "[::]:80"},
		{"head:80", connection, "head:80"},
	} {
		if got := reachable(c.hub, c.connection); got != c.want {
			t.Errorf("hub %q, seen over %q, is %q; want %q", c.hub, c.connection, got, c.want)
		}
	}
}

func TestLastLines(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{nil, ""},
		{[]string{"one\ntwo\n"}, "two"},
		{[]string{"one\nt", "wo\n\n \n"}, "two"},
		{[]string{"one\r\nno end"}, "no end"},
	} {
		l := &lastLine{}
		for _, part := range c.parts {
			fmt.Fprint(l, part)
		}
		if got := l.text(); got != c.want {
			t.Errorf("the last line of %q is %q; want %q", c.parts, got, c.want)
		}
	}
}

func TestCommandsOfAgents(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "[ssh -T -o BatchMode=yes node 'musubi' agent]"},
		{Config{SSH: "rsh  -x", RemoteMusubi: "/opt/it's/musubi"}, `[rsh -x node '/opt/it'\''s/musubi' agent]`},
	} {
		if got := fmt.Sprint(c.cfg.agentCommand("node")); got != c.want {
			t.Errorf("the command is %s; want %s", got, c.want)
		}
	}
}
