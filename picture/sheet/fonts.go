package sheet

import (
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The fonts, once they are needed.
var (
	regular = sync.OnceValue(func() *sfnt.Font { return parseFont(liberationsansregular.TTF) })
	bold    = sync.OnceValue(func() *sfnt.Font { return parseFont(liberationsansbold.TTF) })
)

func parseFont(ttf []byte) *sfnt.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(err) // the font is part of the program
	}
	return f
}

func (t *Text) font() *sfnt.Font {
	if t.Bold {
		return bold()
	}
	return regular()
}

// Length returns how long the words are, in points.
func (t *Text) Length() float64 {
	f := t.font()
	em := fixed.Int26_6(f.UnitsPerEm())
	var buf sfnt.Buffer
	sum := fixed.Int26_6(0)
	for _, r := range t.Words {
		glyph, err := f.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if advance, err := f.GlyphAdvance(&buf, glyph, em, font.HintingNone); err == nil {
			sum += advance
		}
	}
	return float64(sum) / float64(em) * t.Size
}

// LengthOf returns how long words are in a size of the font.
func LengthOf(words string, size float64) float64 {
	return (&Text{Words: words, Size: size}).Length()
}

// Wrap breaks words at spaces into lines of at most a width, in points, in a size of the font. A word
// that is longer has a line for itself.
func Wrap(words string, size, width float64, bold bool) []string {
	var lines []string
	for word := range strings.FieldsSeq(words) {
		if n := len(lines); n > 0 {
			longer := Text{Words: lines[n-1] + " " + word, Size: size, Bold: bold}
			if longer.Length() <= width {
				lines[n-1] = longer.Words
				continue
			}
		}
		lines = append(lines, word)
	}
	return lines
}

// start returns where the words begin.
func (t *Text) start() Point {
	shift := t.Anchor * t.Length()
	if t.Up {
		return Point{t.At.X, t.At.Y + shift}
	}
	return Point{t.At.X - shift, t.At.Y}
}
