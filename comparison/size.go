package comparison

import (
	"fmt"
	"math/bits"
	"strings"
)

// families make the name of the smallest network with at least so many hosts.
var families = []struct {
	name string
	of   func(hosts int) string
}{
	{"fattree", fatTree}, {"dragonfly", dragonfly},
	{"torus", func(hosts int) string { return "torus:" + box(hosts) }},
	{"mesh", func(hosts int) string { return "mesh:" + box(hosts) }},
	{"hypercube", func(hosts int) string { return fmt.Sprintf("hypercube:%d", max(1, bits.Len(uint(hosts-1)))) }},
}

// Families lists the kinds of networks that Sized knows.
func Families() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Sized returns the name of the smallest network of a family with at least so many hosts: a fat tree
// with three levels, a balanced dragonfly (a = 2h, p = h; Kim and others, ISCA 2008), a torus or mesh of
// three dimensions that differ little, with a host on each switch, or a hypercube. Names that say a size
// are returned as they are.
func Sized(name string, hosts int) (string, error) {
	if strings.Contains(name, ":") {
		return name, nil
	}
	for _, f := range families {
		if f.name == name {
			return f.of(hosts), nil
		}
	}
	return "", fmt.Errorf("no network %q of a given size; expected %s, or a name with its size such as torus:8x8", name, strings.Join(Families(), ", "))
}

func fatTree(hosts int) string {
	k := 2
	for k*k*k/4 < hosts {
		k += 2
	}
	return fmt.Sprintf("fattree:k=%d", k)
}

func dragonfly(hosts int) string {
	h := 1
	for 2*h*h*(2*h*h+1) < hosts {
		h++
	}
	return fmt.Sprintf("dragonfly:a=%d,h=%d,p=%d", 2*h, h, h)
}

// box returns three sizes whose product is at least n and as small as possible, and among those the
// ones that differ least.
func box(n int) string {
	best, bx, by, bz := 0, 0, 0, 0
	for x := 2; x == 2 || x*x*x <= n; x++ {
		for y := x; y == x || x*y*y <= n; y++ {
			z := max(y, (n+x*y-1)/(x*y))
			if size := x * y * z; best == 0 || size < best || size == best && z-x < bz-bx {
				best, bx, by, bz = size, x, y, z
			}
		}
	}
	return fmt.Sprintf("%dx%dx%d", bx, by, bz)
}
