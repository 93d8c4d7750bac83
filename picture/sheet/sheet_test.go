package sheet_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"strings"
	"testing"

	"musubi/picture/sheet"
)

func drawing() *sheet.Sheet {
	s := sheet.New(120, 60)
	s.Title = "a & b"
	style := sheet.Style{Stroke: sheet.Black, Fill: sheet.Light, Width: 1, Dash: []float64{3, 1}}
	s.Draw(sheet.Circle(sheet.Point{X: 30, Y: 30}, 12), style)
	s.Draw(sheet.Box(50, 10, 80, 40), sheet.Style{Fill: sheet.Grey})
	s.Write(sheet.Text{At: sheet.Point{X: 60, Y: 55}, Words: "x < y", Size: 9, Anchor: 0.5, Bold: true})
	s.Write(sheet.Text{At: sheet.Point{X: 110, Y: 50}, Words: "up", Size: 9, Up: true})
	return s
}

// Equal drawings give equal files of every format, and those begin as files of the format do.
func TestFormats(t *testing.T) {
	starts := map[string]string{".svg": "<svg ", ".png": "\x89PNG", ".pdf": "%PDF-"}
	for _, extension := range sheet.Extensions() {
		var first, second bytes.Buffer
		for _, b := range []*bytes.Buffer{&first, &second} {
			if err := drawing().Encode(b, "file"+strings.ToUpper(extension)); err != nil {
				t.Fatalf("%s: %v", extension, err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("two files %s of a drawing differ", extension)
		}
		if !strings.HasPrefix(first.String(), starts[extension]) {
			t.Errorf("%s begins with %q", extension, first.String()[:8])
		}
	}
}

func TestSVGIsXML(t *testing.T) {
	var b bytes.Buffer
	if err := drawing().WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&b)
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A PNG shows the areas where they are, and has text in it.
func TestPNGShowsTheDrawing(t *testing.T) {
	var b bytes.Buffer
	if err := drawing().Encode(&b, "a.png"); err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64) uint32 {
		r, _, _, _ := image.At(int(x*150/72), int(y*150/72)).RGBA()
		return r >> 8
	}
	if size := image.Bounds(); size.Dx() != 250 || size.Dy() != 125 {
		t.Errorf("%v for 120 x 60 points", size)
	}
	if got := at(65, 25); got != 0x66 {
		t.Errorf("the grey box is %#x", got)
	}
	if got := at(5, 5); got != 0xff {
		t.Errorf("the background is %#x", got)
	}
	dark := 0
	for x := 48.0; x < 74; x += 0.4 {
		for y := 47.0; y < 56; y += 0.4 {
			if at(x, y) < 0x80 {
				dark++
			}
		}
	}
	if dark < 10 {
		t.Errorf("%d dark places where text is", dark)
	}
}

func TestUnknownFormatsAreRefused(t *testing.T) {
	for _, path := range []string{"a", "a.gif", "svg"} {
		if err := sheet.CheckName(path); err == nil || !strings.Contains(err.Error(), "expected one of .svg, .png, .pdf") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Arial is as wide: 556 thousandths of the size for a digit.
func TestLengthOfText(t *testing.T) {
	if got := sheet.LengthOf("10", 10); got < 11.11 || got > 11.13 {
		t.Errorf("two digits of size 10 are %v points long", got)
	}
}
