package machine_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "musubi/sim/machine"
)

// Every machine has a page, and the files and parameters that pages show exist.
func TestPages(t *testing.T) {
	example := regexp.MustCompile("(?s)```toml\n# (\\S+)\n(.*?)```")
	parameter := regexp.MustCompile("(?:--set |`)((?:[a-z]+)\\.[a-zA-Z_]+)(?:`|[ =])")
	tables := tablesOfAll()
	for _, name := range Names() {
		data, err := os.ReadFile(filepath.Join("..", "..", "docs", "machines", name+".md"))
		if err != nil {
			t.Error(err)
			continue
		}
		page := string(data)
		if !strings.HasPrefix(page, "# "+name+"\n") {
			t.Errorf("%s.md does not begin with the name of its machine", name)
		}
		examples := example.FindAllStringSubmatch(page, -1)
		if examples == nil {
			t.Errorf("%s.md shows no file", name)
		}
		for _, e := range examples {
			path := filepath.Join(t.TempDir(), e[1])
			if err := os.WriteFile(path, []byte(e[2]), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(path); err != nil {
				t.Errorf("%s.md: %v", name, err)
			}
		}
		m := load(t, name)
		for _, match := range parameter.FindAllStringSubmatch(page, -1) {
			if slices.Contains(tables, table(match[1])) && !known(m, match[1]) {
				t.Errorf("%s.md: %s is no parameter", name, match[1])
			}
		}
	}
}

// tablesOfAll returns the tables that built-in machines have.
func tablesOfAll() (tables []string) {
	for _, m := range All() {
		for _, p := range m.Parameters() {
			tables = append(tables, table(p.Key))
		}
	}
	return slices.Compact(tables)
}
