//go:build linux

package soak

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// network is a link to another network namespace, which stands for another host. Packets
// take their time, some are lost, and if it is cut all are.
type network struct {
	namespace string
	ssh       string // the command that starts a command there
	carrier   io.Writer
}

// addresses returns those of the two ends of the link, of the network that RFC 2544 sets apart
// for measurements. Other soaks on this host have others.
func addresses() (here, there netip.Addr) {
	n := 2 * uint32(os.Getpid()) % (1 << 17)
	here = netip.AddrFrom4([4]byte{198, 18 + byte(n>>16), byte(n >> 8), byte(n)})
	return here, here.Next()
}

// newNetwork makes a namespace and a link to it, for as long as the test runs. It takes
// root and the command ip.
func newNetwork(t *testing.T) *network {
	n := &network{namespace: fmt.Sprintf("soak%d", os.Getpid())}
	here, there := n.namespace+"a", n.namespace+"b"
	addressHere, addressThere := addresses()
	a, b := newDevice(t, here), newDevice(t, there)
	defer a.Close()
	defer b.Close()
	command(t, "ip", "netns", "add", n.namespace)
	t.Cleanup(func() { command(t, "ip", "netns", "del", n.namespace) })
	command(t, "ip", "link", "set", there, "netns", n.namespace)
	command(t, "ip", "addr", "add", addressHere.String(), "peer", addressThere.String(), "dev", here)
	command(t, "ip", "link", "set", here, "up")
	command(t, "ip", "-n", n.namespace, "addr", "add", addressThere.String(), "peer", addressHere.String(), "dev", there)
	command(t, "ip", "-n", n.namespace, "link", "set", there, "up")
	command(t, "ip", "-n", n.namespace, "link", "set", "lo", "up")
	n.carrier = startCarrying(t, a, b)
	n.ssh = filepath.Join(t.TempDir(), "ssh")
	script := fmt.Sprintf("#!/bin/sh\nhost=$1\nshift\nexec ip netns exec $host env SSH_CONNECTION='%v 1 %v 22' sh -c \"$*\"\n", addressHere, addressThere)
	if err := os.WriteFile(n.ssh, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return n
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if output, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, output)
	}
}

// newDevice makes a network device, whose packets are read from and written to a file, and
// which is there as long as that is open.
func newDevice(t *testing.T, name string) *os.File {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("/dev/net/tun: %v", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		t.Fatal(err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		t.Fatalf("network device %s: %v", name, err)
	}
	return os.NewFile(uintptr(fd), name)
}

// cut cuts the network, or lets it be whole again.
func (n *network) cut(is bool) error {
	what := byte(wholeNetwork)
	if is {
		what = cutNetwork
	}
	if _, err := n.carrier.Write([]byte{what}); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	return nil
}

// Room of sockets, as the system takes it: the least, at first, and the most bytes.
const (
	roomToReceive = "/proc/sys/net/ipv4/tcp_rmem"
	roomToSend    = "/proc/sys/net/ipv4/tcp_wmem"
	narrowRoom    = "4096 4096 8192"
)

// setRoom gives sockets of the other end little room, or as much as those of this end have.
func (n *network) setRoom(narrow bool) error {
	for _, file := range []string{roomToReceive, roomToSend} {
		room := []byte(narrowRoom)
		if !narrow {
			var err error
			if room, err = os.ReadFile(file); err != nil {
				return err
			}
		}
		cmd := exec.Command("ip", "netns", "exec", n.namespace, "tee", file)
		cmd.Stdin = bytes.NewReader(room)
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("room of sockets: %w: %s", err, output)
		}
	}
	return nil
}
