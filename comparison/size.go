package comparison

import (
	"fmt"
	"math/bits"
	"strings"

	"musubi/topology/generate/field"
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
	{"hyperx", hyperX}, {"slimfly", slimFly}, {"polarfly", polarFly}, {"xgft", slimmed},
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
// three dimensions that differ little, with a host on each switch, or a hypercube; a HyperX of two equal
// dimensions in which a switch has at most as many hosts as a dimension has switches; a Slim Fly or PolarFly with
// the number of hosts per switch of their papers; or an extended generalised fat tree of three levels that is
// slimmed, with half as many links up as down. Names that say a size are returned as they are.
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

func hyperX(hosts int) string {
	s := 2
	for s*s*s < hosts {
		s++
	}
	return fmt.Sprintf("hyperx:%dx%d,t=%d", s, s, (hosts+s*s-1)/(s*s))
}

func slimFly(hosts int) string {
	return smallest("slimfly", 3, func(q int) bool {
		degree := (3*q - [4]int{0, 1, 0, -1}[q%4]) / 2
		return 2*q*q*((degree+1)/2) >= hosts
	})
}

func polarFly(hosts int) string {
	return smallest("polarfly", 2, func(q int) bool { return (q*q+q+1)*((q+2)/2) >= hosts })
}

// smallest names the network of a family over the field with the fewest elements that has enough hosts.
func smallest(family string, from int, enough func(q int) bool) string {
	q := from
	for ; !enough(q) || !field.Has(q); q++ {
	}
	return fmt.Sprintf("%s:q=%d", family, q)
}

func slimmed(hosts int) string {
	k := 2
	for k*k*k < hosts {
		k += 2
	}
	return fmt.Sprintf("xgft:m=%dx%dx%d,w=1x%dx%d", k, k, k, k/2, k/2)
}
