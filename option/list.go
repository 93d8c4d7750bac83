package option

import (
	"strconv"
	"strings"
)

// MostValues is how many values the longest list has.
const MostValues = 100000

// numberList returns the numbers that a text lists, if the option takes several numbers.
func (o *Option) numberList(text string) []string {
	switch o.field.(type) {
	case *int, *uint64:
	default:
		return nil
	}
	if o.Many == nil {
		return nil
	}
	return Numbers(text)
}

// Numbers returns the whole numbers of a list such as 1,2,8 or 1..4, where a range means all numbers
// from its first to its last. Items that are no range are returned as they are.
func Numbers(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		first, last, isRange := strings.Cut(item, "..")
		low, err1 := strconv.ParseUint(first, 10, 64)
		high, err2 := strconv.ParseUint(last, 10, 64)
		if !isRange || err1 != nil || err2 != nil || high < low || high-low >= MostValues {
			list = append(list, item)
			continue
		}
		for i := range high - low + 1 {
			list = append(list, strconv.FormatUint(low+i, 10))
		}
	}
	return list
}

// setEach sets the field to each of several values, to check them, and hands them on. The last one
// stays.
func (o *Option) setEach(values []string) error {
	for _, value := range values {
		if err := o.Set(value); err != nil {
			return err
		}
	}
	o.Many(values)
	return nil
}
