package watch_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"musubi/watch"
)

// fabric is a file that stands for dumps: its content is the number of lost pairs.
type fabric struct {
	*watch.Watcher
	t      *testing.T
	file   string
	events chan watch.Event
}

func newFabric(t *testing.T, content string) *fabric {
	f := &fabric{t: t, file: filepath.Join(t.TempDir(), "dump"), events: make(chan watch.Event, 100)}
	f.write(content)
	f.Watcher = &watch.Watcher{Files: func() []string { return []string{f.file} }, Tell: func(e watch.Event) { f.events <- e }, Verify: f.verify}
	return f
}

func (f *fabric) write(content string) {
	err := os.WriteFile(f.file+".new", []byte(content), 0o644)
	if err == nil {
		err = os.Rename(f.file+".new", f.file)
	}
	if err != nil {
		f.t.Error(err)
	}
}

func (f *fabric) verify() (watch.Verdict, error) {
	data, err := os.ReadFile(f.file)
	if string(data) == "torn" {
		err = errors.New("a torn dump")
	}
	lost := int64(len(data))
	return watch.Verdict{OK: lost == 0, Pairs: 240, Lost: lost, Load: 11, Cycle: int(lost) * 2}, err
}

// scrape returns what Prometheus reads of the metrics.
func scrape(t *testing.T, w *watch.Watcher) map[string]float64 {
	t.Helper()
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	resp, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]float64)
	for name, family := range families {
		m := family.GetMetric()[0]
		values[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	return values
}

func TestMetricsTellTheVerdict(t *testing.T) {
	f := newFabric(t, "ab")
	if got := scrape(t, f.Watcher); len(got) != 3 || got["musubi_verifications_total"] != 0 {
		t.Errorf("before the first look: %v", got)
	}
	f.Look(context.Background())
	got := scrape(t, f.Watcher)
	for name, want := range map[string]float64{
		"musubi_verdict_ok": 0, "musubi_pairs": 240, "musubi_lost_pairs": 2, "musubi_cycle_channels": 4, "musubi_worst_load_pairs": 11,
		"musubi_dumps_ok": 1, "musubi_verifications_total": 1, "musubi_failed_looks_total": 0,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, %v; want %v", name, v, ok, want)
		}
	}
	for _, name := range []string{"musubi_verdict_age_seconds", "musubi_dumps_age_seconds"} {
		if v, ok := got[name]; !ok || v < 0 {
			t.Errorf("%s is %v, %v", name, v, ok)
		}
	}
	f.write("torn")
	f.Look(context.Background())
	if got := scrape(t, f.Watcher); got["musubi_dumps_ok"] != 0 || got["musubi_lost_pairs"] != 2 || got["musubi_failed_looks_total"] != 1 {
		t.Errorf("after a torn dump: %v; want the last verdict, and that it failed", got)
	}
}

// next waits for an event.
func (f *fabric) next() watch.Event {
	f.t.Helper()
	select {
	case e := <-f.events:
		return e
	case <-time.After(30 * time.Second):
		f.t.Fatal("no event")
	}
	return watch.Event{}
}

func TestRunTellsEachChangeOnce(t *testing.T) {
	f := newFabric(t, "")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		f.Run(ctx, time.Millisecond)
		close(ended)
	}()
	if e := f.next(); e.Err != nil || !e.Verdict.OK {
		t.Errorf("first %+v; want yes", e)
	}
	f.write("abc")
	if e := f.next(); e.Err != nil || e.Verdict.Lost != 3 || e.Verdict.OK {
		t.Errorf("after a change %+v; want 3 lost", e)
	}
	if err := os.Remove(f.file); err != nil {
		t.Fatal(err)
	}
	if e := f.next(); !errors.Is(e.Err, os.ErrNotExist) {
		t.Errorf("without a file %+v; want that it does not exist", e)
	}
	f.write("")
	if e := f.next(); e.Err != nil || !e.Verdict.OK {
		t.Errorf("at last %+v; want yes", e)
	}
	stop()
	<-ended
	if len(f.events) > 0 {
		t.Errorf("%+v was told without a change", <-f.events)
	}
}

func TestCommandWritesTheDumps(t *testing.T) {
	f := newFabric(t, "")
	f.Command = []string{"sh", "-c", `printf abcd >"$0"`, f.file}
	if e := f.Look(context.Background()); e.Err != nil || e.Verdict.Lost != 4 {
		t.Errorf("%+v; want 4 lost", e)
	}
	f.Command = []string{"sh", "-c", "echo first; echo no fabric; exit 3"}
	if e := f.Look(context.Background()); e.Err == nil || e.Err.Error() != "sh: exit status 3: no fabric" {
		t.Errorf("%v; want what the command said at last", e.Err)
	}
}
