package format

import (
	"fmt"
	"strings"
	"testing"
)

// Both ends of a cable may describe it. What only one of them tells is kept, whichever it is and
// in whatever order they come; where both do, each is believed about itself, and the slower speed counts.
func TestCablesMergeTheirDescriptions(t *testing.T) {
	for _, c := range []struct{ atSwitch, atHost, speed string }{
		{`(a1) # "h" lid 5 4xNDR`, `|# `, "4xNDR"},
		{``, `(a1)|# lid 5 lmc 0 "s" lid 9 4xNDR`, "4xNDR"},
		{`(b2) # "h" lid 7 4xHDR`, `(a1)|# lid 5 lmc 0 "s" lid 9 4xNDR`, "4xHDR"},
		{`# "h" lid 5 4xNDR`, `(a1)|# `, "4xNDR"},
		{`(a1) # "h" lid 5 4xNDR`, `|# lid 5 lmc 0 "s" lid 9 4xHDR`, "4xHDR"},
	} {
		guid, comment, _ := strings.Cut(c.atHost, "|")
		atSwitch := fmt.Sprintf("Switch 4 \"S\"\n[1] \"H\"[1]%s\n\n", c.atSwitch)
		atHost := fmt.Sprintf("Ca 1 \"H\"\n[1]%s \"S\"[1] %s\n\n", guid, comment)
		for _, text := range []string{atSwitch + atHost, atHost + atSwitch} {
			e := mustRead(t, "ibnetdiscover", text).EndPoints[0]
			if e.GUID != 0xa1 || e.LID != 5 || e.Speed.String() != c.speed {
				t.Errorf("%s: end point with GUID %#x, LID %d and %v; want 0xa1, 5 and %s", text, e.GUID, e.LID, e.Speed, c.speed)
			}
		}
	}
}
