package nas

// IS sorts whole numbers that are spread evenly over processes.
const (
	isKey     = 4 // bytes of a key, of a counter of keys, and of the other numbers
	isSamples = 5 // keys whose rank is checked in each iteration
)

// isSizes are the logarithms of the number of keys, the number of buckets, and
// the largest number of processes that the reference allows.
var isSizes = [...]struct{ keys, buckets, most int }{
	{16, 512, 128}, {20, 1024, 1024}, {23, 1024, 1024}, {25, 1024, 1024}, {27, 1024, 1024},
}

func isFits(class, ranks int) bool { return isPower(ranks) && ranks <= isSizes[class].most }

// isScript is one sort into buckets: processes add up the counters of buckets, tell each other how
// many keys will follow, and send them. The boundaries of buckets give all processes about equally
// many keys; here they get exactly equally many. In the verification after the last iteration each
// process gives its largest key to the next one.
func isScript(class, ranks, rank int) Script {
	size := isSizes[class]
	w := writer{rank: rank}
	w.compute()
	if ranks > 1 {
		w.add(reduceAction, 0, (size.buckets+isSamples)*isKey)
		w.add(exchangeAction, 0, isKey)
		w.add(exchangeAction, 1, 1<<size.keys/(ranks*ranks)*isKey)
	}
	end := writer{rank: rank}
	before, after := rank-1, rank+1
	if after == ranks {
		after = nobody
	}
	end.send(after, isKey)
	end.receive(before, isKey) // rank 0 has no predecessor
	return Script{iteration: w.actions, finish: end.actions}
}
