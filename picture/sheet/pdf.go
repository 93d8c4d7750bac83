package sheet

import (
	"image/color"
	"io"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// fontName is what the fonts are called in a PDF document.
const fontName = "sans"

func (s *Sheet) writePDF(w io.Writer) error {
	c := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: s.Width, Ht: s.Height}})
	c.SetCatalogSort(true)
	c.SetCreationDate(time.Unix(0, 0).UTC()) // equal drawings give equal bytes
	c.SetModificationDate(time.Unix(0, 0).UTC())
	c.SetTitle(s.Title, true)
	c.AddUTF8FontFromBytes(fontName, "", liberationsansregular.TTF)
	c.AddUTF8FontFromBytes(fontName, "B", liberationsansbold.TTF)
	c.SetMargins(0, 0, 0)
	c.SetAutoPageBreak(false, 0)
	c.AddPage()
	c.SetLineJoinStyle("round")
	for _, m := range s.marks {
		if m.path != nil {
			m.path.pdf(c, m.style)
		} else {
			m.text.pdf(c)
		}
	}
	return c.Output(w)
}

func (p *Path) pdf(c *fpdf.Fpdf, style Style) {
	how := ""
	if style.Fill.A > 0 {
		c.SetFillColor(bytesOf(style.Fill))
		how += "F"
	}
	if style.Stroke.A > 0 {
		c.SetDrawColor(bytesOf(style.Stroke))
		c.SetLineWidth(style.Width)
		c.SetDashPattern(style.Dash, 0)
		how += "D"
	}
	if how == "" {
		return
	}
	c.MoveTo(p.start.X, p.start.Y)
	for _, at := range p.parts {
		if at.isLine() {
			c.LineTo(at[2].X, at[2].Y)
		} else {
			c.CurveBezierCubicTo(at[0].X, at[0].Y, at[1].X, at[1].Y, at[2].X, at[2].Y)
		}
	}
	if p.closed {
		c.ClosePath()
	}
	c.DrawPath(how)
}

func (t *Text) pdf(c *fpdf.Fpdf) {
	weight := ""
	if t.Bold {
		weight = "B"
	}
	c.SetFont(fontName, weight, t.Size)
	c.SetTextColor(bytesOf(t.Colour))
	at := t.start()
	if t.Up {
		c.TransformBegin()
		defer c.TransformEnd()
		c.TransformRotate(90, at.X, at.Y)
	}
	c.Text(at.X, at.Y, t.Words)
}

func bytesOf(c color.RGBA) (r, g, b int) { return int(c.R), int(c.G), int(c.B) }
