package page_test

import (
	"bytes"
	"strings"
	"testing"

	"musubi/page"
	"musubi/report/rows"
)

// A page has all its parts, refers to nothing outside, and shows what comes from files as text.
func TestPage(t *testing.T) {
	var list []rows.Row
	for i, size := range []int{8, 64, 512} {
		list = append(list, rows.Row{Metric: "latency", Unit: "us", Value: 1.5 + float64(i), Axes: []rows.Label{{Name: rows.Bytes, Value: size}}})
	}
	p := page.Page{Title: "a <b>", Question: "How long?", Command: "musubi run pingpong --set 'a=b&c'", Version: "test"}
	p.Sections = append(page.Figures(list), page.Section{
		Heading: "facts", Facts: []page.Fact{{Name: "machine", Value: "ndr", Source: "<script>"}}, Text: []string{"words"}, Output: "x < y",
	})
	var b, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&b, &again} {
		if err := p.Write(w); err != nil {
			t.Fatal(err)
		}
	}
	text := b.String()
	if text != again.String() {
		t.Error("the same page differs")
	}
	for _, want := range []string{
		"<h1>a &lt;b&gt;</h1>", "How long?", "<h2>latency</h2>", "<svg ", ">message size [B]<", "<td>512</td><td>3.5</td>",
		"&lt;script&gt;", "<p>words</p>", "x &lt; y", "<pre>musubi run pingpong --set &#39;a=b&amp;c&#39;</pre>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	for _, outside := range []string{"src=", "href=", "@import", "url(", "<script"} {
		if strings.Contains(text, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}
