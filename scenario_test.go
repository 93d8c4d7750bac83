package musubi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"musubi/option"

	gocmp "github.com/google/go-cmp/cmp"
)

// sampleOf returns a text that an option can be set to, and how a scenario file spells it.
// It is empty for what only Go programs set.
func sampleOf(o *option.Option) (text, inFile string) {
	if o.Values != nil {
		return o.Values[1], fmt.Sprintf("%q", o.Values[1])
	}
	switch o.Type() {
	case "int", "uint", "uint64":
		return "3", "3"
	case "bool":
		return "true", "true"
	case "time":
		return "3s", `"3s"`
	case "string", "file", "switch":
		return "some", `"some"`
	case "NAME=VALUE":
		return "a=b", `{ a = "b" }`
	}
	return "", ""
}

// Every option can be given in each way that there is, and means the same in all.
func TestOptionsAreToldAlike(t *testing.T) {
	told := 0
	for _, o := range new(Scenario).Options() {
		text, inFile := sampleOf(o)
		if text == "" {
			continue
		}
		told++
		var byFlag, byFile Scenario
		of := func(s *Scenario) *option.Option {
			all := s.Options()
			return all[slices.IndexFunc(all, func(other *option.Option) bool { return other.Name == o.Name && other.Type() == o.Type() })]
		}
		if err := of(&byFlag).Set(text); err != nil || !of(&byFlag).Given() {
			t.Errorf("%s %s: not set, error %v", o.Name, text, err)
		}
		document := fmt.Sprintf("%s = %s\n", o.Name, inFile)
		if _, err := option.ReadTOML("f", []byte(document), byFile.Options(), func(string) bool { return false }); err != nil {
			t.Error(err)
		}
		if diff := gocmp.Diff(byFlag, byFile); diff != "" {
			t.Errorf("%s: -by flag +by file:\n%s", o.Name, diff)
		}
		written, err := json.Marshal(byFlag)
		if err != nil {
			t.Fatal(err)
		}
		if written := string(written); written != "{}" && !strings.HasPrefix(written, fmt.Sprintf("{%q:", o.Name)) {
			t.Errorf("%s is %s in JSON", o.Name, written)
		}
	}
	if told < 19 {
		t.Errorf("%d options; expected at least 19", told)
	}
}

// An option is refused in a world that it is not for, and in no other.
func TestOptionsAreRefusedInOtherWorlds(t *testing.T) {
	for machine, refused := range map[string][]string{
		Live:      {forSimulated, forNetwork},
		"loggp":   {forLive, forNetwork},
		"rhinet2": {forLive},
	} {
		for i, o := range new(Scenario).Options() {
			text, _ := sampleOf(o)
			if text == "" || o.Name == "on" {
				continue
			}
			s := Scenario{Machine: machine, Ranks: 2}
			if err := s.Options()[i].Set(text); err != nil {
				t.Fatal(err)
			}
			_, err := Build(s)
			var input *InputError
			isRefused := errors.As(err, &input) && input.Key == o.Name && strings.HasPrefix(err.Error(), o.Name) && strings.Contains(err.Error(), " is given, but ")
			if want := slices.Contains(refused, o.For); isRefused != want {
				t.Errorf("%s %s on %s: error %v; want a refusal: %v", o.Name, text, machine, err, want)
			}
		}
	}
}

func TestTimeouts(t *testing.T) {
	for text, want := range map[string]string{"5s": "5s", "0": "0s", "0s": "0s", "1m30s": "1m30s", "-1s": "", "soon": "", "": "", "5": ""} {
		var timeout Timeout
		err := timeout.UnmarshalText([]byte(text))
		if (err != nil) != (want == "") || err == nil && timeout.String() != want {
			t.Errorf("%q: got %v, error %v; want %q", text, timeout, err, want)
		}
	}
}
