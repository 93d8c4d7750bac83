package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"musubi/internal/check"
)

// display stands for what notebooks have to show pictures with.
const display = `import sys, types
shown = types.ModuleType("IPython.display")
def SVG(filename):
    assert open(filename).read().startswith("<")
shown.SVG = SVG
sys.modules["IPython"], sys.modules["IPython.display"] = types.ModuleType("IPython"), shown
`

// The cells of the notebook run one after the other, and what it prints has all curves.
func TestNotebook(t *testing.T) {
	needs(t, "python3")
	text, err := os.ReadFile("../../examples/notebook/saturation.ipynb")
	check.Must(t, err)
	var notebook struct {
		Cells []struct {
			Kind   string `json:"cell_type"`
			Source []string
		}
	}
	check.Must(t, json.Unmarshal(text, &notebook))
	program := display
	for _, c := range notebook.Cells {
		if c.Kind == "code" {
			program += strings.Join(c.Source, "") + "\n"
		}
	}
	file := filepath.Join(t.TempDir(), "notebook.py")
	check.Must(t, os.WriteFile(file, []byte(program), 0o600))
	out, err := exec.Command("python3", file).CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") != 4 || strings.Count(string(out), " us") != 16 {
		t.Errorf("%v; printed\n%s\nexpected a line for each of two networks and two routings, with four loads", err, out)
	}
}
