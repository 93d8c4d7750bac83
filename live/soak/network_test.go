//go:build linux

package soak

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// network is a link to another network namespace, which stands for another host. Packets
// take their time, some are lost, and if it is cut all are.
type network struct {
	namespace string
	ssh       string // the command that starts a command there
	cut       atomic.Bool
}

const (
	networkDelay = 2 * time.Millisecond // in each direction
	networkLoss  = 0.005                // share of packets
	networkQueue = 1000                 // packets under way
)

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
	command(t, "ip", "netns", "add", n.namespace)
	t.Cleanup(func() { command(t, "ip", "netns", "del", n.namespace) })
	command(t, "ip", "link", "set", there, "netns", n.namespace)
	command(t, "ip", "addr", "add", addressHere.String(), "peer", addressThere.String(), "dev", here)
	command(t, "ip", "link", "set", here, "up")
	command(t, "ip", "-n", n.namespace, "addr", "add", addressThere.String(), "peer", addressHere.String(), "dev", there)
	command(t, "ip", "-n", n.namespace, "link", "set", there, "up")
	command(t, "ip", "-n", n.namespace, "link", "set", "lo", "up")
	go n.carry(a, b, 1)
	go n.carry(b, a, 2)
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

// newDevice makes a network device, whose packets are read from and written to a file.
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
	file := os.NewFile(uintptr(fd), name)
	t.Cleanup(func() { file.Close() })
	return file
}

// carry takes packets from one end of the link to the other, until it is closed.
func (n *network) carry(from, to *os.File, stream uint64) {
	type packet struct {
		due  time.Time
		data []byte
	}
	queue := make(chan packet, networkQueue)
	defer close(queue)
	go func() {
		for p := range queue {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.data) // a packet that cannot be written is lost
		}
	}()
	rng := rand.New(rand.NewPCG(5, stream))
	room := make([]byte, 64<<10)
	for {
		size, err := from.Read(room)
		if err != nil {
			return
		}
		if n.cut.Load() || rng.Float64() < networkLoss {
			continue
		}
		select {
		case queue <- packet{time.Now().Add(networkDelay), append([]byte(nil), room[:size]...)}:
		default:
		}
	}
}
