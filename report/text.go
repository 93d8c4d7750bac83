package report

import (
	"io"

	"charm.land/lipgloss/v2"
)

// textWidth is how long lines of running text become, in columns.
const textWidth = 80

// Paragraph writes running text, broken into lines.
func Paragraph(w io.Writer, text string) error {
	_, err := lipgloss.Fprintln(w, lipgloss.Wrap(text, textWidth, ""))
	return err
}
