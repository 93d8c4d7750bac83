package card

// cache tells which of the data that a processor works on is in its cache. It knows
// buffers, each of which takes whole lines, and not what shares a line. What the
// program has not handed over before it has just made, so that is there; of what it
// has, what was touched last, as much as the cache holds.
type cache struct {
	size    int // 0: everything is in the cache
	line    int
	touched int // bytes, ever
	last    map[*byte]visit
	visits  []visit // oldest first, also those that have been repeated since
}

// visit is a time that a buffer was touched. It keeps the buffer alive, so that its
// address stands for nothing else meanwhile.
type visit struct {
	buffer []byte
	at     int // value of touched
}

// cacheMemory is for how many sizes of the cache buffers are remembered, and so kept
// alive. One that comes again after more is taken for new and found in the cache, so
// that programs which go round in more memory than that are too fast.
const cacheMemory = 4

func newCache(size, line int) cache { return cache{size: size, line: line, last: map[*byte]visit{}} }

// touch notes that the processor works on a buffer, and reports whether it has to
// be brought into the cache.
func (c *cache) touch(buffer []byte) (missed bool) {
	if c.size == 0 || len(buffer) == 0 {
		return false
	}
	bytes := (len(buffer) + c.line - 1) / c.line * c.line
	before, known := c.last[&buffer[0]]
	missed = known && c.touched-before.at >= c.size || bytes > c.size
	c.touched += bytes
	now := visit{buffer, c.touched}
	c.last[&buffer[0]] = now
	c.visits = append(c.visits, now)
	c.forget()
	return missed
}

// forget drops what was touched so long ago that it is as if new.
func (c *cache) forget() {
	for len(c.visits) > 0 {
		oldest := c.visits[0]
		key := &oldest.buffer[0]
		isLast := c.last[key].at == oldest.at
		if isLast && c.touched-oldest.at < cacheMemory*c.size {
			return
		}
		if isLast {
			delete(c.last, key)
		}
		c.visits = c.visits[1:]
	}
}
