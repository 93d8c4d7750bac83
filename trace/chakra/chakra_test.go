package chakra

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"musubi/internal/check"
	"musubi/trace/schedule"
)

// allReduce and dependent are files of the generator of Chakra 1.0.0, byte for byte.
const (
	allReduce = "070a05312e302e30" + "400810120a414c4c5f5245445543451807520e0a0969735f6370755f6f70d80100520d0a09636f6d6d5f747970654800520f0a09636f6d6d5f73697a6548808004"
	dependent = "070a05312e302e30" + "21080c1209434f4d505f4e4f444518043805520e0a0969735f6370755f6f70d80100" + "24080d1209434f4d505f4e4f444518042a010c3805520e0a0969735f6370755f6f70d80100"
)

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	check.Must(t, err)
	return data
}

// written writes the files of ranks, and returns their prefix.
func written(t *testing.T, files ...[]byte) string {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "x")
	for rank, data := range files {
		check.Must(t, os.WriteFile(fmt.Sprintf("%s.%d.et", prefix, rank), data, 0o600))
	}
	return prefix
}

func TestFilesOfTheGenerator(t *testing.T) {
	s, err := Open(written(t, unhex(t, allReduce), unhex(t, allReduce)))
	check.Must(t, err)
	op := s.Ranks[1].Ops[0]
	if op.Kind != schedule.Collective || schedule.Operation(op.Tag) != schedule.AllReduce || op.Size != 65536 || op.Peer != schedule.Any {
		t.Errorf("%+v; expected an all-reduce of 65,536 bytes among all", op)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(unhex(t, dependent))
	check.Must(t, z.Close())
	s, err = Open(written(t, packed.Bytes()))
	check.Must(t, err)
	r := s.Ranks[0]
	if len(r.Ops) != 2 || r.Ops[0].Picoseconds() != 5e6 || len(r.Requires(0)) != 1 || r.IDs[1] != 13 {
		t.Errorf("%+v; expected two computations of 5 us, nodes 12 and 13, one after the other", r)
	}
}

// attributeOf encodes an attribute in a form that a test chooses.
func attributeOf(name string, value []byte) []byte {
	return append(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name), value...)
}

// Every form of an integer is the number.
func TestFormsOfIntegers(t *testing.T) {
	varint := func(field protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
	}
	for name, value := range map[string][]byte{
		"int32": varint(7, 77), "int64": varint(9, 77), "uint32": varint(11, 77), "uint64": varint(13, 77),
		"sint32": varint(15, protowire.EncodeZigZag(77)), "sint64": varint(17, protowire.EncodeZigZag(77)),
		"fixed32":  protowire.AppendFixed32(protowire.AppendTag(nil, 19, protowire.Fixed32Type), 77),
		"fixed64":  protowire.AppendFixed64(protowire.AppendTag(nil, 21, protowire.Fixed64Type), 77),
		"sfixed32": protowire.AppendFixed32(protowire.AppendTag(nil, 23, protowire.Fixed32Type), 77),
		"sfixed64": protowire.AppendFixed64(protowire.AppendTag(nil, 25, protowire.Fixed64Type), 77),
	} {
		a, err := readAttribute(attributeOf("x", value))
		if err != nil || !a.isWhole || a.number != 77 {
			t.Errorf("%s: %+v, %v; expected 77", name, a, err)
		}
	}
}

// The schemas of 2023 have other types of nodes, fields of integers and numbers of operations.
func TestOldSchemas(t *testing.T) {
	for _, c := range []struct {
		name                     string
		kind, typeOfInt, inField uint64
	}{{"v0.0.2", 6, 1, 5}, {"v0.0.3", 7, 2, 6}} {
		number := func(name string, v uint64) []byte {
			a := attributeOf(name, protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), c.typeOfInt))
			a = protowire.AppendVarint(protowire.AppendTag(a, protowire.Number(c.inField), protowire.VarintType), v)
			return protowire.AppendBytes(protowire.AppendTag(nil, 11, protowire.BytesType), a)
		}
		node := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 0)
		node = protowire.AppendString(protowire.AppendTag(node, 2, protowire.BytesType), "exchange")
		node = protowire.AppendVarint(protowire.AppendTag(node, 3, protowire.VarintType), c.kind)
		node = protowire.AppendString(protowire.AppendTag(node, 5, protowire.BytesType), "[texts, not numbers")
		node = append(append(node, number(commType, 1)...), number(commSize, 4096)...)
		s, err := Open(written(t, append(protowire.AppendVarint(nil, uint64(len(node))), node...)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if op := s.Ranks[0].Ops[0]; schedule.Operation(op.Tag) != schedule.AllToAll || op.Size != 4096 {
			t.Errorf("%s: %v; expected an all-to-all of 4,096 bytes", c.name, &op)
		}
	}
}

// sample is a schedule of two ranks with all kinds of operations.
func sample() *schedule.Schedule {
	b := schedule.NewBuilder(2)
	for rank := range uint32(2) {
		work := b.Add(int(rank), schedule.CalcOf(1_234_567_890))
		send := b.Add(int(rank), schedule.Op{Kind: schedule.Send, Peer: 1 - rank, Tag: 3, Size: 100})
		receive := b.Add(int(rank), schedule.Op{Kind: schedule.Receive, Peer: 1 - rank, Tag: 3, Size: 100})
		all := b.Add(int(rank), schedule.Op{Kind: schedule.Collective, Peer: 0, Tag: uint32(schedule.AllGather), Size: 7})
		side := b.Add(int(rank), schedule.Op{Kind: schedule.Calc, Size: 5000, CPU: 1})
		b.Require(int(rank), work, send)
		b.RequireStart(int(rank), send, receive)
		b.Require(int(rank), receive, all)
		b.Require(int(rank), work, side)
	}
	s := b.Schedule()
	s.Groups = [][]uint32{{1, 0}}
	return s
}

