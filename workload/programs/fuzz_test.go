package programs

import (
	"testing"

	"musubi/workload/internal/ideal"
)

// Whatever is set, a workload is made ready or refused.
func FuzzSettings(f *testing.F) {
	for _, w := range All() {
		for _, p := range w.Params {
			f.Add(w.Name, p.Name, p.Default)
		}
	}
	f.Add("pingpong", "bytes", "8..packet,1KiB")
	f.Add("pingpong", "mechanism", "push,ipush,pio")
	f.Add("stream", "copy", "none,uncached")
	f.Add("botf", "windows", "1..4,2")
	f.Add("botf", "cache", "warm,cold")
	f.Add("pattern", "load", "0.05..0.5:0.05")
	f.Add("pattern", "pattern", "hotspot,transpose")
	env := ideal.Chain(16)
	env.BOTF, env.Windows, env.Cache = 496, 4, 1<<19
	f.Fuzz(func(t *testing.T, name, param, value string) {
		w, err := Lookup(name)
		if err != nil {
			return
		}
		plan, err := w.Prepare(map[string]string{param: value}, env)
		if (plan == nil) == (err == nil) {
			t.Errorf("plan %v with error %v", plan, err)
		}
	})
}
