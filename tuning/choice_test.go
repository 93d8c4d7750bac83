package tuning

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ofProcesses = "processors 2\nscan 4 linear 8=1\nscan 4 recursive-doubling 8=2\n"

// A job chooses freely by measurements that somebody has named, and by those that come along only where they tell of
// jobs like it.
func TestJobsChooseFreelyByWhatIsNamed(t *testing.T) {
	for _, test := range []struct {
		choice     Choice
		processors int
		processes  int
		together   bool
		chooses    bool
	}{
		{Choice{Text: []byte(ofProcesses)}, 2, 4, true, true},
		{Choice{Text: []byte(ofProcesses)}, 2, 4, false, false}, // on several hosts
		{Choice{Text: []byte(ofProcesses)}, 2, 5, true, false},
		{Choice{Text: []byte(ofProcesses)}, 8, 4, true, false},
		{Choice{Name: "file", Text: []byte(ofProcesses)}, 8, 4, true, true},
		{Choice{Name: "file", Text: []byte(ofProcesses)}, 0, 4, false, true},
		{Choice{Name: None}, 2, 4, true, false},
		{Choice{}, 2, 4, true, false},
	} {
		choice := test.choice.For(test.processors, test.processes, test.together)
		fastest := choice.Fastest()
		if got := fastest != nil && fastest("scan", 4, 8) != nil; got != test.chooses {
			t.Errorf("%+v: %v; expected %v", test, got, test.chooses)
		}
		if fastest != nil && !test.chooses { // ranks would read a table that tells nothing
			t.Errorf("%+v: the choice has %q left", test, choice.Text)
		}
	}
}

func TestDecide(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(ofProcesses), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"ndr": string(shippedText("ndr")), file: ofProcesses, None: "", "": string(shippedText(Processes))} {
		if c, err := Decide(name); err != nil || string(c.Text) != want || c.Name != name {
			t.Errorf("%q: %.100q, %v; expected %.100q", name, c.Text, err, want)
		}
	}
	if err := os.WriteFile(file, []byte("scan 4 linear 8=fast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{file: file + ", line 1", file + "2": "no such file"} {
		if _, err := Decide(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; expected %q", name, err, says)
		}
	}
}

// Processes that hold the same measurements under two names choose alike, unless only one of them is to choose freely.
func TestChoicesAlike(t *testing.T) {
	text := []byte(ofProcesses)
	for _, test := range []struct {
		a, b Choice
		like bool
	}{
		{Choice{Name: "a", Text: text}, Choice{Name: "b", Text: text}, true},
		{Choice{Text: text}, Choice{Text: text}, true},
		{Choice{Name: "a", Text: text}, Choice{Text: text}, false},
		{Choice{Name: None}, Choice{}, true},
		{Choice{Name: None}, Choice{Text: text}, false},
	} {
		if got := test.a.IsLike(&test.b); got != test.like {
			t.Errorf("%v and %v: %v; expected %v", &test.a, &test.b, got, test.like)
		}
	}
}
