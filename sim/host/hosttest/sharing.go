package hosttest

// sharing lets hosts of machines run up to four ranks, where the machine says less.
var sharing = map[string]map[string]string{
	"dimmnet2":       {"card.processes": "4", "ring.records": "1024"},
	"dimmnet2-match": {"card.processes": "4", "ring.records": "1024", "card.prefetch_windows": "16"},
	"iqrouter":       {"host.cores": "4"},
	"ndr":            {},
	"qsnet2":         {"host.cores": "4"},
	"rhinet2":        {"host.cores": "2", "host.quantum": "100us"}, // four ranks take turns
	"ssscore":        {"conditions.quantum": "100us"},
	"tofu2":          {"queue.processes": "4"},
	"vpush":          {"card.processes": "4", "ring.records": "1024"},
}

// Sharing returns parameters of a built-in machine with which its hosts run up to four ranks; false
// for machines without hosts.
func Sharing(machine string) (map[string]string, bool) {
	set, shares := sharing[machine]
	return set, shares
}
