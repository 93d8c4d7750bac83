//go:build linux

package soak

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"musubi/live"
)

var (
	soakFor    = flag.Duration("soak", time.Second, "for how long to start jobs")
	seedFlag   = flag.Uint64("seed", 0, "of everything random; 0: another each time")
	starveFlag = flag.Bool("starve", false, "let others take all processors in some jobs; it takes the right to real-time priority, and disturbs all that runs beside it")
	transports = flag.String("transports", "shm,tcp,mixed", "between ranks; those of the jobs in turn. Besides these there is net, to another network namespace, which takes root")
)

// What this program does besides, by its first argument.
const (
	agentRole    = "agent"
	carrierRole  = "carry"
	starvingRole = "starve"
)

var roles = map[string]func() error{
	agentRole:    func() error { return live.Agent(context.Background(), os.Stdin, os.Stdout) },
	carrierRole:  carry,
	starvingRole: starve,
}

// TestMain makes this program that of the ranks and agents as well. What it sets lets the
// race detector end a rank that has a race, so that its job does not end as it should.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0 halt_on_error=1"); err != nil {
		panic(err)
	}
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		if err := roles[os.Args[1]](); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(confinedVariable) != "" && live.Inside() {
		if err := confine(); err != nil {
			panic(err)
		}
	}
	if live.Inside() {
		_, err := live.Main(context.Background(), live.Config{}, program)
		fmt.Fprintln(os.Stderr, "Run has returned in a rank:", err)
		os.Exit(9)
	}
	os.Exit(m.Run())
}

// TestSoak runs one job after the other, each with the next seed.
func TestSoak(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64N(1e9)
	}
	ways := strings.Split(*transports, ",")
	for _, way := range ways {
		if !slices.Contains(allTransports, way) {
			t.Fatalf("-transports %s; expected some of %v", *transports, allTransports)
		}
	}
	var net *network
	if slices.Contains(ways, "net") {
		net = newNetwork(t)
	}
	hardships := []hardship{none, paused, confined, collected}
	if *starveFlag {
		hardships = append(hardships, starved)
	}
	outcomes := map[string]int{}
	var before leftovers
	number := uint64(0)
	for end := time.Now().Add(*soakFor); number < uint64(len(ways)) || time.Now().Before(end); number++ { // at least one with each transport
		j := newJob(seed+number, ways[number%uint64(len(ways))], net, hardships)
		if err := j.run(t.Context()); err != nil {
			t.Fatalf("%v: %v; again with -seed %d -transports %s -starve=%v\n%s", j, err, j.Seed, j.transport, *starveFlag, j.output())
		}
		outcomes[fmt.Sprintf("%s, %v: %v", j.transport, j.hardship, j.trouble)]++
		switch number {
		case 0: // what is made once is there now
			before = look()
		default:
			if err := before.compare(); err != nil {
				t.Fatalf("after %v: %v", j, err)
			}
		}
	}
	t.Logf("%d jobs from seed %d on", number, seed)
	for what, n := range outcomes {
		t.Logf("%-40s %d", what, n)
	}
}
