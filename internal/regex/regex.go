// Package regex compiles regular expressions when they are needed first, so that a program does not
// begin with those of all formats that it knows.
package regex

import (
	"regexp"
	"sync"
)

// Lazy returns what compiles an expression once. It panics there if the expression is wrong.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
