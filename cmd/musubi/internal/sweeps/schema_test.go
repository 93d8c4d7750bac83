package sweeps

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/option"
	"musubi/sweep"

	"github.com/pelletier/go-toml/v2"
)

const schemaFile = "../../../../examples/sweep/sweep.schema.json"

var updateSchema = flag.Bool("update", false, "write the schema of sweep files anew")

// TestSchemaOfSweepFiles holds the schema to the options that sweep files can have; with -update it
// writes the schema.
func TestSchemaOfSweepFiles(t *testing.T) {
	want, err := json.MarshalIndent(sweepSchema(), "", "  ")
	check.Must(t, err)
	want = append(want, '\n')
	if *updateSchema {
		check.Must(t, os.WriteFile(schemaFile, want, 0o644))
	}
	got, err := os.ReadFile(schemaFile)
	check.Must(t, err)
	if string(got) != string(want) {
		t.Error("the schema is not that of the options; -update writes it")
	}
}

// The example has keys of the schema only.
func TestExampleFitsSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(schemaFile), "sweep.toml"))
	check.Must(t, err)
	var file map[string]any
	check.Must(t, toml.Unmarshal(text, &file))
	known := sweepSchema()["properties"].(map[string]any)
	for key := range file {
		if known[key] == nil {
			t.Errorf("key %q is not in the schema", key)
		}
	}
}

// sweepSchema returns the JSON schema of sweep files.
func sweepSchema() map[string]any {
	var f sweepFlags
	f.run.Scenario = musubi.Usual()
	options := f.run.Lists.Options(&f.run.Scenario)
	lists := sweep.Listable()
	properties := map[string]any{}
	for _, o := range slices.Concat(options, option.Named(option.Of(&f.run), "seeds"), option.Of(&f.repeat)) {
		one := map[string]any{"type": "string"}
		switch o.Type() {
		case "bool":
			one = map[string]any{"type": "boolean"}
		case "int", "uint":
			one = map[string]any{"type": "integer"}
		case "NAME=VALUE":
			value := map[string]any{"type": []string{"string", "number", "boolean", "array", "object"}}
			one = map[string]any{"type": "object", "additionalProperties": value}
		}
		if o.Values != nil {
			one["enum"] = o.Values
		}
		property := one
		if slices.Contains(lists, o.Name) {
			property = map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one, "minItems": 1}}}
		}
		if o.Help != "" {
			property["description"] = o.Help
		}
		properties[o.Name] = property
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Sweep of Musubi", "type": "object",
		"properties": properties, "additionalProperties": false,
	}
}
