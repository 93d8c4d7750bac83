package main

import (
	"bufio"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
)

// Size of a picture as text: characters are about twice as high as they are wide.
const (
	textRows = 16
	textCols = 2 * textRows
)

// writeText draws the plate with characters, the darker the hotter.
func writeText(w io.Writer, plate [][]float64) error {
	const shades = " .:-=+*#%@"
	out := bufio.NewWriter(w)
	for row := range textRows {
		line := plate[row*len(plate)/textRows]
		for col := range textCols {
			t := line[col*len(line)/textCols]
			out.WriteByte(shades[min(len(shades)-1, int(t/hot*float64(len(shades))))])
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// writePNG draws the plate from black over red and yellow to white.
func writePNG(name string, plate [][]float64) error {
	picture := image.NewRGBA(image.Rect(0, 0, len(plate), len(plate)))
	for y, line := range plate {
		for x, t := range line {
			heat := 3 * t / hot
			picture.Set(x, y, color.RGBA{R: level(heat), G: level(heat - 1), B: level(heat - 2), A: 255})
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}

// level is the brightness of a colour that is to have a part of all, from 0 to 1.
func level(part float64) uint8 { return uint8(255 * min(1, max(0, part))) }
