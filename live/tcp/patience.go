package tcp

import (
	"context"
	"time"
)

// patienceParts is in how many parts patience is counted.
const patienceParts = 20

// Patience returns a context that ends after some time, with context.DeadlineExceeded as its cause. The time
// is counted in parts, each from when the one before was seen to end: a process that shares its processors
// with hundreds has had little of that time, and is more patient. The function ends the context before.
func Patience(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		for range patienceParts {
			select {
			case <-ctx.Done():
				return
			case <-time.After(d / patienceParts):
			}
		}
		end(context.DeadlineExceeded)
	}()
	return ctx, func() { end(context.Canceled) }
}
