package typemap

// Part is some elements in a row that are alike: basic elements, or else parts.
type Part struct {
	Bytes, Count int    // of an element, and elements
	Of           []Part // of an element; nil: it is a basic one, of which the rest tells
	Word         int    // bytes that keep their order when the data is turned around: half of a complex number
	External     int    // bytes of a word in external32
	Signed       bool
}

// words is an element of words that are as long in external32.
func words(bytes, word int) Part { return Part{Bytes: bytes, Count: 1, Word: word, External: word} }

// isLike reports whether the elements of two parts are the same basic ones.
func (p *Part) isLike(other *Part) bool {
	return p.Of == nil && other.Of == nil && p.Bytes == other.Bytes && p.Word == other.Word && p.External == other.External && p.Signed == other.Signed
}

// addParts appends the parts of an element some times, size bytes each time.
func (t *Type) addParts(parts []Part, times, size int) {
	switch {
	case len(parts) == 1:
		p := parts[0]
		p.Count *= times
		t.addPart(p)
	case times == 1:
		for _, p := range parts {
			t.addPart(p)
		}
	case len(parts) > 0:
		t.addPart(Part{Bytes: size, Count: times, Of: parts})
	}
}

// addPart appends a part, to the last one if it goes on with it.
func (t *Type) addPart(p Part) {
	if last := len(t.Parts) - 1; last >= 0 && t.Parts[last].isLike(&p) {
		t.Parts[last].Count += p.Count
		return
	}
	t.Parts = append(t.Parts, p)
}

// basics returns how many basic elements an element of the part has.
func (p *Part) basics() int {
	if p.Of == nil {
		return 1
	}
	return basics(p.Of)
}

func basics(parts []Part) (n int) {
	for i := range parts {
		n += parts[i].Count * parts[i].basics()
	}
	return n
}

// Basics returns how many basic elements so many bytes of data are, -1 if they end within one.
func (t *Type) Basics(bytes int) int {
	if t.Size == 0 {
		return 0
	}
	n, whole := basicsIn(t.Parts, bytes%t.Size)
	if !whole {
		return -1
	}
	return bytes/t.Size*basics(t.Parts) + n
}

// basicsIn returns how many basic elements the first bytes of parts are, and whether these end behind one.
func basicsIn(parts []Part, bytes int) (n int, whole bool) {
	for i := range parts {
		p := &parts[i]
		take := min(bytes/p.Bytes, p.Count)
		n += take * p.basics()
		bytes -= take * p.Bytes
		switch {
		case bytes == 0:
			return n, true
		case take < p.Count && p.Of == nil:
			return 0, false
		case take < p.Count:
			more, whole := basicsIn(p.Of, bytes)
			return n + more, whole
		}
	}
	return n, true
}

// BytesOf returns how many bytes so many basic elements are.
func (t *Type) BytesOf(n int) int {
	whole := basics(t.Parts)
	if whole == 0 {
		return 0
	}
	return n/whole*t.Size + bytesOf(t.Parts, n%whole)
}

// bytesOf returns how many bytes the first basic elements of parts are.
func bytesOf(parts []Part, n int) (bytes int) {
	for i := range parts {
		p := &parts[i]
		of := p.basics()
		take := min(n/of, p.Count)
		bytes += take * p.Bytes
		if n -= take * of; take < p.Count {
			return bytes + bytesOf(p.Of, n)
		}
	}
	return bytes
}

// Alignment is what the basic element that needs most asks for.
func (t *Type) Alignment() int { return alignment(t.Parts) }

func alignment(parts []Part) int {
	most := 1
	for i := range parts {
		if p := &parts[i]; p.Of != nil {
			most = max(most, alignment(p.Of))
		} else {
			most = max(most, min(p.Word, 16))
		}
	}
	return most
}
