package musubi_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which parts of the program each part may build on; see
// docs/architecture.md for the reasons. A part is a folder with all that is below it, except
// what has an entry of its own; packages of one part may import each other. "nic/..." allows
// nic and all parts below it. Tests may import more, as they need a world to run a workload in.
var mayImport = map[string][]string{
	"units":    {},
	"onesided": {"internal/phantom", "internal/strided"},
	"rma":      {"units", "onesided"},
	"rings":    {"units", "rma"},
	"option":   {},
	"internal": {}, // what tests share

	// Networks and routes.
	"topology":                            {"units"},
	"topology/generate":                   {"topology", "topology/generate/field"},
	"topology/generate/field":             {},
	"topology/format":                     {"topology", "topology/sonic", "topology/format/internal/..."},
	"topology/format/internal/scan":       {},
	"topology/format/internal/draft":      {"topology", "topology/format/internal/scan"},
	"topology/format/internal/graphs":     {"internal/regex", "topology", "topology/layout", "topology/format/internal/scan", "topology/format/internal/draft"},
	"topology/format/internal/infiniband": {"internal/regex", "topology", "topology/format/internal/scan", "topology/format/internal/draft"},
	"topology/format/internal/lists":      {"internal/regex", "topology", "topology/format/internal/scan", "topology/format/internal/draft"},
	"topology/sonic":                      {},
	"topology/layout":                     {"topology"},
	"topology/networks":                   {"topology", "topology/generate", "topology/format", "topology/sonic"},
	"topology/tour":                       {"topology"},
	"routing":                             {"units", "internal/memory", "internal/prefetch", "topology", "topology/generate", "routing/acyclic", "routing/internal/..."},
	"routing/acyclic":                     {},
	"routing/tables":                      {"internal/regex", "topology", "routing", "routing/nexthop", "routing/multicast"},
	"routing/nexthop":                     {"topology"},
	"routing/adaptive":                    {"topology", "routing/nexthop"},
	"routing/multicast":                   {"topology"},
	"routing/roce":                        {"topology", "topology/sonic", "routing/nexthop"},
	"routing/change":                      {"topology", "routing", "routing/acyclic", "routing/tables"},
	"routing/faults":                      {"topology", "routing", "routing/change", "routing/nexthop"},
	"routing/internal/tree":               {"topology"},
	"routing/internal/order":              {"topology", "routing/acyclic"},
	"routing/internal/ways":               {"topology"},
	"routing/internal/balance":            {"topology", "routing/internal/ways"},
	"routing/internal/turns":              {"topology", "routing/internal/tree", "routing/internal/order", "routing/internal/ways"},
	"routing/internal/routetest":          {"topology", "routing", "internal/nettest"}, // what tests of these share
	"internal/nettest":                    {"topology", "topology/generate"},

	// Mechanisms of network interfaces: those that both worlds use, and those of simulated
	// machines.
	"nic/ring":     {"internal/prefetch", "internal/sparse"},
	"nic/reliable": {},
	"nic/cmdq":     {},
	"nic/dimmnet":  {"nic/ring", "nic/reliable"},
	"nic/barrier":  {"onesided"},
	"nic/fence":    {},
	"nic/register": {},
	"nic/match":    {},
	"nic/mbc":      {"onesided", "nic/register"},

	"mpi":                      {"units", "rma", "mpi/internal/..."},
	"mpi/vet":                  {},
	"internal/sparse":          {"internal/prefetch"},
	"internal/cached":          {},
	"internal/phantom":         {},
	"internal/regex":           {},
	"internal/spelling":        {},
	"internal/memory":          {},
	"internal/prefetch":        {},
	"internal/strided":         {},
	"internal/spill":           {},
	"mpi/abi/standard":         {},
	"mpi/abi/handle":           {},
	"mpi/abi/shadow":           {},
	"mpi/abi/typemap":          {"mpi/abi/standard", "mpi/internal/datatype", "mpi/internal/reduction"},
	"mpi/internal/dims":        {},
	"mpi/abi":                  {"mpi/abi/handle", "mpi/abi/shadow", "mpi/abi/standard", "mpi/abi/typemap", "mpi/internal/algorithm", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/datatype", "mpi/internal/elements", "mpi/internal/fault", "mpi/internal/match", "mpi/internal/partitioned", "mpi/internal/reduction", "mpi/internal/window", "rma"},
	"mpi/abi/attribute":        {"mpi/abi", "mpi/abi/handle", "mpi/abi/standard"},
	"mpi/abi/collectives":      {"mpi/abi", "mpi/abi/standard", "mpi/internal/algorithm", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/reduction"},
	"mpi/abi/communicators":    {"mpi/abi", "mpi/abi/attribute", "mpi/abi/standard", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/dims", "mpi/internal/elements", "mpi/internal/window"},
	"mpi/abi/datatypes":        {"mpi/abi", "mpi/abi/attribute", "mpi/abi/standard", "mpi/abi/typemap"},
	"mpi/abi/environment":      {"mpi/abi", "mpi/abi/attribute", "mpi/abi/pointtopoint", "mpi/abi/standard", "mpi/internal/fault"},
	"mpi/abi/pointtopoint":     {"mpi/abi", "mpi/abi/standard", "mpi/internal/core", "mpi/internal/fault"},
	"mpi/abi/windows":          {"mpi/abi", "mpi/abi/attribute", "mpi/abi/shadow", "mpi/abi/standard", "mpi/abi/typemap", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/datatype", "mpi/internal/reduction", "mpi/internal/window"},
	"mpi/abi/files":            {"mpi/abi", "mpi/abi/standard", "mpi/abi/typemap", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/elements", "mpi/internal/reduction", "mpi/internal/window"},
	"mpi/abi/functions":        {"mpi/abi/..."},
	"mpi/abi/process":          {"units", "rma", "mpi/abi", "mpi/abi/functions", "sim/engine"},
	"mpi/abi/abitest":          {"rma", "mpi/abi", "mpi/abi/standard"},
	"abi":                      {"rma", "live/shm", "mpi/abi", "mpi/abi/environment", "mpi/abi/functions", "mpi/abi/standard", "live"},
	"mpi/internal/elements":    {},
	"internal/goroutine":       {},
	"tuning":                   {},
	"mpi/internal/check":       {"mpi/internal/algorithm", "mpi/internal/fault", "mpi/internal/reduction"},
	"mpi/internal/fault":       {},
	"mpi/internal/buffer":      {"internal/phantom"},
	"mpi/internal/envelope":    {"internal/phantom"},
	"mpi/internal/datatype":    {"rma", "internal/phantom", "internal/strided"},
	"mpi/internal/queueplan":   {"units", "rma"},
	"mpi/internal/reduction":   {"rma", "mpi/internal/elements"},
	"mpi/internal/outgoing":    {"rma", "mpi/internal/buffer", "internal/phantom"},
	"mpi/internal/match":       {"mpi/internal/envelope", "internal/sparse"},
	"mpi/internal/schedule":    {"mpi/internal/datatype", "mpi/internal/reduction", "internal/cached", "internal/phantom"},
	"mpi/internal/algorithm":   {"rma", "mpi/internal/datatype", "mpi/internal/reduction", "mpi/internal/schedule", "internal/phantom"},
	"mpi/internal/core":        {"units", "rma", "mpi/internal/buffer", "mpi/internal/datatype", "mpi/internal/envelope", "mpi/internal/fault", "mpi/internal/match", "mpi/internal/outgoing", "internal/sparse", "internal/phantom", "internal/goroutine"},
	"mpi/internal/collective":  {"rma", "mpi/internal/algorithm", "mpi/internal/check", "mpi/internal/core", "mpi/internal/elements", "mpi/internal/fault", "mpi/internal/match", "mpi/internal/multicast", "mpi/internal/partitioned", "mpi/internal/reduction", "mpi/internal/schedule"},
	"mpi/internal/partitioned": {"mpi/internal/core", "mpi/internal/elements", "mpi/internal/fault"},
	"mpi/internal/multicast":   {"rma", "mpi/internal/core", "mpi/internal/outgoing"},
	"mpi/internal/neighbour":   {"units", "rma", "mpi/internal/algorithm", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/datatype", "mpi/internal/elements", "mpi/internal/fault", "mpi/internal/match", "mpi/internal/queueplan", "mpi/internal/schedule", "internal/phantom"},
	"mpi/internal/triggered":   {"units", "rma", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/fault"},
	"mpi/internal/window":      {"rma", "mpi/internal/collective", "mpi/internal/core", "mpi/internal/datatype", "mpi/internal/elements", "mpi/internal/envelope", "mpi/internal/fault", "mpi/internal/match", "mpi/internal/outgoing", "mpi/internal/reduction", "mpi/internal/wordlock", "internal/sparse"},
	"mpi/internal/wordlock":    {},

	"sim/engine":            {"units", "internal/goroutine", "internal/prefetch"},
	"sim/fabric":            {"units", "topology", "routing", "routing/adaptive", "sim/engine"},
	"sim/packet":            {"units", "internal/memory", "internal/prefetch", "topology", "routing", "routing/adaptive", "sim/engine", "sim/fabric"},
	"sim/flit":              {"units", "routing", "routing/adaptive", "sim/engine", "sim/fabric"},
	"sim/flow":              {"units", "routing", "routing/adaptive", "sim/engine", "sim/fabric", "sim/flow/maxmin"},
	"sim/flow/maxmin":       {},
	"sim/domain":            {"units", "sim/engine", "sim/flow/maxmin"},
	"sim/failure":           {"units", "topology", "routing", "routing/adaptive", "routing/change", "sim/engine", "sim/fabric"},
	"sim/machine":           {"units"},
	"sim/host":              {"units", "internal/phantom", "internal/prefetch", "internal/sparse", "onesided", "topology", "routing", "routing/adaptive", "nic/ring", "nic/fence", "rma", "sim/engine", "sim/domain", "sim/fabric", "sim/failure", "sim/flit", "sim/flow", "sim/machine", "sim/packet"},
	"sim/fabric/fabrictest": {"units", "topology", "routing", "internal/nettest", "sim/engine", "sim/fabric"},
	"sim/host/hosttest":     {"units", "topology", "topology/generate", "routing", "rma", "sim/host", "sim/machine"},
	"sim/nic/*":             {"units", "internal/prefetch", "internal/sparse", "onesided", "topology", "routing", "nic/...", "rma", "sim/engine", "sim/fabric", "sim/machine", "sim/host"}, // each by itself
	"sim/nic/models":        {"sim/host", "sim/nic/*"},

	// Rooms of live; wire is the leaf.
	"live":          {"rma", "live/wire", "live/rank", "live/job"},
	"live/wire":     {"onesided", "rma"},
	"live/shm":      {"onesided", "nic/cmdq", "rma", "live/wire"},
	"live/tcp":      {"units", "nic/reliable", "live/wire"},
	"live/health":   {"tuning", "live/wire", "live/shm", "live/tcp"},
	"live/queue":    {"units", "nic/cmdq", "rma", "live/wire", "live/shm"},
	"live/rank":     {"units", "onesided", "nic/ring", "rma", "live/wire", "live/shm", "live/tcp", "live/health", "live/queue"},
	"live/job":      {"units", "rma", "tuning", "trace/record", "trace/calls", "live/wire", "live/shm", "live/tcp", "live/health", "live/rank"},
	"live/livetest": {"units", "rma", "live/tcp"}, // what tests of these share

	// A workload is what packages below it implement and programs lists.
	"workload":                 {"units", "rma", "internal/spelling"},
	"workload/internal":        {"units", "rma", "workload"},
	"workload/pairs":           {"units", "rma", "mpi", "workload", "workload/internal"},
	"workload/groups":          {"units", "rma", "mpi", "workload", "workload/internal", "workload/collectives"},
	"workload/traffic":         {"units", "rma", "workload", "workload/internal"},
	"workload/halo":            {"units", "rma", "mpi", "workload", "workload/internal"},
	"workload/access":          {"units", "rma", "mpi", "workload", "workload/internal", "workload/contention"},
	"workload/nccl":            {"units", "rma", "workload", "workload/internal"},
	"workload/nas":             {"units", "rma", "mpi", "workload", "workload/internal"},
	"workload/osu":             {"units", "rma", "mpi", "workload", "workload/internal", "workload/groups", "workload/collectives"},
	"workload/replay":          {"internal/spill", "units", "rma", "mpi", "workload", "workload/internal", "workload/job", "workload/job/param", "trace/schedule", "trace/format", "trace/goal/loggops"},
	"workload/job":             {"trace/schedule", "workload/job/param", "workload/job/transformer", "workload/job/exchange"},
	"workload/job/exchange":    {"units", "trace/schedule", "workload/job/param", "workload/job/strand"},
	"workload/job/param":       {},
	"workload/job/strand":      {"trace/schedule"},
	"workload/job/transformer": {"units", "trace/schedule", "workload/job/param", "workload/job/strand"},
	"workload/programs":        {"workload", "workload/pairs", "workload/groups", "workload/traffic", "workload/halo", "workload/access", "workload/nas", "workload/nccl", "workload/osu", "workload/replay"},
	"workload/collectives":     {"rma", "mpi", "workload/internal"},
	"workload/machines":        {}, // tests only
	"workload/contention":      {"rma", "mpi"},
	"watch":                    {},
	"trace":                    {"units", "trace/perfetto"},
	"trace/perfetto":           {},
	"trace/schedule":           {"internal/spill"},
	"trace/record":             {"units", "rma", "internal/spill", "trace/schedule"},
	"trace/calls":              {"units", "rma", "trace/perfetto"},
	"trace/format":             {"report/files", "trace/schedule", "trace/chakra", "trace/goal", "trace/simgrid"},
	"trace/chakra":             {"internal/spill", "report/files", "trace/schedule"},
	"trace/simgrid":            {"trace/schedule"},
	"trace/goal":               {"internal/spill", "trace/schedule"},
	"trace/goal/loggops":       {"internal/spill", "trace/schedule", "units"},
	"trace/tracetest":          {},
	"report":                   {"units"},
	"report/files":             {},
	"report/rows":              {},
	"report/table":             {"report/rows"},
	"page":                     {"report/rows", "picture", "picture/sheet"},
	"picture":                  {"report/rows", "picture/sheet"},
	"picture/sheet":            {},
	"picture/network":          {"picture", "picture/sheet", "topology", "topology/layout"},
	"report/ordered":           {},
	".":                        {"units", "internal/memory", "option", "report/files", "report/ordered", "report/rows", "topology", "topology/networks", "topology/tour", "routing", "routing/adaptive", "routing/nexthop", "routing/tables", "rma", "rings", "mpi", "mpi/abi/process", "workload", "workload/programs", "tuning", "sim/engine", "sim/failure", "sim/host", "sim/machine", "sim/nic/models", "live", "trace", "trace/calls", "trace/record", "trace/format"},
	"comparison":               {"topology", "topology/generate/field", "routing", "routing/adaptive"},
	"view":                     {".", "topology", "topology/layout", "topology/networks", "routing", "routing/adaptive", "routing/nexthop", "workload", "workload/programs", "sim/fabric", "sim/machine", "report", "report/rows", "picture", "units", "view/play"},
	"view/play":                {"units", "routing", "sim/engine", "sim/fabric", "sim/packet"},
	"sweep":                    {".", "option", "report/ordered", "report/rows", "workload", "workload/programs", "sim/machine", "sim/fabric"},
	"sweep/store":              {"sweep"},
	"sweep/queue":              {".", "sweep"},
	"reproduce":                {".", "units", "workload", "sim/machine"},
	"bench":                    {"topology", "topology/format", "topology/networks", "routing", "routing/tables"},
	"tools":                    {}, // a module of its own
	"examples":                 {".", "units", "topology", "routing", "rma", "mpi", "workload", "nic/ring", "sim/engine", "sim/fabric", "sim/machine", "sim/host"},
	// The command line: what subcommands share, and the subcommands, of which sweeps alone knows another.
	"cmd/musubi-vet":                {"mpi/vet"},
	"cmd/musubi":                    {".", "option", "live", "cmd/musubi/internal/..."},
	"cmd/musubi/internal/cli":       subcommand(),
	"cmd/musubi/internal/open":      subcommand("cli"),
	"cmd/musubi/internal/show":      subcommand("cli"),
	"cmd/musubi/internal/tabulate":  subcommand("cli"),
	"cmd/musubi/internal/grid":      subcommand("cli", "open", "show", "tabulate"),
	"cmd/musubi/internal/catalogue": subcommand("cli", "open", "show"),
	"cmd/musubi/internal/route":     subcommand("cli", "open", "show"),
	"cmd/musubi/internal/verify":    subcommand("cli", "open", "show"),
	"cmd/musubi/internal/loss":      subcommand("cli", "open", "show"),
	"cmd/musubi/internal/run":       subcommand("cli", "grid", "open", "show", "tabulate"),
	"cmd/musubi/internal/compare":   subcommand("cli", "grid", "open", "show"),
	"cmd/musubi/internal/sweeps":    subcommand("cli", "grid", "run"),
	"cmd/musubi/internal/convert":   append(subcommand("cli"), "trace/format", "workload/job", "workload/job/param"),
	"cmd/musubi/internal/plan":      subcommand("cli", "show"),
	"cmd/musubi/internal/papers":    subcommand("cli"),
	"cmd/musubi/internal/launch":    subcommand("cli", "open"),
	"cmd/musubi/internal/cc":        subcommand("cli"),
	"cmd/musubi/internal/view":      subcommand("cli"),
	"cmd/musubi/internal/tune":      subcommand("cli", "open"),
}

// subcommand is what a package of subcommands may import: what makes up the program, and these
// of its neighbours.
func subcommand(neighbours ...string) []string {
	all := []string{".", "units", "internal/spelling", "option", "mpi/abi/process", "topology/...", "routing/...", "rma", "rings", "mpi", "workload", "workload/programs", "workload/collectives", "workload/osu", "tuning", "sim/fabric", "sim/machine", "live", "report/...", "picture/...", "page", "reproduce", "view", "watch", "comparison", "sweep/..."}
	for _, name := range neighbours {
		all = append(all, "cmd/musubi/internal/"+name)
	}
	return all
}

const module = "musubi"

func TestImportsRunDownwards(t *testing.T) {
	checked := 0
	walkSources(t, func(file string, imports []string) {
		part := partOf(filepath.ToSlash(filepath.Dir(file)))
		allowed, known := mayImport[part]
		if !known {
			allowed, known = mayImport[filepath.ToSlash(filepath.Dir(part))+"/*"]
		}
		if !known {
			t.Errorf("%s: %q is not in the plan of the house; give it a place in mayImport and docs/architecture.md", file, part)
			return
		}
		for _, path := range imports {
			if to := partOf(path); to != part && !slices.ContainsFunc(allowed, func(a string) bool { return allows(a, to) }) {
				t.Errorf("%s imports %s/%s; %q may import %q only", file, module, path, part, allowed)
			}
			checked++
		}
	})
	if checked == 0 {
		t.Error("no imports found; expected the sources of the program below this directory")
	}
}

// partOf returns the longest entry of mayImport that a path inside the module is below, or
// its first element. An entry that ends in "/*" stands for each directory there.
func partOf(path string) string {
	for at := path; at != "."; at = filepath.ToSlash(filepath.Dir(at)) {
		if _, known := mayImport[at]; known {
			return at
		}
		if _, each := mayImport[filepath.ToSlash(filepath.Dir(at))+"/*"]; each {
			return at
		}
	}
	first, _, _ := strings.Cut(path, "/")
	return first
}

// allows reports whether an element of mayImport allows a part.
func allows(element, part string) bool {
	folder, all := strings.CutSuffix(element, "/...")
	each, some := strings.CutSuffix(element, "/*")
	return part == folder || all && strings.HasPrefix(part, folder+"/") || some && filepath.ToSlash(filepath.Dir(part)) == each
}

// TestModelsAreNamedByTheirPackagesOnly finds the names of models of network interfaces in
// their packages, and looks for them elsewhere: in sim, and in package musubi.
func TestModelsAreNamedByTheirPackagesOnly(t *testing.T) {
	declares := regexp.MustCompile(`machine\.Model\{\s*Name: ("[^"]*")`)
	named := map[string]bool{}
	var others []string
	walkSources(t, func(file string, _ []string) {
		part := filepath.ToSlash(filepath.Dir(file))
		text := readFile(t, file)
		switch model := strings.HasPrefix(part, "sim/nic/"); {
		case model && part != "sim/nic/models":
			for _, match := range declares.FindAllStringSubmatch(text, -1) {
				named[match[1]] = true
			}
		case part == "." || strings.HasPrefix(part, "sim/"):
			others = append(others, file)
		}
	})
	if len(named) < 2 {
		t.Fatalf("models %v are declared below sim/nic; expected more", named)
	}
	for _, file := range others {
		for name := range named {
			if strings.Contains(readFile(t, file), name) {
				t.Errorf("%s names model %s; expected it to ask for what the model can do", file, name)
			}
		}
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// walkSources calls f for each Go file that is not a test, with its imports from
// this module as paths inside it.
func walkSources(t *testing.T, f func(file string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		imports, err := importsOf(path)
		if err != nil {
			return err
		}
		f(path, imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, i := range file.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		if name == module {
			imports = append(imports, ".")
		} else if inside, ok := strings.CutPrefix(name, module+"/"); ok {
			imports = append(imports, inside)
		}
	}
	return imports, nil
}
