package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"musubi/internal/check"
)

// The fields of each command's JSON are those that docs/json.md lists in the row of the command.
func TestJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	check.Must(t, err)
	t.Chdir("../..")
	const sixteen = "--topology examples/fabrics/sixteen.ibnetdiscover "
	for _, c := range []struct{ row, args string }{
		{"`topology`", "topology torus:4x4"},
		{"`machines`", "machines"},
		{"`machines NAME`", "machines ndr"},
		{"`route`", "route --topology torus:4x4 --routing dl"},
		{"`verify`", "verify " + sixteen + "--lfts examples/fabrics/sixteen-updn.lfts"},
		{"`verify` of sets of next hops", "verify --topology examples/fabrics/bounce.sonic --tables examples/fabrics/bounce.sonic"},
		{"`reroute`", "reroute " + sixteen + "--previous examples/fabrics/sixteen-updn.lfts --without s3[2]"},
		{"`faults`", "faults --topology torus:4x4 --routing lash"},
		{"`run`, `bench`", "run pingpong --on ndr --set bytes=8"},
		{"`run`, `bench`", "bench latency --on loggp"},
		{"`run --estimate`", "run pingpong --on ndr --estimate"},
		{"`run` with lists, `sweep`", "run pingpong --on ndr,loggp --set bytes=8"},
		{"`compare`", "compare --size 16 --topology torus:4x4 --job barrier:orders=2"},
		{"`run`, `bench`", "run --jobs examples/jobs/jobs.toml --on ndr --topology fattree:k=4,over=2"},
		{"`watch`", "watch --once --topology examples/fabrics/bounce.sonic --tables examples/fabrics/bounce.sonic"},
		{"`reproduce`", "reproduce ndr"},
		{"`tune`", "tune --on loggp -n 2 --bytes 8"},
		{"`tune --renew`", "tune --renew " + measuredBriefly(t)},
		{"`version`", "version"},
	} {
		t.Run(c.args, func(t *testing.T) {
			if takesSeconds := c.row == "`reproduce`"; takesSeconds != *long {
				t.Skip("with -long what takes seconds, without it the others")
			}
			var stdout, stderr bytes.Buffer
			if status := execute(context.Background(), append(strings.Fields(c.args), "--json", "--quiet"), &stdout, &stderr); status > 1 {
				t.Fatalf("exit status %d: %s", status, &stderr)
			}
			documented := fieldsOf(t, string(text), c.row)
			found := fieldNames(t, stdout.Bytes())
			for _, key := range found {
				if _, is := documented[key]; !is {
					t.Errorf("docs/json.md does not list %q", key)
				}
			}
			for key, always := range documented {
				if always && !slices.Contains(found, key) {
					t.Errorf("docs/json.md lists %q, which is not there", key)
				}
			}
		})
	}
}

// measuredBriefly writes a file of measurements that can be renewed at once, and returns its name.
func measuredBriefly(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "brief.tuning")
	check.Must(t, os.WriteFile(file, []byte("# musubi tune --on loggp --ranks 2 --bytes 8 --operation scan\nscan 2 linear 8=1\n"), 0o644))
	return file
}

var (
	nested = regexp.MustCompile(`\([^()]*\)`)
	quoted = regexp.MustCompile("`([a-z_]+)([?]?)`")
)

// fieldsOf returns the fields that a row lists, and whether they are always there.
func fieldsOf(t *testing.T, text, row string) map[string]bool {
	t.Helper()
	for line := range strings.Lines(text) {
		columns := strings.Split(line, "|")
		if len(columns) < 4 || strings.TrimSpace(columns[1]) != row {
			continue
		}
		fields := map[string]bool{}
		for _, m := range quoted.FindAllStringSubmatch(nested.ReplaceAllString(columns[3], ""), -1) {
			fields[m[1]] = m[2] == ""
		}
		return fields
	}
	t.Fatalf("docs/json.md has no row of %s", row)
	return nil
}

// fieldNames returns the keys of an object, or of all objects of an array.
func fieldNames(t *testing.T, text []byte) []string {
	t.Helper()
	var list []map[string]any
	if text[0] == '{' {
		list = make([]map[string]any, 1)
		check.Must(t, json.Unmarshal(text, &list[0]))
	} else {
		check.Must(t, json.Unmarshal(text, &list))
	}
	keys := map[string]any{}
	for _, o := range list {
		maps.Copy(keys, o)
	}
	return slices.Collect(maps.Keys(keys))
}
