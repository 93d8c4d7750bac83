package live

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"musubi/internal/check"
)

// awaitOutput waits until all ranks have written something.
func (x *externRanks) awaitOutput(t *testing.T) {
	t.Helper()
	for rank, o := range x.outputs {
		for !strings.Contains(o.String(), "process") {
			select {
			case <-x.done[rank]:
				t.Fatalf("rank %d ends and does not say which process it is; it writes\n%s", rank, o)
			case <-time.After(time.Millisecond):
			}
		}
	}
}

// Ranks that nobody of Musubi has started are named, too, by all that wait for them.
func TestLostRanksOfOtherStarters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		victim int
		signal syscall.Signal
		told   string
	}{
		{"killed", 1, syscall.SIGKILL, "the process of rank 1 has ended before its program was done"},
		{"stopped", 1, syscall.SIGSTOP, "rank 1 has given no sign of life for 1s"},
		{"the one with the hub killed", 0, syscall.SIGKILL, "the process of rank 0 has ended before its program was done"},
		{"the one with the hub stopped", 0, syscall.SIGSTOP, "rank 0 has given no sign of life for 1s"},
	} {
		for _, transport := range []string{TransportAuto, TransportTCP} {
			t.Run(c.name+"/"+transport, func(t *testing.T) {
				t.Parallel()
				hub := check.FreeAddress()
				x := startExtern(t, 4, "wait for one", nil, func(rank int) []string {
					return append(variables(rank, 4, hub), "MUSUBI_KEY"+"="+testKey, transportVariable+"="+transport,
						boundVariable+"="+shortBound.String(), fmt.Sprint(victimVariable, "=", c.victim))
				})
				x.awaitOutput(t)
				if err := x.commands[c.victim].Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
				x.awaitEnd(c.victim)
				for rank, o := range x.outputs {
					if rank != c.victim && !strings.Contains(o.String(), "told: live: "+c.told+"\n") {
						t.Errorf("rank %d is not told that %s; it writes\n%s", rank, c.told, o)
					}
				}
			})
		}
	}
}

// awaitEnd waits for all ranks but one, which it ends then.
func (x *externRanks) awaitEnd(victim int) {
	for rank := range x.commands {
		if rank != victim {
			<-x.done[rank]
		}
	}
	_ = x.commands[victim].Process.Kill()
	x.ended.Wait()
}

func TestRanksThatDoNotCome(t *testing.T) {
	t.Parallel()
	hub := check.FreeAddress()
	x := startExtern(t, 2, "ring", nil, func(rank int) []string {
		return append(variables(rank, 3, hub), "MUSUBI_KEY"+"="+testKey, boundVariable+"=200ms")
	})
	x.ended.Wait()
	if got, want := x.outputs[0].String(), "Run returns \"\", live: rank 2 has not come within 1.2s\n"; got != want {
		t.Errorf("rank 0 writes %s, want %s", got, want)
	}
}

// A process with another key does not get in.
func TestForeignRanks(t *testing.T) {
	t.Parallel()
	hub := check.FreeAddress()
	x := startExtern(t, 2, "ring", nil, func(rank int) []string {
		return append(variables(rank, 2, hub), fmt.Sprintf("%s=%064d", "MUSUBI_KEY", rank), boundVariable+"=200ms")
	})
	x.ended.Wait()
	if got := x.outputs[1].String(); !strings.Contains(got, "another job") {
		t.Errorf("the rank with another key writes %s, want that it belongs to another job", got)
	}
	if got := x.outputs[0].String(); !strings.Contains(got, "rank 1 has not come") || !strings.Contains(got, "another job") {
		t.Errorf("rank 0 writes %s, want that it has refused another job, and that rank 1 has not come", got)
	}
}

// network is two hosts of its own, as far as the network and processes go.
type network struct{ names [2]string }

// newNetwork makes it, if the user may.
func newNetwork(t *testing.T) network {
	t.Helper()
	tool(t, "ip")
	tool(t, "unshare")
	if os.Geteuid() != 0 {
		t.Skip("network namespaces are made by root only")
	}
	n := network{[2]string{fmt.Sprint("musubi-a-", os.Getpid()), fmt.Sprint("musubi-b-", os.Getpid())}}
	t.Cleanup(func() {
		for _, name := range n.names {
			_ = exec.Command("ip", "netns", "delete", name).Run()
		}
	})
	a, b := n.names[0], n.names[1]
	for _, command := range []string{
		"netns add " + a, "netns add " + b,
		"-n " + a + " link add cable type veth peer name cable netns " + b,
		"-n " + a + " address add 10.77.0.1/24 dev cable", "-n " + b + " address add 10.77.0.2/24 dev cable",
		"-n " + a + " link set cable up", "-n " + b + " link set cable up",
		"-n " + a + " link set lo up", "-n " + b + " link set lo up",
	} {
		if output, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", command, err, output)
		}
	}
	return n
}

// start starts ranks, half of them on each host.
func (n network) start(t *testing.T, ranks int, program string, env ...string) *externRanks {
	return startExtern(t, ranks, program, func(rank int) []string {
		return []string{"ip", "netns", "exec", n.names[rank*2/ranks], "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}
	}, func(rank int) []string {
		return append(append(variables(rank, ranks, "10.77.0.1:7777"), "MUSUBI_KEY"+"="+testKey), env...)
	})
}

func TestRanksOnSeveralHosts(t *testing.T) {
	newNetwork(t).start(t, 2, "ring").expect(t, "Run returns \"2 ranks\", <nil>\n")
}

// When the network between hosts is cut, each side loses the other.
func TestCutNetwork(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	x := n.start(t, 2, "wait for one", boundVariable+"="+shortBound.String(), victimVariable+"=-1", transportVariable+"="+TransportTCP)
	x.awaitOutput(t)
	if output, err := exec.Command("ip", "-n", n.names[1], "link", "set", "cable", "down").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	x.ended.Wait()
	for rank, o := range x.outputs {
		if want := fmt.Sprintf("rank %d", 1-rank); !strings.Contains(o.String(), "told: live: "+want) {
			t.Errorf("rank %d is not told of %s; it writes\n%s", rank, want, o)
		}
	}
}
