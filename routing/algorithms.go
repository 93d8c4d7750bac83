package routing

// algorithms is the registry, in the order of the documentation.
var algorithms = []Algorithm{
	{
		Name:    "updown",
		Summary: "up towards the root of a spanning tree, then down",
		Source:  "Schroeder et al., Autonet, IEEE JSAC 1991",
		build:   buildUpDown,
	},
	{
		Name:    "dl",
		Summary: "Descending Layers: Up*/Down* in each virtual channel, a lower one after each forbidden turn",
		Source:  "Koibuchi, Jouraku, Amano, ICPP 2003",
		build:   buildDL,
	},
	{
		Name:    "ecube",
		Summary: "dimension order on a mesh, torus or hypercube",
		Source:  "Dally, Seitz, IEEE Trans. Computers 1987",
		Minimal: true,
		build:   buildECube,
	},
	{
		Name:    "minimal",
		Summary: "shortest paths without regard to deadlock, for comparison",
		Minimal: true,
		Unsafe:  true,
		build:   buildMinimal,
	},
}
