package memory

import (
	"math"
	"testing"
	"testing/fstest"
)

// The least of all bounds counts, of groups with all that they are in; page cache that would be
// given up is free.
func TestFree(t *testing.T) {
	const unlimited = math.MaxInt64
	files := func(pairs ...string) fstest.MapFS {
		system := fstest.MapFS{}
		for i := 0; i < len(pairs); i += 2 {
			system[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		}
		return system
	}
	const available = "MemTotal: 9000 kB\nMemAvailable:   1000 kB\n"
	for _, c := range []struct {
		name      string
		system    fstest.MapFS
		addresses int64
		want      int64
	}{
		{"nothing known", files(), unlimited, math.MaxInt64},
		{"available", files("proc/meminfo", available), unlimited, 1000 << 10},
		{"group", files("proc/meminfo", available, "proc/self/cgroup", "0::/user/job\n",
			"sys/fs/cgroup/user/job/memory.max", "max\n", "sys/fs/cgroup/user/memory.max", "500000\n",
			"sys/fs/cgroup/user/memory.current", "300000\n", "sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 100000\n"), unlimited, 300_000},
		{"group at the root of a container", files("proc/self/cgroup", "0::/\n",
			"sys/fs/cgroup/memory.max", "5000\n", "sys/fs/cgroup/memory.current", "7000\n"), unlimited, 0},
		{"group of version 1", files("proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4096\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "96\n"), unlimited, 4000},
		{"addresses", files("proc/meminfo", available, "proc/self/status", "Name: x\nVmSize:   100 kB\n"), 300 << 10, 200 << 10},
	} {
		if got := free(c.system, c.addresses); got != c.want {
			t.Errorf("%s: %d bytes are free, want %d", c.name, got, c.want)
		}
	}
	if got := Free(); got < 1 {
		t.Errorf("%d bytes are free here", got)
	}
}
