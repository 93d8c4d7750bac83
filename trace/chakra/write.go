package chakra

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"musubi/report/files"
	"musubi/trace/schedule"
)

// version is that of the schema that is written.
const version = "1.0.0"

// Write writes a schedule to the files PREFIX.0.et, PREFIX.1.et and so on. The prefix may have the ending .et. It fails,
// and writes nothing, if receives take any source or tag, which no node can say.
func Write(prefix string, s *schedule.Schedule) error {
	prefix = strings.TrimSuffix(prefix, ".et")
	var stage files.Stage
	for rank := range s.Ranks {
		err := stage.Add(fmt.Sprintf("%s.%d.et", prefix, rank), func(w io.Writer) error { return writeRank(w, s, rank) })
		if err != nil {
			stage.Discard()
			return err
		}
	}
	return stage.Commit()
}

// writeRank writes the file of a rank.
func writeRank(w io.Writer, s *schedule.Schedule, rank int) error {
	b := bufio.NewWriter(w)
	e := encoder{b: b}
	e.message(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), version))
	g := dependencies(&s.Ranks[rank])
	if n := len(g.deps); len(g.order) < n {
		return fmt.Errorf("rank %d: %d operations wait for each other; expected none", rank, n-len(g.order))
	}
	e.groups(s, uint64(len(g.deps)+len(g.joins)))
	joins := map[uint32][]int{}
	for j, at := range g.after {
		joins[at] = append(joins[at], j)
	}
	for i := range g.deps {
		for _, j := range joins[uint32(i)] {
			e.node(uint64(len(g.deps)+j), "join", metadataNode, 0, g.joins[j], nil)
		}
		if err := e.operation(s, rank, i, g.deps[i]); err != nil {
			return err
		}
	}
	return b.Flush()
}

// encoder writes messages.
type encoder struct {
	b *bufio.Writer
}

// message writes a message behind its length. Flush tells what fails.
func (e *encoder) message(data []byte) {
	_, _ = e.b.Write(protowire.AppendVarint(nil, uint64(len(data))))
	_, _ = e.b.Write(data)
}

// node writes a node.
func (e *encoder) node(id uint64, name string, kind uint64, micros uint64, deps []uint32, more []byte) {
	var d []byte
	number := func(field protowire.Number, v uint64) {
		if v != 0 {
			d = protowire.AppendVarint(protowire.AppendTag(d, field, protowire.VarintType), v)
		}
	}
	number(1, id)
	d = protowire.AppendString(protowire.AppendTag(d, 2, protowire.BytesType), name)
	number(3, kind)
	if len(deps) > 0 {
		deps = slices.Clone(deps)
		slices.Sort(deps)
		var packed []byte
		for _, dep := range slices.Compact(deps) {
			packed = protowire.AppendVarint(packed, uint64(dep))
		}
		d = protowire.AppendBytes(protowire.AppendTag(d, 5, protowire.BytesType), packed)
	}
	number(7, micros)
	e.message(append(d, more...))
}

// Fields of the values of attributes.
const (
	int32Value  = 7
	int64Value  = 9
	uint64Value = 13
	boolValue   = 27
	stringValue = 29
)

// attribute appends an attribute that is a number.
func appendAttribute(d []byte, name string, field protowire.Number, v uint64) []byte {
	a := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
	a = protowire.AppendVarint(protowire.AppendTag(a, field, protowire.VarintType), v)
	return protowire.AppendBytes(protowire.AppendTag(d, 10, protowire.BytesType), a)
}

// appendText appends an attribute that is a text.
func appendText(d []byte, name, text string) []byte {
	a := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
	a = protowire.AppendString(protowire.AppendTag(a, stringValue, protowire.BytesType), text)
	return protowire.AppendBytes(protowire.AppendTag(d, 10, protowire.BytesType), a)
}

// operation writes the node of an operation. Names and types of attributes are those of Chakra's own tools.
func (e *encoder) operation(s *schedule.Schedule, rank, i int, deps []uint32) error {
	op := &s.Ranks[rank].Ops[i]
	var d []byte
	id := uint64(i)
	switch op.Kind {
	case schedule.Calc:
		onCPU := uint64(0)
		if op.CPU == 0 {
			onCPU = 1
		}
		d = appendAttribute(d, isCPUOp, boolValue, onCPU)
		ps := uint64(op.Picoseconds())
		if ps%1e6 != 0 {
			d = appendAttribute(d, picoseconds, uint64Value, ps)
		}
		e.node(id, "computation", computeNode, (ps+5e5)/1e6, deps, d)
	case schedule.Send, schedule.Receive:
		if op.Peer == schedule.Any || op.Tag > math.MaxInt32 {
			return fmt.Errorf("%s: expected one source and a tag up to %d, as Chakra has no others", s.Where(rank, i), math.MaxInt32)
		}
		kind, name, from, to := uint64(sendNode), "send", uint32(rank), op.Peer
		if op.Kind == schedule.Receive {
			kind, name, from, to = receiveNode, "receive", op.Peer, uint32(rank)
		}
		d = appendAttribute(d, isCPUOp, boolValue, 0)
		d = appendAttribute(d, commSize, int64Value, op.Size)
		d = appendAttribute(d, commSource, int32Value, uint64(from))
		d = appendAttribute(d, commTarget, int32Value, uint64(to))
		d = appendAttribute(d, commTag, int32Value, uint64(op.Tag))
		e.node(id, name, kind, 0, deps, d)
	case schedule.Collective:
		d = appendAttribute(d, isCPUOp, boolValue, 0)
		d = appendAttribute(d, commType, int64Value, uint64(op.Tag))
		d = appendAttribute(d, commSize, int64Value, op.Size)
		if op.Peer != schedule.Any {
			d = appendText(d, groupName, fmt.Sprint(op.Peer+1))
		}
		e.node(id, strings.ReplaceAll(schedule.Operation(op.Tag).String(), " ", "-"), collectNode, 0, deps, d)
	}
	return nil
}

// groups writes a node that lists the process groups, in the form that ASTRA-sim reads: behind two characters.
func (e *encoder) groups(s *schedule.Schedule, id uint64) {
	if len(s.Groups) == 0 {
		return
	}
	type group struct {
		Name  string   `json:"pg_name"`
		Ranks []uint32 `json:"ranks"`
	}
	list := make([]group, len(s.Groups))
	for i, members := range s.Groups {
		list[i] = group{fmt.Sprint(i + 1), members}
	}
	text, _ := json.Marshal(list) // texts and numbers
	values := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), `["`+string(text)+`"]`)
	e.node(id, "## process_group:init ##", metadataNode, 0, nil, protowire.AppendBytes(protowire.AppendTag(nil, 8, protowire.BytesType), values))
}
