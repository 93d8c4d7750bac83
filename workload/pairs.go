package workload

// eachDistance asks for one partner per number of switches on the path.
const eachDistance = "each-distance"

var (
	fromParam = Param{"from", "0", "rank that sends first"}
	toParam   = Param{"to", "1", "its partner: a rank, or each-distance for one per number of switches on the path"}
)

// pair is two ranks that exchange messages, and the number of switches on the path between them (-1
// if unknown).
type pair struct{ from, to, switches int }

func (q pair) includes(rank int) bool { return rank == q.from || rank == q.to }

// pairs reads the parameters from and to.
func (v *values) pairs(env Env) []pair {
	from := v.rank("from", env)
	if v.text("to") != eachDistance {
		to := v.rank("to", env)
		if to == from {
			v.fail("to", "expected another rank than from")
		}
		return []pair{{from, to, env.switches(from, to)}}
	}
	if env.PathSwitches == nil {
		v.fail("to", "this machine has no switches to be distant by; expected a rank")
		return nil
	}
	return env.distances(from)
}

// switches returns the number of switches between two ranks, or -1.
func (e *Env) switches(from, to int) int {
	if e.PathSwitches == nil {
		return -1
	}
	return e.PathSwitches(from, to)
}

// distances pairs a rank with the lowest rank at each distance, near ones first.
func (e *Env) distances(from int) []pair {
	nearest := map[int]int{} // by number of switches
	most := 0
	for to := range e.Ranks {
		if to == from {
			continue
		}
		switches := e.PathSwitches(from, to)
		if _, known := nearest[switches]; !known {
			nearest[switches] = to
		}
		most = max(most, switches)
	}
	var pairs []pair
	for switches := range most + 1 {
		if to, known := nearest[switches]; known {
			pairs = append(pairs, pair{from, to, switches})
		}
	}
	return pairs
}

// labels qualifies a row about the pair.
func (q pair) labels() []Label {
	if q.switches < 0 {
		return nil
	}
	return []Label{{"switches", q.switches}}
}
