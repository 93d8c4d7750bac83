package verify

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/option"
	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/routing/nexthop"
	"musubi/routing/roce"
	"musubi/routing/tables"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/topology/sonic"
	"musubi/watch"

	"github.com/spf13/cobra"
)

// allClasses is the name that stands for all kinds of end points.
const allClasses = "all"

type verifyFlags struct {
	scenario musubi.Scenario
	draw     show.Drawing
	report   cli.PageFile
	computed computed

	LFTs    string `name:"lfts" value:"file" help:"forwarding tables, as in opensm-lfts.dump or from dump_lfts, or the directory that route --export infiniband wrote"`
	AR      string `name:"ar" value:"file" help:"tables of adaptive routing, as in ibdiagnet2.far"`
	FDBs    string `name:"fdbs" value:"file" help:"forwarding tables, as in opensm.fdbs"`
	Levels  string `name:"sl" value:"file" help:"service levels: lines of \"source GUID, destination LID, level\"; in a directory, path-sl.txt"`
	Lanes   string `name:"sl2vl" value:"file" help:"virtual lanes by service level, as in opensm-sl2vl.dump or as ibdmchk -d reads them; in a directory, opensm-sl2vl.dump"`
	MFTs    string `name:"mfts" value:"file" help:"multicast forwarding tables, as from dump_fts -M or in opensm.mcfdbs"`
	Tables  string `name:"tables" value:"file" help:"tables in a form of one file, as route --export writes them, or with sets of next hops, also a folder of them by switch"`
	Classes string `name:"classes" help:"kinds of end points whose traffic is judged, separated by commas: {names}"`

	notCovered []string // what the tables do not tell
	notes      []string // what they tell besides
}

