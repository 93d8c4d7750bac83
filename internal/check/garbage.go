package check

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// CollectLess lets the tests of a package look for garbage less often than programs do, which takes a tenth less
// of the processor, and two or three times the memory. It does nothing with the race detector, which takes enough
// memory, for benchmarks, which measure what programs do, and where GOGC says how often.
func CollectLess() {
	benchmarks := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if !raceDetector && !benchmarks && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
