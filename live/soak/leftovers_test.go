//go:build linux

package soak

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// leftovers is what jobs could leave behind in this process and on this host.
type leftovers struct {
	goroutines int
	files      []string // that are open, but regular ones
	mappings   int      // of memory of jobs
	shared     []string // in /dev/shm
}

func look() leftovers {
	l := leftovers{goroutines: runtime.NumGoroutine()}
	numbers, _ := os.ReadDir("/proc/self/fd")
	for _, n := range numbers {
		if target, err := os.Readlink("/proc/self/fd/" + n.Name()); err == nil {
			kind, _, _ := strings.Cut(target, ":")
			l.files = append(l.files, kind)
		}
	}
	slices.Sort(l.files)
	maps, _ := os.ReadFile("/proc/self/maps")
	l.mappings = bytes.Count(maps, []byte("memfd:musubi"))
	l.shared, _ = filepath.Glob("/dev/shm/*musubi*")
	return l
}

// compare fails if there is more now, also after a while.
func (l leftovers) compare() error {
	var now leftovers
	for wait := time.Millisecond; wait < 10*time.Second; wait *= 2 {
		now = look()
		if now.goroutines <= l.goroutines && now.mappings <= l.mappings && len(now.files) <= len(l.files) && len(now.shared) <= len(l.shared) {
			return nil
		}
		time.Sleep(wait)
	}
	stacks := make([]byte, 64<<10)
	return fmt.Errorf("there is %+v, and was %+v before\n%s", now, l, stacks[:runtime.Stack(stacks, true)])
}

// strays fails if there is still a process of the job: one with its assignment.
func (j *job) strays() error {
	mark := fmt.Appendf(nil, "%s={\"Seed\":%d,", assignmentVariable, j.Seed)
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environments {
		if environment, err := os.ReadFile(file); err == nil && bytes.Contains(environment, mark) {
			return fmt.Errorf("process %s is left", filepath.Base(filepath.Dir(file)))
		}
	}
	return nil
}
