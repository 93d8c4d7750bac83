package tcp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatienceEnds: it ends after its time and says so, and before that when it is ended or what it is part of ends.
func TestPatienceEnds(t *testing.T) {
	const d = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, end := Patience(t.Context(), d)
		defer end()
		<-ctx.Done()
		if took, cause := time.Since(begin), context.Cause(ctx); took != d || cause != context.DeadlineExceeded {
			t.Errorf("patience of %v ends after %v with %v; expected %v", d, took, cause, context.DeadlineExceeded)
		}

		outer, endOuter := context.WithCancel(t.Context())
		parts := [2]context.Context{}
		var ends [2]context.CancelFunc
		for i := range parts {
			parts[i], ends[i] = Patience(outer, d)
		}
		time.Sleep(d / 2)
		ends[0]()
		endOuter()
		for i, ctx := range parts {
			<-ctx.Done()
			if cause := context.Cause(ctx); cause != context.Canceled {
				t.Errorf("patience %d that is ended after half of its time ends with %v; expected %v", i, cause, context.Canceled)
			}
		}
		ends[1]()
	})
}
