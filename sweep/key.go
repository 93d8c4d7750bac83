package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"

	"musubi"
	"musubi/workload/programs"
)

// Task is a run that an Executor is asked for.
type Task struct {
	Key       string
	Scenario  musubi.Scenario
	Breakdown bool // of the scenario, which leaves it out of JSON
}

// newTask names the run of a scenario with a version of the program.
func newTask(s musubi.Scenario, version string) (Task, error) {
	id := struct {
		Version, Timeout string
		Scenario         musubi.Scenario
		Breakdown        bool
		Files            map[string]string // hashes of their contents
	}{version, s.Timeout.String(), s, s.Breakdown, map[string]string{}}
	for _, name := range Files(&s) {
		content, err := os.ReadFile(name)
		if err != nil {
			return Task{}, err
		}
		id.Files[name] = hash(content)
	}
	text, err := json.Marshal(id)
	return Task{Key: hash(text), Scenario: s, Breakdown: s.Breakdown}, err
}

// hash returns the first half of the SHA-256 of a text.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Files lists the files that a scenario names.
func Files(s *musubi.Scenario) []string {
	var files []string
	_, behindFormat, _ := strings.Cut(s.Topology, ":")
	names := []string{s.Machine, s.Topology, behindFormat, s.Place, s.RingsFile}
	if w, err := programs.Lookup(s.Workload); err == nil {
		names = append(names, w.Files(s.Set)...)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files
}
