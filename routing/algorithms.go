package routing

// algorithms is the registry, in the order of the documentation.
var algorithms = []Algorithm{
	upDownRouting,
	prefixRouting,
	prefixShortcutRouting,
	lTurnRouting,
	rTurnRouting,
	lrTurnRouting,
	sbpRouting,
	reducedSBPRouting,
	lashRouting,
	layeredRouting,
	dlRouting,
	eCubeRouting,
	tofuRouting,
	minimalRouting,
}
