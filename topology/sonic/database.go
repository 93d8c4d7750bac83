package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
)

// Row is the fields of an entry. Lists are joined by commas.
type Row map[string]string

// Database has the tables of a switch: entries by table and key. Keys of several parts keep the
// separator of their database, which is | in the configuration and : in the state.
type Database map[string]map[string]Row

// Parse reads a database. Tables may be empty. The error is a line without the name of the file.
func Parse(data []byte) (Database, error) {
	d := make(Database)
	var top map[string]json.RawMessage
	if err := strict(data, &top); err != nil {
		return nil, err
	}
	for name, value := range top {
		if err := d.add(name, value); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// strict decodes one JSON value and nothing behind it. It takes no name of an object's member twice, as
// encoding/json does.
func strict(data []byte, to *map[string]json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("no JSON object: it begins with %.20q", bytes.TrimSpace(data))
	}
	*to = make(map[string]json.RawMessage)
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return syntax(err)
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return syntax(err)
		}
		if _, twice := (*to)[name]; twice {
			return fmt.Errorf("%.80q for a second time", name)
		}
		(*to)[name] = value
	}
	if _, err := decoder.Token(); err != nil {
		return syntax(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("something after the JSON object; expected one alone")
	}
	return nil
}

// syntax is an error of encoding/json in a line.
func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends early")
	}
	return errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
}

// add adds a member of the outermost object: a table, or an entry with the name of its table.
func (d Database) add(name string, value json.RawMessage) error {
	if table, key, flat := cutKey(name); flat {
		row, err := rowOf(value)
		if err != nil {
			return fmt.Errorf("%.80q: %w", name, err)
		}
		return d.enter(table, key, row)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(value, &entries); err != nil {
		return nil // some tables of tools are lists or texts, and none that matters here
	}
	if kind := string(entries["type"]); strings.HasPrefix(kind, `"`) {
		return nil // a value of its own, as redis-dump prints it
	}
	if d[name] == nil {
		d[name] = make(map[string]Row)
	}
	for key, entry := range entries {
		row, err := rowOf(entry)
		if err != nil {
			return fmt.Errorf("%.80q, %.80q: %w", name, key, err)
		}
		if err := d.enter(name, key, row); err != nil {
			return err
		}
	}
	return nil
}

func (d Database) enter(table, key string, row Row) error {
	if d[table] == nil {
		d[table] = make(map[string]Row)
	}
	if _, twice := d[table][key]; twice {
		return fmt.Errorf("entry %.80q of table %.80q for a second time", key, table)
	}
	d[table][key] = row
	return nil
}

// cutKey splits a key with the name of its table, which is in capitals: PORT|Ethernet0 or
// ROUTE_TABLE:fc00::/7.
func cutKey(name string) (table, key string, ok bool) {
	i := strings.IndexAny(name, "|:")
	if i < 1 || strings.Trim(name[:i], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// rowOf reads the fields of an entry.
func rowOf(value json.RawMessage) (Row, error) {
	var fields map[string]any
	if err := json.Unmarshal(value, &fields); err != nil {
		var text string // a map of maps may end in a value at once
		if json.Unmarshal(value, &text) == nil {
			return Row{"": text}, nil
		}
		return nil, errors.New("no object of fields")
	}
	if inner, ok := fields["value"].(map[string]any); ok && fields["type"] == "hash" {
		fields = inner
	}
	row := make(Row, len(fields))
	for name, v := range fields {
		name = strings.TrimSuffix(name, "@")
		if name == "NULL" {
			continue
		}
		row[name] = textOf(v)
	}
	return row, nil
}

// textOf spells a value as the database holds it.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var list []string
		for _, e := range v {
			list = append(list, textOf(e))
		}
		return strings.Join(list, ",")
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

// Merge adds the entries of another database. It fails if both have one.
func (d Database) Merge(other Database) error {
	for table, entries := range other {
		if d[table] == nil {
			d[table] = make(map[string]Row)
		}
		for key := range entries {
			if _, twice := d[table][key]; twice && table != metadata {
				return fmt.Errorf("entry %.80q of table %.80q for a second time", key, table)
			}
		}
		maps.Copy(d[table], entries)
	}
	return nil
}
