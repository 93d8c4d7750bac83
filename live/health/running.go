package health

import (
	"bytes"
	"fmt"
	"musubi/live/tcp"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// isRunning reports whether a process of this host runs, or waits for a processor. On a
// machine that has too much to do such a process may say nothing for long, and yet lives.
// One that is stopped, frozen, or gone is not running.
func isRunning(pid int) bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is good
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		// The name, which may contain anything, ends with the last bracket.
		if end := bytes.LastIndexByte(stat, ')'); end >= 0 && bytes.HasPrefix(stat[end+1:], []byte(" R")) {
			return true
		}
	}
	return false
}

// isPeerRunning reports whether a process is on this host, and running. Of those on other
// hosts nothing is known.
func isPeerRunning(p tcp.Peer) bool { return p.PID != 0 && p.Node == Node() && isRunning(p.PID) }

// Node identifies the host: ranks with equal ones see each other's processes, and so can
// share memory.
var Node = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	processes, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return fmt.Sprintf("process %d", os.Getpid())
	}
	return strings.TrimSpace(string(boot)) + " " + processes
})
