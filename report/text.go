package report

import (
	"io"

	"charm.land/lipgloss/v2"
)

// textWidth is the length of lines of running text, in columns.
const textWidth = 80

// Paragraph writes running text, broken into lines.
func Paragraph(w io.Writer, text string) error {
	_, err := lipgloss.Fprintln(w, lipgloss.Wrap(text, textWidth, ""))
	return err
}
