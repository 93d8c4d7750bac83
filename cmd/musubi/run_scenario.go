package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"musubi"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/cobra"
)

// scenarioFile is a scenario as a file holds it. Its keys are the names of the
// flags.
type scenarioFile struct {
	Workload  string         `toml:"workload"`
	On        string         `toml:"on"`
	Topology  string         `toml:"topology"`
	Hosts     int            `toml:"hosts"`
	Routing   string         `toml:"routing"`
	VCs       int            `toml:"vcs"`
	Selection string         `toml:"selection"`
	Root      int            `toml:"root"`
	Ranks     int            `toml:"ranks"`
	Place     string         `toml:"place"`
	Transport string         `toml:"transport"`
	Encrypt   string         `toml:"encrypt"`
	Seed      *uint64        `toml:"seed"`
	Unsafe    bool           `toml:"unsafe"`
	Record    string         `toml:"record"`
	Rings     string         `toml:"rings"`
	Breakdown bool           `toml:"breakdown"`
	Set       map[string]any `toml:"set"`
}

var scenarioKeys = "workload, on, topology, hosts, routing, vcs, selection, root, ranks, place, transport, encrypt, seed, unsafe, record, rings, breakdown, [set]"

// valuesOfKeys says what values the keys of a scenario file have.
var valuesOfKeys = map[string]string{
	"workload": "a text", "on": "a text", "topology": "a text", "routing": "a text", "selection": "a text", "place": "a text",
	"transport": "a text", "encrypt": "a text", "record": "a text", "rings": "a text", "breakdown": "true or false",
	"hosts": "a whole number", "vcs": "a whole number", "root": "a whole number", "ranks": "a whole number",
	"seed": "a whole number, not negative", "unsafe": "true or false", "set": "a table",
}

// maxScenario is the size of the largest scenario file that is read, in bytes.
const maxScenario = 1 << 20

// complete joins the command line and the scenario file.
func (f *runFlags) complete(cmd *cobra.Command, args []string) (musubi.Scenario, scenarioLines, error) {
	s := f.scenario
	s.Seed = sharedFlags(cmd).seed
	s.Set = map[string]string{}
	var lines scenarioLines
	if f.file != "" {
		file, at, err := readScenario(f.file)
		if err != nil {
			return s, lines, err
		}
		lines = at
		file.fill(&s, &f.files, cmd.Flags().Changed)
		if err := flatten(s.Set, "", file.Set); err != nil {
			return s, lines, lines.locate(err)
		}
	}
	if len(args) > 0 {
		s.Workload = args[0]
		delete(lines.of, "workload")
	}
	for name := range lines.of {
		if cmd.Flags().Lookup(name) != nil && cmd.Flags().Changed(name) {
			delete(lines.of, name)
		}
	}
	for _, setting := range f.settings {
		name, value, found := strings.Cut(setting, "=")
		if !found {
			return s, lines, fmt.Errorf("--set %s; expected name=value", setting)
		}
		s.Set[name] = value
		delete(lines.of, "set."+name)
	}
	return s, lines, nil
}

// fill takes over what no flag was given for.
func (file *scenarioFile) fill(s *musubi.Scenario, files *runFiles, given func(flag string) bool) {
	s.Workload = file.Workload
	take(&s.Machine, file.On, given("on"))
	take(&s.Topology, file.Topology, given("topology"))
	take(&s.Hosts, file.Hosts, given("hosts"))
	take(&s.Routing, file.Routing, given("routing"))
	take(&s.VCs, file.VCs, given("vcs"))
	take(&s.Selection, file.Selection, given("selection"))
	take(&s.Root, file.Root, given("root"))
	take(&s.Ranks, file.Ranks, given("ranks"))
	take(&s.Place, file.Place, given("place"))
	take(&s.Transport, file.Transport, given("transport"))
	take(&s.Encrypt, file.Encrypt, given("encrypt"))
	take(&s.Unsafe, file.Unsafe, given("unsafe"))
	take(&s.Breakdown, file.Breakdown, given("breakdown"))
	take(&files.record, file.Record, given("record"))
	take(&files.rings, file.Rings, given("rings"))
	if file.Seed != nil {
		take(&s.Seed, *file.Seed, given("seed"))
	}
}

func take[T any](field *T, value T, given bool) {
	if !given {
		*field = value
	}
}