func TestWrittenTracesAreRead(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "out.et")
	check.Must(t, Write(prefix, sample()))
	got, err := Open(prefix)
	check.Must(t, err)
	for rank := range got.Ranks {
		r := &got.Ranks[rank]
		for i, want := range sample().Ranks[rank].Ops {
			op := r.Ops[i]
			if op.Kind != want.Kind || op.Size != want.Size || op.Tag != want.Tag || op.Peer != want.Peer || op.CPU != want.CPU {
				t.Errorf("rank %d: %v; expected %v", rank, &op, &want)
			}
		}
		if fmt.Sprint(r.Requires(0)) != "[1 2 4]" || fmt.Sprint(r.Requires(2)) != "[3]" {
			t.Errorf("rank %d: %v wait for the computation, %v for the receive; expected 1 2 4 (the receive waits for what the send waits for) and 3",
				rank, r.Requires(0), r.Requires(2))
		}
	}
	if fmt.Sprint(got.Groups) != "[[1 0]]" {
		t.Errorf("groups %v; expected [[1 0]]", got.Groups)
	}
}

// Nodes of PyTorch's converter name their caller, which need not be there, and what the host does in a collective operation.
func TestNodesOfPyTorch(t *testing.T) {
	var b bytes.Buffer
	e := encoder{b: bufio.NewWriter(&b)}
	function := appendAttribute(appendAttribute(nil, thread, int64Value, 7), isCPUOp, boolValue, 1)
	control := func(caller uint64) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType), protowire.AppendVarint(nil, caller))
	}
	e.node(5, "aten::add", computeNode, 3, nil, append(control(1), function...))
	e.node(6, "c10d::allreduce_", collectNode, 4, []uint32{5}, append(control(6), function...))
	check.Must(t, e.b.Flush())
	s, err := Open(written(t, b.Bytes()))
	check.Must(t, err)
	r := &s.Ranks[0]
	if host := r.Ops[1]; host.Kind != schedule.Calc || host.CPU != 0 || host.Picoseconds() != 4e6 || r.Ops[0].Waits != 0 || host.Waits != 1 {
		t.Errorf("%+v; expected 3 us of the processor, and then 4", r.Ops)
	}
	b.Reset()
	e.node(5, "by hand", computeNode, 3, nil, control(1))
	check.Must(t, e.b.Flush())
	_, err = Open(written(t, b.Bytes()))
	if err == nil || !strings.Contains(err.Error(), "node 5 depends on node 1; expected one of this file") {
		t.Errorf("error %v; expected one about node 1", err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	encode := func(kind uint64, deps []uint32, attributes ...[]byte) []byte {
		var b bytes.Buffer
		e := encoder{b: bufio.NewWriter(&b)}
		e.node(5, "n", kind, 0, deps, bytes.Join(attributes, nil))
		check.Must(t, e.b.Flush())
		return b.Bytes()
	}
	size := appendAttribute(nil, commSize, int64Value, 8)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no peer", encode(sendNode, nil, size), "rank 0: node 5, COMM_SEND: no attribute comm_dst; expected a number"},
		{"no rank", encode(sendNode, nil, size, appendAttribute(nil, commTarget, int32Value, 9)), "node 5, COMM_SEND: attribute comm_dst; expected a number from 0 to 0"},
		{"no size", encode(collectNode, nil, appendAttribute(nil, commType, int64Value, 0)), "node 5, COMM_COLL: no attribute comm_size"},
		{"no such operation", encode(collectNode, nil, size, appendAttribute(nil, commType, int64Value, 99)), "attribute comm_type; expected a number from 0 to 9"},
		{"no such group", encode(collectNode, nil, size, appendAttribute(nil, commType, int64Value, 0), appendText(nil, groupName, "7")), `node 5, COMM_COLL: group "7"; expected one of`},
		{"no such type", encode(12, nil), "node 5: type 12; expected 0 to 7"},
		{"no such dependency", encode(computeNode, []uint32{44}), "node 5 depends on node 44; expected one of this file"},
		{"twice", append(encode(computeNode, nil), encode(computeNode, nil)...), "node 5 is there twice"},
		{"long", protowire.AppendVarint(nil, 1<<40), "a message of 1099511627776 bytes; expected at most"},
		{"short", []byte{100, 8}, "it ends within a message: 1 bytes of 100"},
		{"empty", nil, "rank 0: the file is empty; expected a trace"},
		{"other", []byte{3, 0xff, 0xff, 0xff}, "message 1: malformed"},
	} {
		_, err := Open(written(t, c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v; expected one with %q", c.name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{allReduce, dependent} {
		data, _ := hex.DecodeString(text)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := reader{groups: groups{known: map[string]uint32{}}, s: schedule.New(), ranks: 2}
		if r.read(0, bytes.NewReader(data)) != nil {
			return
		}
		r.s.AddRank()
		r.s.Groups = r.groups.members
		var b bytes.Buffer
		if writeRank(&b, r.s, 0) != nil {
			return
		}
		again := reader{groups: groups{known: map[string]uint32{}}, s: schedule.New(), ranks: 2}
		if err := again.read(0, bytes.NewReader(b.Bytes())); err != nil {
			t.Errorf("what was written is not read: %v", err)
		}
	})
}
