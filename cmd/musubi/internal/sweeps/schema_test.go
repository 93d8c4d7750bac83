package sweeps

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"musubi"
	"musubi/cmd/musubi/internal/run"
	"musubi/internal/check"
	"musubi/option"
	"musubi/sweep"

	"github.com/pelletier/go-toml/v2"
)

const examples = "../../../../examples"

var updateSchema = flag.Bool("update", false, "write the schemas of sweep and scenario files anew")

// schemas are those of the files that commands read, each beside an example.
var schemas = []struct {
	name   string // of the example, and of its directory
	schema func() map[string]any
}{
	{"sweep", sweepSchema},
	{"scenario", scenarioSchema},
}

// TestSchemas holds the schemas to the options that the files can have; with -update it writes them.
func TestSchemas(t *testing.T) {
	for _, s := range schemas {
		file := filepath.Join(examples, s.name, s.name+".schema.json")
		want, err := json.MarshalIndent(s.schema(), "", "  ")
		check.Must(t, err)
		want = append(want, '\n')
		if *updateSchema {
			check.Must(t, os.WriteFile(file, want, 0o644))
		}
		got, err := os.ReadFile(file)
		check.Must(t, err)
		if string(got) != string(want) {
			t.Errorf("%s is not the schema of the options; -update writes it", file)
		}
	}
}

// The examples have keys of their schemas only.
func TestExamplesFitSchemas(t *testing.T) {
	for _, s := range schemas {
		text, err := os.ReadFile(filepath.Join(examples, s.name, s.name+".toml"))
		check.Must(t, err)
		var file map[string]any
		check.Must(t, toml.Unmarshal(text, &file))
		known := s.schema()["properties"].(map[string]any)
		for key := range file {
			if known[key] == nil {
				t.Errorf("%s.toml: key %q is not in the schema", s.name, key)
			}
		}
	}
}

// sweepSchema returns the JSON schema of sweep files.
func sweepSchema() map[string]any {
	var f sweepFlags
	f.run.Scenario = musubi.Usual()
	options := f.run.Lists.Options(&f.run.Scenario)
	return schemaOf("Sweep of Musubi", slices.Concat(options, option.Named(option.Of(&f.run), "seeds"), option.Of(&f.repeat)))
}

// scenarioSchema returns the JSON schema of the files of "musubi run -f".
func scenarioSchema() map[string]any {
	var f run.Flags
	f.Scenario = musubi.Usual()
	return schemaOf("Scenario of Musubi", f.Lists.Options(&f.Scenario))
}

// schemaOf returns the JSON schema of files with these options.
func schemaOf(title string, options []*option.Option) map[string]any {
	properties := map[string]any{}
	for _, o := range options {
		properties[o.Name] = propertyOf(o)
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "type": "object",
		"properties": properties, "additionalProperties": false,
	}
}

// propertyOf returns the schema of the values of an option: one, or where lists are taken several.
func propertyOf(o *option.Option) map[string]any {
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
	if slices.Contains(sweep.Listable(), o.Name) {
		property = map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one, "minItems": 1}}}
	}
	if o.Help != "" {
		property["description"] = o.Help
	}
	return property
}
