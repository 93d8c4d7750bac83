package route

import (
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/picture/sheet"
)

// drawRoutings draws each routing of a comparison, in the same colours.
func drawRoutings(f show.Drawing, s cli.Shared, c *comparison) error {
	if f.Draw == "" {
		return nil
	}
	var drawings []*sheet.Sheet
	for _, r := range c.results {
		drawing, err := show.DrawRouting(r.name, r.routes, r.proof.Cycle, c.mostLoad())
		if err != nil {
			return err
		}
		drawings = append(drawings, drawing)
	}
	return cli.WriteSheet(s, f.Draw, show.Beside(drawings))
}

// mostLoad is the largest load of a link under any of the routings.
func (c *comparison) mostLoad() float64 {
	most := int64(0)
	for _, r := range c.results {
		most = max(most, r.statistics.ChannelLoad.Max)
	}
	return float64(most)
}
