package mbc

import "fmt"

// maxPages are those that addresses of 32 bits reach.
const maxPages = 1 << 32 / PageSize

// PageTable says which pages of the memory of a process are present. Pages begin at
// address 0; those beyond the last one are nobody's.
type PageTable struct {
	absent []uint64 // a bit for each page
	pages  int
}

// NewPageTable returns a table of pages that are all present. It panics if there are less
// than none or more than addresses of 32 bits reach.
func NewPageTable(pages int) PageTable {
	var t PageTable
	t.Extend(pages)
	return t
}

// Extend adds pages at the end, which are present. It panics as NewPageTable does.
func (t *PageTable) Extend(pages int) {
	if pages < 0 || pages > maxPages-t.pages {
		panic(fmt.Sprintf("mbc: %d pages beside %d; expected 0 to %d together", pages, t.pages, maxPages))
	}
	t.pages += pages
	for len(t.absent)*64 < t.pages {
		t.absent = append(t.absent, 0)
	}
}

// Pages returns how many pages there are, present or not.
func (t *PageTable) Pages() int { return t.pages }

// Contains reports whether an address lies in one of the pages.
func (t *PageTable) Contains(at uint32) bool { return int(at/PageSize) < t.pages }

// Present reports whether the page of an address is there and present.
func (t *PageTable) Present(at uint32) bool {
	page := at / PageSize
	return t.Contains(at) && t.absent[page/64]>>(page%64)&1 == 0
}

// Set says whether a page is present from now on. It panics if there is no such page.
func (t *PageTable) Set(page int, present bool) {
	if page < 0 || page >= t.pages {
		panic(fmt.Sprintf("mbc: page %d of %d; expected one of them", page, t.pages))
	}
	bit := uint64(1) << (page % 64)
	t.absent[page/64] |= bit
	if present {
		t.absent[page/64] &^= bit
	}
}
