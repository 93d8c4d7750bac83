package layout

import (
	"cmp"
	"maps"
	"slices"
)

// cliqueOf returns switches that are all linked with each other, sw among them, in order. Those come
// first that share most neighbours with sw: in a dragonfly the ones of its group.
func cliqueOf(sw int, linked []map[int]bool, taken []bool) []int {
	shared := map[int]int{}
	for other := range linked[sw] {
		for third := range linked[other] {
			if linked[sw][third] {
				shared[other]++
			}
		}
	}
	candidates := slices.Sorted(maps.Keys(linked[sw]))
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(shared[b], shared[a]) })
	group := []int{sw}
	for _, c := range candidates {
		if !taken[c] && c != sw && !slices.ContainsFunc(group, func(member int) bool { return !linked[c][member] }) {
			group = append(group, c)
		}
	}
	slices.Sort(group)
	return group
}
