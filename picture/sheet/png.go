package sheet

import (
	"image/png"
	"io"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
)

// dotsPerPoint is the resolution of PNG: 150 dots per inch.
const dotsPerPoint = 150.0 / 72

func (s *Sheet) writePNG(w io.Writer) error {
	c := gg.NewContext(int(s.Width*dotsPerPoint+0.5), int(s.Height*dotsPerPoint+0.5))
	c.SetColor(White)
	c.Clear()
	c.SetLineCapButt()
	c.SetLineJoinRound()
	faces := map[faceKey]font.Face{}
	for _, m := range s.marks {
		if m.path != nil {
			m.path.png(c, m.style)
		} else if err := m.text.png(c, faces); err != nil {
			return err
		}
	}
	return png.Encode(w, c.Image())
}

func (p *Path) png(c *gg.Context, style Style) {
	const k = dotsPerPoint
	c.MoveTo(k*p.start.X, k*p.start.Y)
	for _, at := range p.parts {
		if at.isLine() {
			c.LineTo(k*at[2].X, k*at[2].Y)
		} else {
			c.CubicTo(k*at[0].X, k*at[0].Y, k*at[1].X, k*at[1].Y, k*at[2].X, k*at[2].Y)
		}
	}
	if p.closed {
		c.ClosePath()
	}
	if style.Fill.A > 0 {
		c.SetColor(style.Fill)
		c.FillPreserve()
	}
	if style.Stroke.A > 0 {
		c.SetColor(style.Stroke)
		c.SetLineWidth(k * style.Width)
		dashes := make([]float64, len(style.Dash))
		for i, d := range style.Dash {
			dashes[i] = k * d
		}
		c.SetDash(dashes...)
		c.StrokePreserve()
	}
	c.ClearPath()
}

// faceKey tells faces of the fonts apart.
type faceKey struct {
	size float64
	bold bool
}

func (t *Text) png(c *gg.Context, faces map[faceKey]font.Face) error {
	key := faceKey{t.Size, t.Bold}
	if faces[key] == nil {
		face, err := opentype.NewFace(t.font(), &opentype.FaceOptions{Size: t.Size, DPI: 72 * dotsPerPoint})
		if err != nil {
			return err
		}
		faces[key] = face
	}
	c.SetFontFace(faces[key])
	c.SetColor(t.Colour)
	at := t.start()
	c.Push()
	defer c.Pop()
	if t.Up {
		c.RotateAbout(gg.Radians(-90), dotsPerPoint*at.X, dotsPerPoint*at.Y)
	}
	c.DrawString(t.Words, dotsPerPoint*at.X, dotsPerPoint*at.Y)
	return nil
}
