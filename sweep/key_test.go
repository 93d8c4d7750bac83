package sweep

import (
	"os"
	"path/filepath"
	"testing"

	"musubi"
	"musubi/internal/check"
)

// The files of workloads count, as others do: a run is another one when its schedule has changed.
func TestFilesOfWorkloadsNameRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.goal")
	s := musubi.Scenario{Workload: "trace", Machine: "ndr", Set: map[string]string{"file": path}}
	key := func(text string) string {
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
		task, err := newTask(s, "v1")
		check.Must(t, err)
		return task.Key
	}
	if key("num_ranks 1\n") == key("num_ranks 2\n") {
		t.Error("runs of two schedules have one name")
	}
	s.Workload = "pingpong" // has no such parameter
	if files := Files(&s); len(files) > 0 {
		t.Errorf("%v are files of pingpong; expected none", files)
	}
}
