package picture_test

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"musubi/picture"
	"musubi/picture/sheet"
	"musubi/report/rows"
)

// Words of any length lie within the drawing: titles are broken into lines, what stands beside an axis
// is short or left out, and legends make room.
func TestWordsLieWithinTheDrawing(t *testing.T) {
	for _, words := range []int{1, 5, 12, 40} {
		long := strings.TrimSpace(strings.Repeat("bandwidth of ", words))
		var list []rows.Row
		for _, r := range over(rows.Bytes, long, "MB/s", runOn("ndr"), 8, 2.0, 64, 2.1, 512, 2.5) {
			for _, by := range []string{"one", long} {
				r.Axes = append(r.Axes[:1:1], rows.Label{Name: "by", Value: by})
				list = append(list, r)
			}
		}
		list = append(list, over(rows.Quantile, "time_"+long, "us", runOn("ndr"), 0.0, 1.0, 0.5, 2.0, 1.0, 90.0)...)
		for _, r := range matrix(8) {
			r.Metric = long
			list = append(list, r)
		}
		for _, r := range steps() {
			for i := range r.Axes {
				if text, ok := r.Axes[i].Value.(string); ok && r.Axes[i].Name != rows.Step {
					r.Axes[i].Value = text + " " + long
				}
			}
			list = append(list, r)
		}
		panels := picture.Panels(list)
		if len(panels) != 5 {
			t.Fatalf("%d panels; expected curves, a distribution, a matrix and two of steps", len(panels))
		}
		panels = append(panels, picture.Panels(over("", long, "us", runOn("ndr"), 0, 5.0))...)
		for _, p := range panels {
			checkWords(t, p.Draw())
		}
		figure, err := picture.Figure(list)
		if err != nil {
			t.Fatal(err)
		}
		checkWords(t, figure)
	}
}

var textElement = regexp.MustCompile(`<text (?:x="([-0-9.]+)" y="([-0-9.]+)"|transform="translate\(([-0-9.]+) ([-0-9.]+)\) rotate\(-90\)") font-size="([0-9.]+)" fill="[^"]*"(?: text-anchor="(\w+)")?( font-weight="bold")?(?: textLength="[0-9.]+" lengthAdjust="spacingAndGlyphs")?>([^<]*)</text>`)

// checkWords finds the texts of a drawing, and holds their ends to its edges.
func checkWords(t *testing.T, s *sheet.Sheet) {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	found := textElement.FindAllStringSubmatch(b.String(), -1)
	if len(found) == 0 || len(found) != strings.Count(b.String(), "<text ") {
		t.Fatalf("%d texts understood of %d", len(found), strings.Count(b.String(), "<text "))
	}
	for _, m := range found {
		number := func(text string) float64 {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		words := sheet.Text{Words: html.UnescapeString(m[8]), Size: number(m[5]), Bold: m[7] != ""}
		from, most := "", s.Width
		if from = m[1]; from == "" {
			from, most = m[4], s.Height
		}
		before := map[string]float64{"": 0, "middle": 0.5, "end": 1}[m[6]]
		length := words.Length()
		begin, end := number(from)-before*length, number(from)+(1-before)*length
		if m[1] == "" { // reads from below to above
			begin, end = number(from)-(1-before)*length, number(from)+before*length
		}
		if begin < -0.01 || end > most+0.01 {
			t.Errorf("%s: %q is from %.1f to %.1f; expected 0 to %.1f", s.Title, words.Words, begin, end, most)
		}
	}
}
