package rank

import (
	"musubi/live/livetest"
	"testing"
)

// Some ranks change words of a window by themselves, and others by the owner. The contract
// has the same for other memory.
func TestHistoriesOfWindowsAreLinearizable(t *testing.T) {
	onWorlds(t, 4, livetest.HistoriesInWindows)
}
