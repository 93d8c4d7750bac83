package pairs

import "musubi/workload"

// eachDistance asks for one partner per number of switches on the path.
const eachDistance = "each-distance"

var (
	fromParam = workload.Param{Name: "from", Default: "0", Help: "rank that sends first"}
	toParam   = workload.Param{Name: "to", Default: "1", Help: "its partner: a rank, or each-distance for one per number of switches on the path"}
)

// pair is two ranks that exchange messages, and the number of switches on the path between them (-1
// if unknown).
type pair struct{ from, to, switches int }

func (q pair) includes(rank int) bool { return rank == q.from || rank == q.to }

// readPairs reads the parameters from and to.
func readPairs(v *workload.Values, env workload.Env) []pair {
	from := v.Rank("from", env)
	if v.Text("to") != eachDistance {
		to := v.Rank("to", env)
		if to == from {
			v.Fail("to", "expected another rank than from")
		}
		return []pair{{from, to, env.Switches(from, to)}}
	}
	if env.PathSwitches == nil {
		v.Fail("to", "this machine has no switches to be distant by; expected a rank")
		return nil
	}
	return distances(&env, from)
}

// distances pairs a rank with the lowest rank at each distance, near ones first.
func distances(e *workload.Env, from int) []pair {
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
func (q pair) labels() []workload.Label {
	if q.switches < 0 {
		return nil
	}
	return []workload.Label{{Name: "switches", Value: q.switches}}
}
