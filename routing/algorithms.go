package routing

// algorithms is the registry, in the order of the documentation.
var algorithms = []Algorithm{}
