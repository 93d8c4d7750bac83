package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Addresses of the two hosts of TestHostsInNamespaces, and the port of its ssh server.
const (
	hereAddress, thereAddress = "10.213.77.1", "10.213.77.2"
	thereSSH                  = 2222
)

// TestHostsInNamespaces runs jobs between two hosts with addresses of their own: network
// namespaces, for which it takes root.
func TestHostsInNamespaces(t *testing.T) {
	if !*long {
		t.Skip("with -long")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root to make network namespaces")
	}
	needs(t, "ssh", "sshd", "ssh-keygen", "ip")
	here, there := joinedNamespaces(t)
	config := serveSSH(t, func(config string) *net.TCPAddr { return serveInNamespace(t, there, config) })
	musubi, err := exec.LookPath("musubi") // of package testscript
	if err != nil {
		t.Fatal(err)
	}
	launch := func(args ...string) (string, error) {
		args = append([]string{"netns", "exec", here, musubi, "launch", "--ssh", "ssh -T -F " + config, "--remote-musubi", musubi}, args...)
		out, err := exec.Command("ip", args...).CombinedOutput()
		return string(out), err
	}
	for _, hosts := range []string{"localhost:2,there:2", "there:1,localhost:2,there:1", "there:2,there:2"} {
		out, err := launch("--hosts", hosts, musubi, "run", "barrier", "--on", "live", "-n", "4", "--set", "iterations=1")
		if err != nil || !strings.Contains(out, "rank 0: ranks     4\n") {
			t.Errorf("a job on %s ends with %v:\n%s", hosts, err, out)
		}
	}
	out, err := launch("--hosts", "localhost:1,there:1", "sh", "-c",
		`test $MUSUBI_RANK = 1 && sleep 1 && kill -9 $$; exec `+musubi+` run barrier --on live -n 2`)
	if want := "musubi: rank 1 on there: the process was ended by a signal (killed)\n"; err == nil || !strings.HasSuffix(out, want) {
		t.Errorf("a job whose rank is killed on the other host ends with %v; want %s%s", err, want, out)
	}
}

// joinedNamespaces makes two network namespaces with a link between them, until the test
// ends.
func joinedNamespaces(t *testing.T) (here, there string) {
	t.Helper()
	here, there = fmt.Sprintf("musubi-a-%d", os.Getpid()), fmt.Sprintf("musubi-b-%d", os.Getpid())
	for _, name := range []string{here, there} {
		ip(t, "netns add "+name)
		t.Cleanup(func() { ip(t, "netns delete "+name) })
		ip(t, "-netns "+name+" link set lo up")
	}
	ip(t, fmt.Sprintf("link add musubi0 netns %s type veth peer name musubi0 netns %s", here, there))
	for name, address := range map[string]string{here: hereAddress, there: thereAddress} {
		ip(t, fmt.Sprintf("-netns %s address add %s/24 dev musubi0", name, address))
		ip(t, fmt.Sprintf("-netns %s link set musubi0 up", name))
	}
	return here, there
}

func ip(t *testing.T, args string) {
	t.Helper()
	if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v: %s", args, err, out)
	}
}

// serveInNamespace runs an ssh server in a namespace until the test ends.
func serveInNamespace(t *testing.T, name, config string) *net.TCPAddr {
	t.Helper()
	cmd := exec.Command("ip", "netns", "exec", name, findServer(t), "-D", "-e", "-f", config,
		"-o", "ListenAddress="+thereAddress, "-p", fmt.Sprint(thereSSH))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for !listens(name) { // if it never does, the test ends by its timeout
		time.Sleep(10 * time.Millisecond)
	}
	return &net.TCPAddr{IP: net.ParseIP(thereAddress), Port: thereSSH}
}

// listens reports whether the ssh server of a namespace does.
func listens(name string) bool {
	out, err := exec.Command("ip", "netns", "exec", name, "cat", "/proc/net/tcp").Output()
	return err == nil && strings.Contains(string(out), fmt.Sprintf(":%04X 00000000:0000 0A", thereSSH))
}
