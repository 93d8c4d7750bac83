package verify

import (
	"fmt"

	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/page"
	"musubi/picture/sheet"
)

// page is the report of what verify has found.
func (j *judgement) page() *page.Page {
	answer := "yes: every pair has a path, and no deadlock is possible."
	if !j.sound() {
		answer = "no."
	}
	net := j.routes[0].Net
	var drawing *sheet.Sheet
	drawing, err := show.DrawRouting(j.tables, j.routes[0], j.cycle, 0)
	return &page.Page{
		Title:    fmt.Sprintf("The tables %s on %s", j.tables, net.Name),
		Question: "Do these tables reach every end point, and are they free of deadlock? The answer is " + answer,
		Sections: []page.Section{
			cli.Drawn("The network, and what its links carry", drawing, err),
			{Heading: "What was found", Output: cli.TextOf(j.printText)},
		},
	}
}
