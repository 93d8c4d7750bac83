package option_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"musubi/option"

	gocmp "github.com/google/go-cmp/cmp"
)

// patience is a type that reads itself.
type patience time.Duration

func (p *patience) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("expected a time")
	}
	*p = patience(d)
	return nil
}

func (p patience) String() string { return time.Duration(p).String() }

type Shared struct {
	Quiet bool `name:"quiet" help:"no notes"`
}

type job struct {
	Shared
	Ranks   int               `json:"ranks,omitempty" short:"n" help:"number of ranks" default:"one per processor"`
	Bind    string            `name:"bind" values:"core,none,socket" help:"bind each rank" for:"live"`
	Seed    uint64            `json:"seed" help:"seed"`
	Grace   time.Duration     `name:"grace" help:"time to end"`
	Wait    patience          `name:"wait" value:"time" help:"time to wait"`
	Env     []string          `name:"env" help:"environment"`
	Set     map[string]string `json:"set" help:"settings"`
	Title   string            `name:"title" suggest:"a,b"` // for files only
	Hidden  []int             `json:"-"`
	Results []int             `name:"results" for:"live"` // for Go programs only
}

func parse(t *testing.T, args string) (job, error) {
	t.Helper()
	var j job
	flags := flag.NewFlagSet("job", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, o := range option.Of(&j) {
		if o.Help != "" {
			flags.Var(o, o.Name, o.Usage())
		}
	}
	return j, flags.Parse(strings.Fields(args))
}

func TestFlags(t *testing.T) {
	got, err := parse(t, "-ranks 3 --bind=core -quiet -seed 18446744073709551615 -grace 2s -wait 1m -env A=1 -env B -set a=b=c -set d.e=")
	want := job{Shared{true}, 3, "core", 1<<64 - 1, 2 * time.Second, patience(time.Minute), []string{"A=1", "B"}, map[string]string{"a": "b=c", "d.e": ""}, "", nil, nil}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(job{})); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
	for args, want := range map[string]string{
		"-ranks 1e3":    `invalid value "1e3" for flag -ranks: expected a whole number`,
		"-seed -1":      `invalid value "-1" for flag -seed: expected a whole number, not negative`,
		"-quiet=maybe":  `invalid boolean value "maybe" for -quiet: expected true or false`,
		"-grace 5":      `invalid value "5" for flag -grace: expected a number with a unit, such as 10s or 500ms`,
		"-wait soon":    `invalid value "soon" for flag -wait: expected a time`,
		"-set a":        `invalid value "a" for flag -set: expected name=value`,
		"-title a":      "flag provided but not defined: -title",
		"-results 1":    "flag provided but not defined: -results",
		"-hidden 1":     "flag provided but not defined: -hidden",
		"-quiet -envir": "flag provided but not defined: -envir",
	} {
		if _, err := parse(t, args); err == nil || err.Error() != want {
			t.Errorf("%s: error %v; want %s", args, err, want)
		}
	}
}

func TestWhatOptionsTell(t *testing.T) {
	j := job{Bind: "chair", Results: []int{1}, Wait: patience(time.Second)}
	j.Quiet = true
	for _, o := range option.Of(&j) {
		got := fmt.Sprintf("%s/%s/%s/%s/%v/%v/%v", o.Name, o.Short, o.Type(), o.Usage(), o.For, o.Suggest, o.Check())
		if o.Given() {
			got += "/" + o.Told()
		}
		if want := map[string]string{
			"quiet":   "quiet//bool/no notes//[]/<nil>/quiet",
			"ranks":   "ranks/n/int/number of ranks (default one per processor)//[]/<nil>",
			"bind":    `bind//string/bind each rank/live/[core none socket]/bind "chair"; expected core, none or socket/bind chair`,
			"seed":    "seed//uint64/seed//[]/<nil>",
			"grace":   "grace//time.Duration/time to end//[]/<nil>",
			"wait":    "wait//time/time to wait//[]/<nil>/wait 1s",
			"env":     "env//[]string/environment//[]/<nil>",
			"set":     "set//map[string]string/settings//[]/<nil>",
			"title":   "title//string///[a b]/<nil>",
			"results": "results//[]int//live/[]/<nil>/results",
		}[o.Name]; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// The zero value of a field does not show in the help of package flag.
func TestHelpOfPackageFlag(t *testing.T) {
	j := job{Ranks: 4}
	flags := flag.NewFlagSet("job", flag.ContinueOnError)
	var help strings.Builder
	flags.SetOutput(&help)
	for _, o := range option.Of(&j)[:4] {
		flags.Var(o, o.Name, o.Usage())
	}
	flags.PrintDefaults()
	want := "  -bind value\n    \tbind each rank\n  -quiet\n    \tno notes\n  -ranks value\n    \tnumber of ranks (default 4)\n  -seed value\n    \tseed\n"
	if help.String() != want {
		t.Errorf("got\n%s\nwant\n%s", help.String(), want)
	}
}
