package picture

import (
	"musubi/picture/sheet"
)

// Matrix is a panel of values between ranks: senders from above to below, receivers from left to
// right. What was not measured is white.
type Matrix struct {
	title, unit string
	ranks       int
	cells       map[[2]int]float64 // by sender and receiver
}

// maxCells is how many lines and columns a matrix has at most. Those of more ranks are drawn
// several to a cell, which has their largest value.
const maxCells = 128

// matrixSize is the length of a side, in points.
const matrixSize = 210

// Title implements Panel.
func (m *Matrix) Title() string { return m.title }

// Draw implements Panel.
func (m *Matrix) Draw() *sheet.Sheet {
	s, down := newPanel(m.title, leftMargin, panelWidth, panelHeight+24)
	per := (m.ranks + maxCells - 1) / maxCells
	lines := (m.ranks + per - 1) / per
	merged, most := m.merge(per)
	side := matrixSize / float64(lines)
	f := frame{leftMargin, topMargin + down, leftMargin + matrixSize, topMargin + matrixSize + down}
	for sender := range lines {
		for receiver := range lines {
			if v, ok := merged[[2]int{sender, receiver}]; ok {
				x, y := f.left+side*float64(receiver), f.top+side*float64(sender)
				s.Draw(sheet.Box(x, y, x+side, y+side), sheet.Style{Fill: Heat(v / most)})
			}
		}
	}
	s.Draw(sheet.Box(f.left, f.top, f.right, f.bottom), axisStyle)
	m.labels(s, f)
	HeatScale(s, sheet.Point{X: f.right + 18, Y: f.top}, matrixSize, most, m.unit)
	return s
}

// merge puts so many ranks each to a cell, and returns the cells and their largest value.
func (m *Matrix) merge(per int) (cells map[[2]int]float64, most float64) {
	cells = map[[2]int]float64{}
	for at, v := range m.cells {
		key := [2]int{at[0] / per, at[1] / per}
		cells[key] = max(cells[key], v)
		most = max(most, v)
	}
	if most == 0 {
		most = 1
	}
	return cells, most
}

// labels writes numbers of ranks and what they are.
func (m *Matrix) labels(s *sheet.Sheet, f frame) {
	step := int(max(1, roundUp(float64(m.ranks)/8)))
	for rank := 0; rank < m.ranks; rank += step {
		at := (float64(rank) + 0.5) / float64(m.ranks) * matrixSize
		s.Write(sheet.Text{At: sheet.Point{X: f.left + at, Y: f.bottom + 12}, Words: number(float64(rank)), Size: textSize, Anchor: 0.5})
		s.Write(sheet.Text{At: sheet.Point{X: f.left - 5, Y: f.top + at + 3.3}, Words: number(float64(rank)), Size: textSize, Anchor: 1})
	}
	s.Write(sheet.Text{At: sheet.Point{X: (f.left + f.right) / 2, Y: f.bottom + 27}, Words: "receiver", Size: textSize, Anchor: 0.5})
	s.Write(sheet.Text{At: sheet.Point{X: f.left - 32, Y: (f.top + f.bottom) / 2}, Words: "sender", Size: textSize, Anchor: 0.5, Up: true})
}

// HeatScale draws what the colours of Heat mean, the largest value above.
func HeatScale(s *sheet.Sheet, at sheet.Point, height, most float64, unit string) {
	const parts, width = 24, 12
	for i := range parts {
		top := at.Y + height*float64(parts-1-i)/parts
		s.Draw(sheet.Box(at.X, top, at.X+width, top+height/parts+0.2), sheet.Style{Fill: Heat((float64(i) + 0.5) / parts)})
	}
	s.Draw(sheet.Box(at.X, at.Y, at.X+width, at.Y+height), axisStyle)
	scale := axis{high: most}
	scale.tickEvenly(false)
	for _, t := range scale.ticks {
		y := at.Y + height*(1-t.value/most)
		s.Draw(sheet.Lines(sheet.Point{X: at.X + width, Y: y}, sheet.Point{X: at.X + width + 3, Y: y}), axisStyle)
		s.Write(sheet.Text{At: sheet.Point{X: at.X + width + 5, Y: y + 3.3}, Words: t.label, Size: textSize})
	}
	s.Write(sheet.Text{At: sheet.Point{X: at.X, Y: at.Y + height + 14}, Words: "[" + unit + "]", Size: textSize})
}
