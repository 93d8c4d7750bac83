package device

import (
	"maps"
	"weak"
)

// cache tells which of the data that a processor works on is in its cache. It knows
// buffers, each of which takes whole lines, and not what shares a line. What the
// program has not handed over before it has just made, so that is there; of what it
// has, what was touched last, as much as the cache holds.
type cache struct {
	size    int // 0: everything is in the cache
	line    int
	touched int // bytes, ever
	// last is the value of touched when a buffer was touched last. Weak pointers do not
	// keep buffers alive, and yet stand for nothing else when one is gone.
	last map[weak.Pointer[byte]]int
	most int // buffers known before looking which are gone
}

// fewBuffers are worth no look at which of them are gone.
const fewBuffers = 1 << 10

func newCache(size, line int) cache {
	return cache{size: size, line: line, last: map[weak.Pointer[byte]]int{}, most: fewBuffers}
}

// touch notes that the processor works on a buffer, and reports whether it has to
// be brought into the cache.
func (c *cache) touch(buffer []byte) (missed bool) {
	if c.size == 0 || len(buffer) == 0 {
		return false
	}
	bytes := (len(buffer) + c.line - 1) / c.line * c.line
	key := weak.Make(&buffer[0])
	before, known := c.last[key]
	missed = known && c.touched-before >= c.size || bytes > c.size
	c.touched += bytes
	c.last[key] = c.touched
	c.forget()
	return missed
}

// forget drops buffers that are gone, now and then. No result depends on when that
// is, as nothing can touch them again.
func (c *cache) forget() {
	if len(c.last) < c.most {
		return
	}
	maps.DeleteFunc(c.last, func(p weak.Pointer[byte], _ int) bool { return p.Value() == nil })
	c.most = max(fewBuffers, 2*len(c.last))
}
