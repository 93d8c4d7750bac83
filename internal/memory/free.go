// Package memory says how much memory a process can still take, and how the system is to give it.
package memory

import (
	"bufio"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// Free returns how many bytes this process can still take: what the computer has left, its control
// groups allow, and its limit of addresses (ulimit -v) leaves. Where the system tells none of them
// there is no bound.
func Free() int64 { return free(os.DirFS("/"), addressLimit()) }

// free is Free on the files of a system, with a limit of addresses.
func free(system fs.FS, addresses int64) int64 {
	left := field(system, "proc/meminfo", "MemAvailable:") << 10
	if left == 0 {
		left = math.MaxInt64
	}
	for _, group := range groups(system) {
		if limit, used := number(system, group.limit), number(system, group.used); limit > 0 {
			used -= field(system, group.stat, "inactive_file") // is given up first
			left = min(left, max(0, limit-used))
		}
	}
	if addresses < math.MaxInt64 {
		left = min(left, max(0, addresses-field(system, "proc/self/status", "VmSize:")<<10))
	}
	return left
}

// group is the files of a control group that tell of memory.
type group struct{ limit, used, stat string }

// groups returns the control groups of this process, of either version, with all that they are in.
func groups(system fs.FS) []group {
	text, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var all []group
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, limit, used := "sys/fs/cgroup", "memory.max", "memory.current"
		switch {
		case parts[1] == "memory":
			root, limit, used = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
		case parts[0] != "0":
			continue
		}
		for at := path.Join(root, parts[2]); strings.HasPrefix(at, root); at = path.Dir(at) {
			all = append(all, group{path.Join(at, limit), path.Join(at, used), path.Join(at, "memory.stat")})
		}
	}
	return all
}

// number returns the number in a file, 0 if there is none.
func number(system fs.FS, name string) int64 {
	text, err := fs.ReadFile(system, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// field returns the number behind a word at the beginning of a line, 0 if there is none.
func field(system fs.FS, name, word string) (n int64) {
	file, err := system.Open(name)
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), word); ok {
			if _, err := fmt.Sscan(rest, &n); err == nil {
				return n
			}
		}
	}
	return 0
}