// flatten enters the values of the table [set], whose names may be written as tables of
// their own: switch.latency, or "switch.latency".
func flatten(set map[string]string, prefix string, table map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		name := prefix + key
		switch v := table[key].(type) {
		case map[string]any:
			if err := flatten(set, name+".", v); err != nil {
				return err
			}
		case []any:
			return &musubi.InputError{Key: "set." + name, Err: fmt.Errorf("%s is an array; expected a list as a text, such as \"8,16\"", name)}
		default:
			set[name] = fmt.Sprint(v)
		}
	}
	return nil
}

// scenarioLines says on which line of a scenario file each key stands.
type scenarioLines struct {
	file string
	of   map[string]int
}

// locate puts file and line before an error about something that the file says.
func (l scenarioLines) locate(err error) error {
	var input *musubi.InputError
	if errors.As(err, &input) && l.of[input.Key] > 0 {
		return fmt.Errorf("%s:%d: %w", l.file, l.of[input.Key], err)
	}
	return err
}

// readScenario reads a scenario file.
func readScenario(path string) (*scenarioFile, scenarioLines, error) {
	lines := scenarioLines{file: path}
	data, err := readSmall(path)
	if err != nil {
		return nil, lines, err
	}
	var file scenarioFile
	decoder := toml.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	var syntax *toml.DecodeError
	var unknown *toml.StrictMissingError
	switch err := decoder.Decode(&file); {
	case errors.As(err, &unknown):
		line, _ := unknown.Errors[0].Position()
		return nil, lines, fmt.Errorf("%s:%d: unknown key %q; known are %s", path, line, strings.Join(unknown.Errors[0].Key(), "."), scenarioKeys)
	case errors.As(err, &syntax):
		line, _ := syntax.Position()
		return nil, lines, fmt.Errorf("%s:%d: %s", path, line, explainTOML(syntax, data))
	case err != nil:
		return nil, lines, fmt.Errorf("%s: %w", path, err)
	}
	lines.of = keyLines(data)
	return &file, lines, nil
}

// bareText is in what the parser says of a value that looks like a text without quotes.
var bareText = regexp.MustCompile(`expected keyword|at start of value|must be quoted|expected digit`)

// explainTOML says what is wrong with a document: with its syntax, or with the
// value of a known key.
func explainTOML(err *toml.DecodeError, document []byte) string {
	problem := strings.TrimPrefix(err.Error(), "toml: ")
	expected := valuesOfKeys[strings.Join(err.Key(), ".")]
	repeated := strings.Contains(problem, "already")
	switch {
	case bareText.MatchString(problem):
		lines := strings.Split(string(document), "\n")
		line, _ := err.Position()
		return fmt.Sprintf("%.80q; expected a number, true, false or a text in quotes as the value", strings.TrimSpace(lines[line-1]))
	case expected != "" && !repeated:
		return fmt.Sprintf("%s has a value of the wrong kind; expected %s", err.Key()[0], expected)
	}
	return problem
}

// readSmall reads a file or a pipe of at most maxScenario bytes.
func readSmall(path string) ([]byte, error) {
	var data []byte
	err := withFile(path, func(r io.Reader) (err error) {
		data, err = io.ReadAll(io.LimitReader(r, maxScenario+1))
		return err
	})
	if len(data) > maxScenario {
		return nil, fmt.Errorf("%s is too long; expected at most %d bytes", path, maxScenario)
	}
	return data, err
}

// keyLines returns the line of each key of a TOML document that has been decoded
// without error.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := dottedKey(&p, e)
		if e.Kind == unstable.Table {
			table = key + "."
			continue
		}
		maps.Copy(lines, inlineLines(e.Value(), table+key, line))
	}
	return lines
}

// inlineLines gives a key its line, and also the keys of an inline table.
func inlineLines(value *unstable.Node, key string, line int) map[string]int {
	lines := map[string]int{key: line}
	if value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			inner := it.Node()
			var names []string
			for k := inner.Key(); k.Next(); {
				names = append(names, string(k.Node().Data))
			}
			maps.Copy(lines, inlineLines(inner.Value(), key+"."+strings.Join(names, "."), line))
		}
	}
	return lines
}

func dottedKey(p *unstable.Parser, e *unstable.Node) (key string, line int) {
	var names []string
	for k := e.Key(); k.Next(); {
		names = append(names, string(k.Node().Data))
		line = p.Shape(k.Node().Raw).Start.Line
	}
	return strings.Join(names, "."), line
}
