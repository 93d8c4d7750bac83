package sheet

import (
	"bufio"
	"fmt"
	"html"
	"image/color"
	"io"
	"strconv"
	"strings"
)

// WriteSVG writes the sheet as an SVG document. That can stand by itself or in HTML.
func (s *Sheet) WriteSVG(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" role="img" font-family="'Liberation Sans',Arial,Helvetica,sans-serif">`+"\n",
		number(s.Width), number(s.Height))
	if s.Title != "" {
		fmt.Fprintf(w, "<title>%s</title>\n", html.EscapeString(s.Title))
	}
	fmt.Fprintf(w, `<rect width="%s" height="%s" fill="#ffffff"/>`+"\n", number(s.Width), number(s.Height))
	for _, m := range s.marks {
		if m.path != nil {
			fmt.Fprintf(w, `<path d="%s"%s/>`+"\n", m.path.svg(), m.style.svg())
		} else {
			fmt.Fprint(w, m.text.svg())
		}
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// number is a length with at most two decimal places.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

func (p Point) svg() string { return number(p.X) + " " + number(p.Y) }

func (p *Path) svg() string {
	var b strings.Builder
	b.WriteString("M" + p.start.svg())
	for _, at := range p.parts {
		if at.isLine() {
			b.WriteString("L" + at[2].svg())
		} else {
			b.WriteString("C" + at[0].svg() + " " + at[1].svg() + " " + at[2].svg())
		}
	}
	if p.closed {
		b.WriteString("Z")
	}
	return b.String()
}

func (s *Style) svg() string {
	text := ` fill="none"`
	if s.Fill.A > 0 {
		text = ` fill="` + hex(s.Fill) + `"`
	}
	if s.Stroke.A == 0 {
		return text
	}
	text += ` stroke="` + hex(s.Stroke) + `" stroke-width="` + number(s.Width) + `" stroke-linejoin="round"`
	if len(s.Dash) > 0 {
		var parts []string
		for _, d := range s.Dash {
			parts = append(parts, number(d))
		}
		text += ` stroke-dasharray="` + strings.Join(parts, " ") + `"`
	}
	return text
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// anchors are the names of the values of Text.Anchor.
var anchors = map[float64]string{0.5: ` text-anchor="middle"`, 1: ` text-anchor="end"`}

func (t *Text) svg() string {
	place := fmt.Sprintf(`x="%s" y="%s"`, number(t.At.X), number(t.At.Y))
	if t.Up {
		place = fmt.Sprintf(`transform="translate(%s) rotate(-90)"`, t.At.svg())
	}
	weight := ""
	if t.Bold {
		weight = ` font-weight="bold"`
	}
	room := ""
	if length := t.Length(); length > longText {
		room = fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, number(length))
	}
	return fmt.Sprintf(`<text %s font-size="%s" fill="%s"%s%s%s>%s</text>`+"\n", place, number(t.Size), hex(t.Colour), anchors[t.Anchor], weight, room, html.EscapeString(t.Words))
}

// longText is the length in points from which a text is squeezed into its room where another font is
// used in place of Liberation Sans, which may be a fifth wider.
const longText = 100
