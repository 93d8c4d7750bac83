package tcp

import (
	"log/slog"
	"sync/atomic"
	"testing"
)

// What sockets of ranks and of the hub refuse, the job tells.
func TestRefusalsAreSeenByOthers(t *testing.T) {
	shown := make([]atomic.Uint64, RefusalKinds)
	r := &refusals{log: slog.New(slog.DiscardHandler)}
	r.Note(NoCertificate, "x", errCrowdedOut)
	r.Show(shown)
	r.Note(NoCertificate, "x", errCrowdedOut)
	r.Note(AnotherJob, "x", errCrowdedOut)
	got := RefusalsByReason(shown)
	if len(got) != 2 || got[NoCertificate.String()] != 2 || got[AnotherJob.String()] != 1 {
		t.Errorf("others see %v; want 2 times %v and once %v", got, NoCertificate, AnotherJob)
	}
}
