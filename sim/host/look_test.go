package host

import (
	"testing"

	"pgregory.net/rapid"

	"musubi/units"
)

// A processor that polls sees a change at the first sample after it, and knows it at the end of that
// poll: from what is left of a poll after its sample to a whole poll more.
func TestPollsSeeWhatIsThereAtTheirSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := units.Time(rapid.Int64Range(1, 1000).Draw(t, "period"))
		l := Look{Period: period, Sample: units.Time(rapid.Int64Range(0, int64(period)).Draw(t, "sample"))}
		since := units.Time(rapid.Int64Range(0, 1000).Draw(t, "since"))
		change := since + units.Time(rapid.Int64Range(0, 5000).Draw(t, "after"))
		seen := l.Sees(since, change)
		if (seen-since-l.Sample)%period != 0 {
			t.Fatalf("sees it %v after it began; expected %v and whole polls", seen-since, l.Sample)
		}
		if waits := seen - change; waits < 0 || waits >= period && seen != since+l.Sample {
			t.Fatalf("sees it %v after it came; expected less than a poll", waits)
		}
		if known := seen + l.Rest(); (known-since)%period != 0 {
			t.Fatalf("knows it %v after it began; expected whole polls", known-since)
		}
	})
}
