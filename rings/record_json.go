package rings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Name and version of the record format.
const (
	recordFormat  = "musubi-record"
	recordVersion = 1
)

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 128 << 20

// recordFile is a Record as a file holds it.
type recordFile struct {
	Format    string          `json:"format"`
	Version   int             `json:"version"`
	Scenario  json.RawMessage `json:"scenario"`
	Packet    int             `json:"packet"`
	Processes []Process       `json:"processes"`
}

// Write writes the record as JSON, with a line for each partner.
func (r *Record) Write(w io.Writer) error {
	var b bytes.Buffer
	scenario := r.Scenario
	if scenario == nil {
		scenario = json.RawMessage("null")
	}
	fmt.Fprintf(&b, "{\n\"format\": %q,\n\"version\": %d,\n\"scenario\": ", recordFormat, recordVersion)
	if err := json.Indent(&b, scenario, "", "  "); err != nil {
		return fmt.Errorf("scenario of a record: %w", err)
	}
	fmt.Fprintf(&b, ",\n\"packet\": %d,\n\"processes\": [", r.Packet)
	for i := range r.Processes {
		fmt.Fprintf(&b, "%s\n", separator(i))
		if err := r.Processes[i].write(&b); err != nil {
			return err
		}
	}
	b.WriteString("\n]\n}\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (p *Process) write(b *bytes.Buffer) error {
	fmt.Fprintf(b, "{\"rank\": %d, \"peak\": %d, \"partners\": [", p.Rank, p.Peak)
	for i, partner := range p.Partners {
		line, err := json.Marshal(partner)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%s\n  %s", separator(i), line)
	}
	b.WriteString("]}")
	return nil
}

// separator returns what stands before element i of an array.
func separator(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// ReadRecord reads what Write has written. Errors are one line and begin with
// file.
func ReadRecord(r io.Reader, file string) (*Record, error) {
	data, err := readAll(r, file)
	if err != nil {
		return nil, err
	}
	// First the version: a later one may have other fields.
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, explainJSON(file, data, err)
	}
	if head.Format != recordFormat || head.Version != recordVersion {
		return nil, fmt.Errorf("%s: format %q, version %d; expected %q, version %d, as \"musubi run --record\" writes it",
			file, head.Format, head.Version, recordFormat, recordVersion)
	}
	var f recordFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, explainJSON(file, data, err)
	}
	record := &Record{Scenario: f.Scenario, Packet: f.Packet, Processes: f.Processes}
	if err := record.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return record, nil
}

func readAll(r io.Reader, file string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s has more than %d bytes; expected at most that", file, maxFile)
	}
	return data, nil
}

// explainJSON says what is wrong with a document, and on which line if that is
// known.
func explainJSON(file string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	line := func(offset int64) int { return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n")) }
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: %w; expected JSON", file, line(syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s:%d: %s: given %s; expected %s", file, line(kind.Offset), orDocument(kind.Field), kind.Value, kindOf(kind))
	}
	return fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "json: "))
}

func orDocument(field string) string {
	if field == "" {
		return "the document"
	}
	return field
}

// kindOf names what JSON holds a value of a Go type in.
func kindOf(err *json.UnmarshalTypeError) string {
	switch err.Type.Kind().String() {
	case "string":
		return "a text"
	case "slice":
		return "an array"
	case "struct":
		return "an object"
	}
	return "a whole number"
}
