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
			if _, err := Decode(e[1], name, []byte(e[2])); err != nil {
				t.Errorf("%s.md: %v", name, err)
			}
		}
		for _, match := range parameter.FindAllStringSubmatch(page, -1) {
			table, _ := SplitKey(match[1])
			if _, err := FieldFor(match[1]); err != nil && slices.Contains(TableNames(), table) {
				t.Errorf("%s.md: %s: %v", name, match[1], err)
			}
		}
	}
}
