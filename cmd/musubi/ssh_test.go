package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestHosts runs testdata/ssh/*.txtar, in which hosts are this one, reached over ssh.
// Their names are in a configuration that $SSH names, with one that nobody listens on
// (gone) and one whose key is not known (unknown).
func TestHosts(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	needs(t, "ssh", "sshd", "ssh-keygen")
	config := serveSSH(t, func(config string) *net.TCPAddr { return listenForSSH(t, config) })
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/ssh",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			musubi, err := exec.LookPath("musubi") // of package testscript
			if err != nil {
				return err
			}
			e.Setenv("SSH", "ssh -T -F "+config)
			e.Setenv("MUSUBI", musubi)
			return endAtOnce(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": checkStatus, "oneline": checkOneLine,
		},
	})
}

// needs skips a test where a tool is not installed, but fails it where all should be.
func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil && os.Getenv("CI") == "true" {
			t.Fatal(err)
		} else if err != nil {
			t.Skip(err)
		}
	}
}

// serveSSH makes keys, lets listen run an ssh server with a configuration for this user
// until the test ends, and returns a configuration for clients.
func serveSSH(t *testing.T, listen func(config string) *net.TCPAddr) string {
	t.Helper()
	dir := t.TempDir()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	write := func(name, format string, args ...any) {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, format, args...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hostKey, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	write("known", "musubi-test %s", hostKey)
	write("sshd", `HostKey %[1]s/host
AuthorizedKeysFile %[1]s/user.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile none
SetEnv GORACE=atexit_sleep_ms=0:halt_on_error=1
`, dir)
	address := listen(filepath.Join(dir, "sshd"))
	write("client", `Host gone
  Port 1
Host unknown
  UserKnownHostsFile /dev/null
Host *
  HostName %[2]s
  Port %[3]d
  User %[4]s
  BatchMode yes
  IdentityFile %[1]s/user
  IdentitiesOnly yes
  UserKnownHostsFile %[1]s/known
  HostKeyAlias musubi-test
  StrictHostKeyChecking yes
`, dir, address.IP, address.Port, me.Username)
	return filepath.Join(dir, "client")
}

// findServer returns the path of sshd, which wants to be called by it.
func findServer(t *testing.T) string {
	t.Helper()
	if os.Geteuid() == 0 { // where it separates privileges
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		t.Fatal(err)
	}
	return sshd
}

// listenForSSH starts a server process for each connection, until the test ends.
func listenForSSH(t *testing.T, config string) *net.TCPAddr {
	t.Helper()
	sshd := findServer(t)
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(func() { listener.Close() })
	all.Go(func() {
		for {
			conn, err := listener.AcceptTCP()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			all.Go(func() { serveConnection(t, sshd, config, conn) })
		}
	})
	return listener.Addr().(*net.TCPAddr)
}

// serveConnection lets a server process have a connection.
func serveConnection(t *testing.T, sshd, config string, conn *net.TCPConn) {
	file, err := conn.File()
	conn.Close()
	if err != nil {
		t.Error(err)
		return
	}
	defer file.Close()
	cmd := exec.Command(sshd, "-i", "-e", "-f", config)
	cmd.Stdin, cmd.Stdout = file, file
	_ = cmd.Run() // its status is that of what the client has run
}
