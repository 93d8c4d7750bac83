package units

import (
	"strconv"
	"strings"
)

// Quantity splits a number, or a time, a size or a rate such as "150ns", into number and unit. It is
// false for other texts.
func Quantity(text string) (number, unit string, ok bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(text)
	}
	number, unit = text[:end], strings.TrimSpace(text[end:])
	if _, err := strconv.ParseFloat(number, 64); err != nil || unit != "" && !isUnit(text) {
		return "", "", false
	}
	return number, unit, true
}

// isUnit reports whether a text is a number with a unit.
func isUnit(text string) bool {
	_, time := ParseTime(text)
	_, size := ParseBytes(text)
	_, rate := ParseRate(text)
	return time == nil || size == nil || rate == nil
}
