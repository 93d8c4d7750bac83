package routing

// algorithms is the registry, in the order of the documentation.
var algorithms = []Algorithm{
	{
		Name:    "updown",
		Summary: "Up*/Down*: up towards the root of a spanning tree, then down",
		Source:  "Schroeder et al., Autonet, IEEE JSAC 1991",
		build:   buildUpDown,
	},
	{
		Name:    "prefix",
		Summary: "Prefix routing over the links of a spanning tree",
		Source:  "Wu, Sheng, 1999",
		build:   buildPrefix,
	},
	{
		Name:    "prefix-shortcut",
		Summary: "Prefix routing with the other links as shortcuts",
		Source:  "Wu, Sheng, 1999",
		build:   buildPrefixShortcut,
	},
	{
		Name:    "l-turn",
		Summary: "2D turn model: left-up first, right-up last",
		Source:  "Jouraku, Koibuchi, Amano, IEEE TPDS 2007",
		build:   buildLTurn,
	},
	{
		Name:    "r-turn",
		Summary: "2D turn model: left-down first, right-down last",
		Source:  "Jouraku, Koibuchi, Amano, IEEE TPDS 2007",
		build:   buildRTurn,
	},
	{
		Name:    "lr-turn",
		Summary: "2D turn model: left first, right last",
		Source:  "after Jouraku, Koibuchi, Amano, IEEE TPDS 2007",
		build:   buildLRTurn,
	},
	{
		Name:    "sbp",
		Summary: "structured buffer pool: one virtual channel up at every switch",
		Source:  "Horie et al., AP1000, 1992",
		Minimal: true,
		build:   buildSBP,
	},
	{
		Name:    "reduced-sbp",
		Summary: "structured buffer pool: one virtual channel up where three or more links meet; not safe on a ring",
		Source:  "Nishimura et al., RHiNET-2/SW, 2000",
		Minimal: true,
		build:   buildReducedSBP,
	},
	{
		Name:    "lash",
		Summary: "layered shortest paths: each path in one virtual channel, by first fit",
		Source:  "Skeie, Lysne, Theiss, IPDPS 2002",
		Minimal: true,
		build:   buildLASH,
	},
	{
		Name:    "dl",
		Summary: "Descending Layers: Up*/Down* in each virtual channel, the next one after each forbidden turn",
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
		Name:    "tofu",
		Summary: "dimension order X, Y, Z, A, C, B on a Tofu network",
		Source:  "Ajima et al., The Tofu Interconnect, IEEE Micro 2012",
		Minimal: true,
		build:   buildTofu,
	},
	{
		Name:    "minimal",
		Summary: "shortest paths without regard to deadlock, for comparison",
		Minimal: true,
		Unsafe:  true,
		build:   buildMinimal,
	},
}
