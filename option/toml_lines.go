package option

import (
	"maps"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// keyLines returns the line of each key of a TOML document that has been decoded
// without error.
func keyLines(document []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(document)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := dottedKey(&p, e)
		if e.Kind == unstable.Table || e.Kind == unstable.ArrayTable {
			table = key + "."
			noteLine(lines, key, line)
			continue
		}
		for key, line := range inlineLines(e.Value(), table+key, line) {
			noteLine(lines, key, line)
		}
	}
	return lines
}

// noteLine notes the line of a key, and of the tables that it is in, if they have not
// been named before.
func noteLine(lines map[string]int, key string, line int) {
	for at := len(key); at > 0; at = strings.LastIndexByte(key[:at], '.') {
		if lines[key[:at]] == 0 {
			lines[key[:at]] = line
		}
	}
}

// inlineLines returns the line of a key, and of the keys of an inline table.
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