// Command is the subcommand verify.
func Command() *cobra.Command {
	f := verifyFlags{scenario: musubi.Usual(), Classes: allClasses}
	cmd := &cobra.Command{
		Use:   "verify --topology FILE {--lfts FILE | --tables FILE | --routing NAME}",
		Short: "Prove the routing tables of a fabric, or show what is wrong",
		Long: `Verify follows routing tables between all end points, or the packets of a routing. It reports pairs that do not
reach each other and why, and proves the paths free of deadlock or shows a shortest
cycle of channel dependencies with the paths that close it. What the answer says nothing
about, such as adaptive routing, is listed below it.

The proof tells classes of traffic apart: paths to aggregation nodes may close a
cycle where those among hosts alone do not. --classes host limits the verdict to
traffic among hosts.

Tables for InfiniBand are those of OpenSM: opensm-lfts.dump or the output of
dump_lfts, or opensm.fdbs. Without --sl all paths have service level 0; without
--sl2vl service level n uses virtual lane n. Ports with several LIDs are followed
to each of them.

Tables with sets of next hops, such as equal-cost routes, are followed along every
choice, and so are those of adaptive routing that --ar takes; docs/nexthops.md has
their forms. With --mfts each multicast group must form a tree that joins its members; such
tables may be given alone, or beside those of --lfts, --fdbs or --ar.

With --routing no tables are read: the routing is computed. Where its packets choose as they
go, as with ugal or ecmp, they are followed along every choice, and the lanes to which each
packet can escape are named.

Exit status 1: some pair has no path, or a deadlock is possible.`,
		Example: `  musubi verify --topology fabric.ibnetdiscover --lfts opensm-lfts.dump
  musubi verify --topology fabric.ibnetdiscover --lfts opensm-lfts.dump \
      --sl path-sl.txt --sl2vl opensm-sl2vl.dump --classes host
  musubi verify --topology torus:8x8 --tables dl.csv --json
  musubi verify --topology dragonfly:a=4,h=2,p=2 --routing ugal`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	computed := option.Of(&f.computed)
	option.Named(computed, "routing")[0].Know(musubi.RoutingNames())
	cli.DefineOptions(cmd, append(f.options(), slices.Concat(computed, option.Named(f.scenario.Options(), ofPaths...), option.Of(&f.draw), option.Of(&f.report))...))
	return cmd
}

// options are those of all commands that verify.
func (f *verifyFlags) options() []*option.Option {
	own := option.Of(f)
	option.Named(own, "classes")[0].Know(append(classKindNames(), allClasses))
	return append(option.Named(f.scenario.Options(), "topology", "part", "hosts", "seed"), own...)
}

func classKindNames() []string {
	var names []string
	for _, k := range topology.Kinds() {
		names = append(names, k.String())
	}
	return names
}

func (f *verifyFlags) run(cmd *cobra.Command) error {
	if err := cmp.Or(f.draw.Check(), f.report.Check()); err != nil {
		return err
	}
	for _, name := range ofPaths {
		if cmd.Flags().Changed(name) && (f.computed.Routing == "" || adaptive.Has(f.computed.Routing)) {
			return fmt.Errorf("--%s says how paths are computed; expected with it --routing with a routing of one path for each pair, such as updown", name)
		}
	}
	found, err := f.verify()
	if err == nil {
		err = f.checkDrawing(found)
	}
	if err != nil {
		return err
	}
	if err := cmp.Or(found.print(cli.SharedFlags(cmd)), f.writeFiles(cli.SharedFlags(cmd), found)); err != nil {
		return err
	}
	return cli.Answer(found.ok())
}

// finding is what verify finds out.
type finding interface {
	print(cli.Shared) error
	ok() bool
	summary() watch.Verdict
}

// verify reads network and tables, and proves them.
func (f *verifyFlags) verify() (finding, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	kinds, err := f.kinds()
	if err != nil {
		return nil, err
	}
	net, err := open.Network(f.scenario, new(machine.Machine))
	if err != nil {
		return nil, err
	}
	var multicast *groups
	if f.MFTs != "" {
		if multicast, err = f.verifyMulticast(net); err != nil {
			return nil, err
		}
		if f.unicast() == "" {
			return multicast, f.refuseClasses()
		}
	}
	f.notCovered, f.notes = nil, nil
	if name := f.computed.Routing; name != "" {
		return f.compute(net, name, kinds)
	}
	routes, rules, err := f.read(net)
	if err != nil {
		return nil, err
	}
	if rules != nil {
		return &choices{tables: f.source(), proof: nexthop.Prove(rules), notes: f.notes, notCovered: slices.Concat(f.notCovered, net.LeftOut), groups: multicast}, nil
	}
	j := judge(routes, kinds)
	j.tables, j.groups = f.source(), multicast
	j.notCovered = slices.Concat(f.notCovered, net.LeftOut)
	if pairs, _ := j.totals(); pairs == 0 && f.Classes != allClasses {
		return nil, fmt.Errorf("--classes %s: the network has no pair of such end points, but %s", f.Classes, net.Summary())
	}
	return j, nil
}

// checkDrawing refuses to draw what has no paths.
func (f *verifyFlags) checkDrawing(found finding) error {
	what := "sets of next hops"
	switch found.(type) {
	case *judgement:
		return nil
	case *groups:
		what = "multicast groups"
	}
	switch {
	case f.draw.Draw != "":
		return fmt.Errorf("--draw %s: %s have no paths to draw", f.draw.Draw, what)
	case f.report.Report != "":
		return fmt.Errorf("--report %s: %s have no paths to draw", f.report.Report, what)
	}
	return nil
}

// writeFiles draws the loads of the tables, and the cycle of the traffic that is judged, and writes a page about them, if
// that is asked for.
func (f *verifyFlags) writeFiles(s cli.Shared, found finding) error {
	j, ok := found.(*judgement)
	if !ok {
		return nil
	}
	if f.draw.Draw != "" {
		drawing, err := show.DrawRouting(filepath.Base(j.tables), j.routes[0], j.cycle, 0)
		if err == nil {
			err = cli.WriteSheet(s, f.draw.Draw, drawing)
		}
		if err != nil {
			return err
		}
	}
	return f.report.Write(s, j.page)
}

// source is the file that says where packets go, or the routing.
func (f *verifyFlags) source() string {
	if f.computed.Routing != "" {
		return "routing " + f.computed.Routing
	}
	return cmp.Or(f.unicast(), f.Tables, f.MFTs)
}

// unicast is the file of InfiniBand's tables for packets to one end point.
func (f *verifyFlags) unicast() string { return f.LFTs + f.FDBs + f.AR }

// check refuses flags that do not go together.
func (f *verifyFlags) check() error {
	given := 0
	for _, file := range []string{f.LFTs, f.FDBs, f.AR, f.Tables, f.computed.Routing} {
		if file != "" {
			given++
		}
	}
	switch {
	case f.scenario.Topology == "":
		return errors.New("no network given; expected --topology with a file, or a name such as torus:4x4")
	case given > 1, given == 0 && f.MFTs == "":
		return fmt.Errorf("%d files of tables given; expected one of --lfts, --fdbs, --ar, --mfts and --tables, or --routing", given)
	case f.MFTs != "" && f.Tables+f.computed.Routing != "":
		return errors.New("--mfts belongs to InfiniBand's tables; expected it alone, or with --lfts, --fdbs or --ar")
	case f.unicast() == "" && f.Levels+f.Lanes != "":
		return errors.New("--sl and --sl2vl belong to InfiniBand's tables; expected --lfts, --fdbs or --ar with them")
	}
	return nil
}

// kinds returns the kinds of end points that are judged.
func (f *verifyFlags) kinds() ([]topology.Kind, error) {
	if f.Classes == allClasses {
		return topology.Kinds(), nil
	}
	var kinds []topology.Kind
	for name := range strings.SplitSeq(f.Classes, ",") {
		if err := cli.Choose("kind of end points", name, append(classKindNames(), allClasses)); err != nil {
			return nil, err
		}
		i := slices.Index(classKindNames(), name)
		if i < 0 {
			return nil, fmt.Errorf("--classes %s; expected all alone, or kinds of end points", f.Classes)
		}
		kinds = append(kinds, topology.Kinds()[i])
	}
	return kinds, nil
}

// read reads the tables that the flags name: routes, or rules if they have sets of next hops.
func (f *verifyFlags) read(net *topology.Network) (routes []*routing.Routes, rules nexthop.Rules, err error) {
	if f.AR != "" {
		rules, err = f.readAdaptive(net)
		return nil, rules, err
	}
	if f.Tables == "" {
		routes, err = f.readInfiniBand(net)
		return routes, nil, err
	}
	if info, err := os.Stat(f.Tables); err == nil && info.IsDir() {
		rules, err = f.asRules(readFolder(f.Tables, net))
		return nil, rules, err
	}
	err = cli.WithFile(f.Tables, func(r io.Reader) error {
		b := bufio.NewReaderSize(r, headLength)
		switch head, _ := b.Peek(headLength); {
		case sonic.Looks(head):
			rules, err = f.asRules(readSONiC(b, f.Tables, net))
			return err
		case roce.LooksPlain(head):
			rules, err = f.asRules(roce.ReadPlain(b, f.Tables, net))
			return err
		case roce.LooksFRR(head):
			rules, err = f.asRules(roce.ReadFRR(b, f.Tables, net))
			return err
		case !strings.HasPrefix(string(head), "musubi,"):
			return fmt.Errorf("%s:1: no form of tables that --tables takes; expected musubi,general,1, musubi,rhinet2,1 or musubi,nexthops,1 as the first line, or JSON of FRRouting or SONiC; those of OpenSM are for --lfts or --fdbs", f.Tables)
		}
		one, err := tables.Read(b, f.Tables, net)
		routes = []*routing.Routes{one}
		return err
	})
	return routes, rules, err
}

// readFolder reads the routes of all switches from a folder.
func readFolder(path string, net *topology.Network) (*roce.Tables, error) {
	folder := os.DirFS(path)
	if !sonic.IsFolder(folder) {
		return roce.ReadFRRFolder(folder, path, net)
	}
	switches, err := sonic.ReadFolder(folder, path)
	if err != nil {
		return nil, err
	}
	return roce.ReadSONiC(switches, path, net)
}

// readSONiC reads an object of the databases of all switches.
func readSONiC(r io.Reader, file string, net *topology.Network) (*roce.Tables, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	switches, err := sonic.ReadObject(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return roce.ReadSONiC(switches, file, net)
}

// asRules checks that tables of Ethernet suit the flags, and notes what they do not tell.
func (f *verifyFlags) asRules(t *roce.Tables, err error) (nexthop.Rules, error) {
	if err != nil {
		return nil, err
	}
	f.notCovered, f.notes = append(f.notCovered, t.NotCovered...), t.Notes
	return t, f.refuseClasses()
}

// headLength is enough of a file to tell its form.
const headLength = 64 << 10

// refuseClasses refuses a choice of end points where there are sets of next hops.
func (f *verifyFlags) refuseClasses() error {
	if f.Classes == allClasses {
		return nil
	}
	return fmt.Errorf("--classes %s: sets of next hops are proved for all end points; expected no --classes", f.Classes)
}

// readAdaptive reads the tables of adaptive routing.
func (f *verifyFlags) readAdaptive(net *topology.Network) (nexthop.Rules, error) {
	if err := f.refuseClasses(); err != nil {
		return nil, err
	}
	var t *tables.Adaptive
	err := cli.WithFile(f.AR, func(r io.Reader) (err error) {
		t, err = tables.ReadAdaptive(r, f.AR, net)
		return err
	})
	if err == nil {
		err = open.ReadLevelsAndLanes(t.InfiniBand, f.Levels, f.Lanes)
	}
	if err != nil {
		return nil, err
	}
	if t.PLFTs > 1 {
		f.notCovered = append(f.notCovered, fmt.Sprintf("which of %d forwarding tables holds for a packet: the map from ports and service levels is missing, so packets were followed by all of them", t.PLFTs))
	}
	f.notCovered = append(f.notCovered, f.otherPackets()...)
	return t.Rules(), nil
}

// infiniBand names the files of InfiniBand's tables.
func (f *verifyFlags) infiniBand() open.TableFiles {
	return open.TableFiles{Forwarding: f.LFTs + f.FDBs, Levels: f.Levels, Lanes: f.Lanes}
}

// readInfiniBand follows the tables of InfiniBand.
func (f *verifyFlags) readInfiniBand(net *topology.Network) ([]*routing.Routes, error) {
	f.notCovered = append([]string{adaptiveRouting(net)}, f.otherPackets()...)
	t, err := open.ReadInfiniBand(net, f.infiniBand())
	if err != nil {
		return nil, err
	}
	return t.Routes()
}
