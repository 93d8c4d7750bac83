package infiniband

import (
	"strconv"
	"strings"

	"musubi/topology"
	"musubi/topology/format/internal/draft"
)

// ibComment is the comment behind # on the line of a node or a port.
type ibComment struct {
	name     string
	ownLID   uint16 // before the name on the lines of adapters, or next to an LMC
	ownLMC   uint8
	lid      uint16
	enhanced bool
	speed    topology.Speed
}

// parseComment never fails: comments hold free text in old dumps.
func parseComment(text string) ibComment {
	var c ibComment
	_, text, found := strings.Cut(text, "#")
	if !found {
		return c
	}
	head, tail := "", text
	if i, j := strings.IndexByte(text, '"'), strings.LastIndexByte(text, '"'); i < j {
		head, c.name, tail = text[:i], text[i+1:j], text[j+1:]
	} else {
		c.name = unquotedName(text)
		tail = strings.Replace(text, c.name, " ", 1)
	}
	c.words(head)
	c.words(tail)
	return c
}

// words reads what surrounds the name. A LID followed by an LMC is that of the
// node or port that the line is about.
func (c *ibComment) words(text string) {
	words := strings.Fields(text)
	for i, w := range words {
		if s, ok := topology.ParseSpeed(w); ok {
			c.speed = s
		}
		c.enhanced = c.enhanced || w == "enhanced"
		if i+1 == len(words) {
			return
		}
		v, err := strconv.ParseUint(words[i+1], 0, 16)
		if err != nil {
			continue
		}
		switch w {
		case "lid":
			c.lid = uint16(v)
		case "lmc":
			c.ownLID, c.lid, c.ownLMC = c.lid, 0, uint8(min(v, draft.MaxLMC))
		}
	}
}

// unquotedName returns the name in a comment of a tool that did not quote it.
func unquotedName(text string) string {
	name := " " + strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(name, " lid "); ok { // lid 1 lmc 0 name lid 2 4xSDR
		fields := strings.SplitAfterN(rest, " ", 4)
		if len(fields) < 4 || fields[1] != "lmc " {
			return ""
		}
		name = " " + fields[3]
	}
	for _, mark := range []string{" enhanced port ", " base port ", " lid ", " lmc "} {
		if i := strings.LastIndex(name, mark); i >= 0 {
			name = name[:i]
		}
	}
	name = strings.TrimSpace(name)
	if _, ok := topology.ParseSpeed(name); ok {
		return ""
	}
	return name
}
