package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"musubi"
	"musubi/report/ordered"
	"musubi/report/rows"
	"musubi/sim/fabric"
	"musubi/workload"
)

// Outcome is what has become of a run. Equal scenarios have equal outcomes.
type Outcome struct {
	// Result is what "musubi run --json" writes, without the time that it took and the use of links.
	Result json.RawMessage `json:"result,omitempty"`
	// Refused says why the scenario cannot run, in one line; empty if it has run.
	Refused string `json:"refused,omitempty"`
	// Unsafe: refused as the routing can deadlock, or has.
	Unsafe bool `json:"unsafe,omitempty"`

	rows []workload.Row // of Result, once they have been read
	run  []rows.Label   // what tells the run apart
}

// Runner runs the workload of a scenario. The error is one that another attempt may not meet, such as
// too little memory, or the end of ctx. Others are outcomes.
type Runner func(ctx context.Context, s musubi.Scenario) (Outcome, error)

// Run is the Runner for simulated machines.
func Run(ctx context.Context, s musubi.Scenario) (Outcome, error) {
	result, err := musubi.RunWorkload(ctx, s)
	var memory *musubi.MemoryError
	switch {
	case err == nil:
		result.Simulation.Wall, result.Links = 0, nil
		return resultOutcome(result)
	case ctx.Err() != nil, errors.As(err, &memory):
		return Outcome{}, err
	}
	var (
		unsafe   *musubi.UnsafeError
		deadlock *fabric.Deadlock
	)
	return Outcome{
		Refused: strings.Join(strings.Fields(err.Error()), " "),
		Unsafe:  errors.As(err, &deadlock) || errors.As(err, &unsafe) && unsafe.CanDeadlock(),
	}, nil
}

func resultOutcome(r *musubi.Result) (Outcome, error) {
	var text, compact bytes.Buffer
	if err := ordered.WriteJSON(&text, r); err != nil {
		return Outcome{}, err
	}
	err := json.Compact(&compact, text.Bytes())
	return Outcome{Result: compact.Bytes()}, err
}

// Rows returns the rows of a result.
func (o *Outcome) Rows() ([]workload.Row, error) {
	if o.Result == nil || o.rows != nil {
		return o.rows, nil
	}
	var result struct {
		Workload, Machine, Topology, Routing string
		Ranks                                int
		Rows                                 []jsonRow
	}
	if err := json.Unmarshal(o.Result, &result); err != nil {
		return nil, fmt.Errorf("a result that is kept is not one: %w", err)
	}
	o.run = []rows.Label{{Name: "workload", Value: result.Workload}, {Name: "machine", Value: result.Machine}, {Name: rows.Ranks, Value: result.Ranks}}
	if result.Topology != "" {
		o.run = append(o.run, rows.Label{Name: "topology", Value: result.Topology}, rows.Label{Name: "routing", Value: result.Routing})
	}
	o.rows = make([]workload.Row, len(result.Rows))
	for i, r := range result.Rows {
		o.rows[i] = workload.Row(r)
	}
	return o.rows, nil
}

// jsonRow is a row that is read from JSON, whose labels keep their order.
type jsonRow workload.Row

func (r *jsonRow) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := r.set(fmt.Sprint(name), value); err != nil {
			return err
		}
	}
	return nil
}

// set sets the field of a row that a name stands for.
func (r *jsonRow) set(name string, value any) (err error) {
	number, isNumber := value.(json.Number)
	switch name {
	case "metric":
		r.Metric = fmt.Sprint(value)
	case "unit":
		r.Unit = fmt.Sprint(value)
	case "bytes":
		var n int64
		n, err = number.Int64()
		r.Bytes, r.Sized = int(n), true
	case "value":
		r.Value, err = number.Float64()
	default:
		if isNumber {
			value = plain(number)
		}
		r.Labels = append(r.Labels, workload.Label{Name: name, Value: value})
	}
	return err
}

// plain returns a number as an int if it is whole.
func plain(number json.Number) any {
	if n, err := number.Int64(); err == nil {
		return int(n)
	}
	v, _ := number.Float64() // JSON has no others
	return v
}
