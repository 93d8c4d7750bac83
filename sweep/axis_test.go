package sweep_test

import (
	"os"
	"path/filepath"
	"testing"

	"musubi"
	"musubi/internal/check"
	"musubi/option"
	"musubi/sweep"

	"github.com/google/go-cmp/cmp"
)

// axes returns the axes of a scenario whose options are given as on a command line.
func axes(t *testing.T, workload string, given [][2]string) ([]sweep.Axis, error) {
	t.Helper()
	s := musubi.Usual()
	s.Workload = workload
	var lists sweep.Lists
	options := lists.Options(&s)
	for _, g := range given {
		if err := option.Named(options, g[0])[0].Set(g[1]); err != nil {
			return nil, err
		}
	}
	return lists.Axes(&s)
}

// What takes a list itself stays one value, and commas within names do not part them.
func TestWhichListsMakeAxes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a,b.edges")
	check.Must(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		workload string
		given    [][2]string
		want     []sweep.Axis
	}{
		{"barrier", [][2]string{{"on", "ndr"}, {"routing", "dl"}, {"ranks", "4"}}, nil},
		{"barrier", [][2]string{{"ranks", "2..4,8"}, {"routing", "updown,dl"}, {"on", "tofu2,ndr"}}, []sweep.Axis{
			{"on", []string{"tofu2", "ndr"}}, {"routing", []string{"updown", "dl"}}, {"ranks", []string{"2", "3", "4", "8"}},
		}},
		{"barrier", [][2]string{{"topology", "dragonfly:a=4,h=2,p=2,torus:4x4,fattree:k=4,levels=2,rhinet2-a,hyperx:4x4,t=4,k=1x2,xgft:m=4x4,w=1x2"}}, []sweep.Axis{
			{"topology", []string{"dragonfly:a=4,h=2,p=2", "torus:4x4", "fattree:k=4,levels=2", "rhinet2-a", "hyperx:4x4,t=4,k=1x2", "xgft:m=4x4,w=1x2"}},
		}},
		{"barrier", [][2]string{{"topology", file}}, nil},
		{"barrier", [][2]string{{"place", "0,4,8:1"}}, nil},
		{"barrier", [][2]string{{"place", "even,block:2"}}, []sweep.Axis{{"place", []string{"even", "block:2"}}}},
		{"pingpong", [][2]string{{"set", "bytes=8,16"}, {"set", "to=1,2"}, {"set", "switch.latency=1ns,2ns"}}, []sweep.Axis{
			{"set.switch.latency", []string{"1ns", "2ns"}}, {"set.to", []string{"1", "2"}},
		}},
		{"pingpong", [][2]string{{"set", "processor.write=24B 201ns, 152B 330ns"}}, nil},
		{"", [][2]string{{"set", "bytes=8,16"}}, nil},
	} {
		got, err := axes(t, c.workload, c.given)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%v: error %v, -want +got:\n%s", c.given, err, diff)
		}
	}
	_, err := axes(t, "barrier", [][2]string{{"routing", "dl,updown,dl"}})
	check.Error(t, err, `routing dl,updown,dl: "dl" stands there twice`)
	_, err = axes(t, "barrier", [][2]string{{"ranks", "4,x"}})
	check.Error(t, err, "expected a whole number")
}

// Arrays of files make axes of any parameter.
func TestArraysOfFiles(t *testing.T) {
	const text = "routing = [\"updown\", \"dl\"]\nranks = [4, 8]\nvcs = 2\n[set]\nbytes = [8, 16]\nswitch.latency = \"1ns,2ns\"\n"
	s := musubi.Usual()
	s.Workload = "pingpong"
	var lists sweep.Lists
	_, err := option.ReadTOML("f", []byte(text), lists.Options(&s), func(string) bool { return false })
	check.Must(t, err)
	got, err := lists.Axes(&s)
	check.Must(t, err)
	want := []sweep.Axis{
		{"routing", []string{"updown", "dl"}}, {"ranks", []string{"4", "8"}},
		{"set.bytes", []string{"8", "16"}}, {"set.switch.latency", []string{"1ns", "2ns"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for text, want := range map[string]string{
		"routing = []":           "f:1: routing is an empty array",
		"ranks = [1, \"2\"]":     "f:1: ranks has a value of the wrong kind",
		"[set]\nbytes = []":      "f:2: bytes is an empty array",
		"unsafe = [true]":        "f:1: unsafe has a value of the wrong kind",
		"record = [\"a\",\"b\"]": "f:1: record has a value of the wrong kind",
	} {
		_, err := option.ReadTOML("f", []byte(text), new(sweep.Lists).Options(new(musubi.Scenario)), func(string) bool { return false })
		check.Error(t, err, want)
	}
}
