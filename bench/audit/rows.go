package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// verdict is what became of an engine on a network.
type verdict string

const (
	free      verdict = "free"
	cycle     verdict = "cycle"
	nodesOnly verdict = "cycle, none among hosts"
	unknown   verdict = "levels not asked"
	noTables  verdict = "no tables"
	notUp     verdict = "not up in time"
)

// row is what is found out about an engine on a network.
type row struct {
	network                string
	failed                 int // links
	switches, links, hosts int
	engine                 string
	by                     string // engine that the tables come from
	verdict                verdict
	channels               int   // of a shortest cycle
	lost                   int64 // pairs
	lanes                  string
	hops                   float64
	load                   int64   // pairs on the busiest channel
	seconds                float64 // of processor time; negative: not known
}

var columns = []string{"network", "failed", "switches", "links", "hosts", "engine", "routed by", "verdict", "cycle", "lost", "lanes", "hops", "load", "seconds"}

// changed reports whether another engine took over.
func (r *row) changed() bool { return r.by != "none" && r.by != engineNamed(r.engine).opensm }

func (r *row) fields() []string {
	return []string{r.network, strconv.Itoa(r.failed), strconv.Itoa(r.switches), strconv.Itoa(r.links), strconv.Itoa(r.hosts), r.engine, r.by, string(r.verdict),
		strconv.Itoa(r.channels), strconv.FormatInt(r.lost, 10), r.lanes, strconv.FormatFloat(r.hops, 'f', 2, 64), strconv.FormatInt(r.load, 10), strconv.FormatFloat(r.seconds, 'f', 2, 64)}
}

func rowOf(fields []string) (*row, error) {
	var failed error
	number := func(column int) float64 {
		v, err := strconv.ParseFloat(fields[column], 64)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s %q; expected a number", columns[column], fields[column])
		}
		return v
	}
	r := &row{network: fields[0], failed: int(number(1)), switches: int(number(2)), links: int(number(3)), hosts: int(number(4)), engine: fields[5], by: fields[6],
		verdict: verdict(fields[7]), channels: int(number(8)), lost: int64(number(9)), lanes: fields[10], hops: number(11), load: int64(number(12)), seconds: number(13)}
	if engineNamed(r.engine) == nil {
		failed = fmt.Errorf("engine %q; expected some of %s", r.engine, strings.Join(engineNames(), ", "))
	}
	return r, failed
}

// key is what a row is about.
type key struct {
	network string
	failed  int
	engine  string
}

// rows are kept in a file, if it has a name, so that an audit can be interrupted.
type rows struct {
	file *os.File
	out  *csv.Writer
	all  []*row
	has  map[key]bool
}

// openRows reads the rows that a file has, and keeps further ones in it.
func openRows(name string) (*rows, error) {
	k := &rows{has: make(map[key]bool)}
	if name == "" {
		k.out = csv.NewWriter(io.Discard)
		return k, nil
	}
	if err := k.read(name); err != nil {
		return nil, err
	}
	var err error
	if k.file, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	k.out = csv.NewWriter(k.file)
	if len(k.all) == 0 {
		k.out.Write(columns)
	}
	return k, nil
}

func (k *rows) read(name string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.FieldsPerRecord = len(columns)
	for {
		fields, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if line == 1 {
			continue
		}
		r, err := rowOf(fields)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		k.note(r)
	}
}

func (k *rows) note(r *row) {
	k.all = append(k.all, r)
	k.has[key{r.network, r.failed, r.engine}] = true
}

// add keeps a row at once.
func (k *rows) add(r *row) error {
	k.note(r)
	k.out.Write(r.fields())
	k.out.Flush()
	return k.out.Error()
}
