package nexthop

// core is the part of a graph of dependencies that lies on cycles, as lists.
type core struct {
	vertices []int32   // of the whole graph
	next     [][]int32 // by index into vertices
	budget   int       // dependencies that searches may still follow
}

// cyclicCore returns the strongly connected components of more than one vertex (Tarjan 1972), joined
// by the dependencies inside each.
func (t *turns) cyclicCore() core {
	components := t.components()
	var c core
	index := make(map[int32]int32)
	for v, id := range components {
		if id != 0 {
			index[int32(v)] = int32(len(c.vertices))
			c.vertices = append(c.vertices, int32(v))
		}
	}
	c.next = make([][]int32, len(c.vertices))
	for i, v := range c.vertices {
		for w, at := t.after(v, 0); w >= 0; w, at = t.after(v, at+1) {
			if components[w] == components[v] {
				c.next[i] = append(c.next[i], index[w])
			}
		}
	}
	return c
}

// components numbers the components of more than one vertex from 1; other vertices have 0.
func (t *turns) components() []int32 {
	type frame struct {
		v  int32
		at int // bit from which to look on
	}
	const finished = -1
	var (
		order   = make([]int32, t.vertices())
		low     = make([]int32, t.vertices())
		id      = make([]int32, t.vertices())
		stack   []int32
		calls   []frame
		counter int32
		found   int32
	)
	enter := func(v int32) {
		counter++
		order[v], low[v] = counter, counter
		stack, calls = append(stack, v), append(calls, frame{v: v})
	}
	leave := func(v int32) {
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			parent := calls[len(calls)-1].v
			low[parent] = min(low[parent], low[v])
		}
		if low[v] != order[v] {
			return
		}
		first := len(stack) - 1
		for stack[first] != v {
			first--
		}
		if len(stack)-first > 1 {
			found++
		}
		for _, w := range stack[first:] {
			order[w] = finished
			if len(stack)-first > 1 {
				id[w] = found
			}
		}
		stack = stack[:first]
	}
	for root := range order {
		if order[root] != 0 {
			continue
		}
		enter(int32(root))
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			w, at := t.after(f.v, f.at)
			f.at = at + 1
			switch {
			case w < 0:
				leave(f.v)
			case order[w] == 0:
				enter(w)
			case order[w] != finished:
				low[f.v] = min(low[f.v], order[w])
			}
		}
	}
	return id
}

// cycleBudget is how many dependencies the search for a shortest cycle follows before it is content
// with a short one.
const cycleBudget = 300_000_000

// dependency is an edge of a core, by indexes into its vertices.
type dependency struct{ from, to int32 }

// shortestCycle returns a shortest cycle, as indexes into vertices; nil if there is none. exact is
// false if the budget was not enough for a proof that there is no shorter one.
func (c *core) shortestCycle() (best []int32, exact bool) {
	seen := make([]int32, len(c.next)) // root+1 of the last search that came here
	parent := make([]int32, len(c.next))
	var queue []int32
	for root := range c.next {
		if best != nil && (len(best) == 2 || c.budget < 0) {
			return best, len(best) == 2
		}
		queue = append(queue[:0], int32(root))
		levelEnd, length := 1, 1
	search:
		for head := 0; head < len(queue); head++ {
			if head == levelEnd {
				levelEnd = len(queue)
				length++
			}
			if best != nil && length >= len(best) {
				break
			}
			v := queue[head]
			c.budget -= len(c.next[v])
			for _, w := range c.next[v] {
				if int(w) == root {
					best = make([]int32, length)
					for i, u := length-1, v; i >= 0; i-- {
						best[i] = u
						u = parent[u]
					}
					break search
				}
				if seen[w] != int32(root)+1 {
					seen[w], parent[w] = int32(root)+1, v
					queue = append(queue, w)
				}
			}
		}
	}
	return best, true
}
