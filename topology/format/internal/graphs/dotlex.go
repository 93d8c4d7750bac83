package graphs

import (
	"musubi/topology/format/internal/scan"
	"strings"
	"unicode"
	"unicode/utf8"
)

type dotToken uint8

const (
	dotEOF    dotToken = iota
	dotPunct           // one of { } [ ] ; , = : -- ->
	dotName            // a bare ID or number, or HTML
	dotQuoted          // a quoted ID; never a keyword
)

// dotLexer splits a Graphviz file into tokens and holds the current one.
type dotLexer struct {
	rest   string
	number int // line that rest begins on

	kind dotToken
	text string
	line int // of the current token
}

func (l *dotLexer) is(punct string) bool { return l.kind == dotPunct && l.text == punct }

// word reports whether the current token is a keyword, which have no case.
func (l *dotLexer) word(keyword string) bool {
	return l.kind == dotName && strings.EqualFold(l.text, keyword)
}

func (l *dotLexer) isID() bool { return l.kind == dotName || l.kind == dotQuoted }

// expected reports the current token as a fault.
func (l *dotLexer) expected(what string) error {
	if l.kind == dotEOF {
		return scan.Fault(l.line, "found the end of the file; expected %s", what)
	}
	return scan.Fault(l.line, "found %s; expected %s", scan.Quote(l.text), what)
}

// take moves over a punctuation mark that must come now.
func (l *dotLexer) take(punct string) error {
	if !l.is(punct) {
		return l.expected(punct)
	}
	return l.next()
}

// takeID moves over an ID that must come now.
func (l *dotLexer) takeID() (string, error) {
	if !l.isID() {
		return "", l.expected("a name")
	}
	text := l.text
	return text, l.next()
}

// next reads the next token.
func (l *dotLexer) next() error {
	if err := l.skip(); err != nil {
		return err
	}
	l.line = l.number
	if l.rest == "" {
		l.kind, l.text = dotEOF, ""
		return nil
	}
	switch c := l.rest[0]; {
	case c == '"':
		return l.quoted()
	case c == '<':
		return l.html()
	case strings.HasPrefix(l.rest, "--"), strings.HasPrefix(l.rest, "->"):
		l.token(dotPunct, 2)
	case strings.IndexByte("{}[];,=:+", c) >= 0:
		l.token(dotPunct, 1)
	default:
		n := dotNameLength(l.rest)
		if n == 0 {
			r, _ := utf8.DecodeRuneInString(l.rest)
			return scan.Fault(l.line, "found %s; expected a name, a quoted name or one of { } [ ] ; , = : -- ->", scan.Quote(string(r)))
		}
		l.token(dotName, n)
	}
	return nil
}

func (l *dotLexer) token(kind dotToken, length int) {
	l.kind, l.text = kind, l.rest[:length]
	l.advance(length)
}

// advance moves over bytes and counts their lines.
func (l *dotLexer) advance(length int) {
	l.number += strings.Count(l.rest[:length], "\n")
	l.rest = l.rest[length:]
}

// dotNameLength returns the length of the bare ID or number that s begins with.
func dotNameLength(s string) int {
	sign := 0
	if s[0] == '-' {
		sign = 1
	}
	n := strings.IndexFunc(s[sign:], func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.' || r >= utf8.RuneSelf)
	})
	if n < 0 {
		n = len(s) - sign
	}
	if n == 0 {
		return 0
	}
	return sign + n
}

// skip moves over blanks, comments and lines for the C preprocessor.
func (l *dotLexer) skip() error {
	for {
		l.advance(len(l.rest) - len(strings.TrimLeftFunc(l.rest, unicode.IsSpace)))
		switch {
		case strings.HasPrefix(l.rest, "//"), strings.HasPrefix(l.rest, "#"):
			i := strings.IndexByte(l.rest, '\n')
			if i < 0 {
				i = len(l.rest)
			}
			l.advance(i)
		case strings.HasPrefix(l.rest, "/*"):
			i := strings.Index(l.rest[2:], "*/")
			if i < 0 {
				return scan.Fault(l.number, "found /* without end; expected */")
			}
			l.advance(i + 4)
		default:
			return nil
		}
	}
}

// quoted reads a quoted ID, or several joined by +. A backslash stands for itself
// unless it precedes a quotation mark, another backslash or the end of a line.
func (l *dotLexer) quoted() error {
	var b strings.Builder
	for {
		n := quotedLength(l.rest)
		if n < 0 {
			return scan.Fault(l.line, "found %s; expected a closing quotation mark", scan.Quote(l.rest))
		}
		dotUnescape.WriteString(&b, l.rest[1:n-1])
		l.advance(n)
		if err := l.skip(); err != nil {
			return err
		}
		if !strings.HasPrefix(l.rest, "+") {
			break
		}
		l.advance(1)
		if err := l.skip(); err != nil {
			return err
		}
		if !strings.HasPrefix(l.rest, `"`) {
			return scan.Fault(l.number, "found %s behind +; expected a quoted name", scan.Quote(l.rest))
		}
	}
	l.kind, l.text = dotQuoted, b.String()
	return nil
}

var (
	dotUnescape = strings.NewReplacer(`\"`, `"`, `\\`, `\`, "\\\n", "", "\\\r\n", "")
	dotEscape   = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
)

// quotedLength returns the length of the quoted text that s begins with, or -1.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// html reads <...> with balanced brackets as a name.
func (l *dotLexer) html() error {
	depth := 0
	for i := range len(l.rest) {
		switch l.rest[i] {
		case '<':
			depth++
		case '>':
			depth--
		}
		if depth == 0 {
			l.token(dotQuoted, i+1)
			return nil
		}
	}
	return scan.Fault(l.line, "found %s; expected a closing >", scan.Quote(l.rest))
}
