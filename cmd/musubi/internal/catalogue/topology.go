package catalogue

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/open"
	"musubi/cmd/musubi/internal/show"
	"musubi/option"
	"musubi/picture/sheet"
	"musubi/report"
	"musubi/report/files"
	"musubi/report/ordered"
	"musubi/sim/machine"
	"musubi/topology"
	"musubi/topology/format"
	"musubi/topology/generate"
	"musubi/topology/networks"

	"github.com/spf13/cobra"
)

type topologyFlags struct {
	scenario musubi.Scenario

	Format string `name:"format" help:"format to write; default: by the extension of --output"`
	Output string `name:"output" value:"file" help:"file to write; .svg, .png and .pdf draw the network; default: standard output"`
}

// Topology is the subcommand topology.
func Topology() *cobra.Command {
	f := topologyFlags{scenario: musubi.Usual()}
	cmd := &cobra.Command{
		Use:   "topology NAME|FILE",
		Short: "Describe a network, draw it, or convert it to another format",
		Long: "Without --format or --output, topology prints what a network consists of.\n\n" +
			topologyHelp() +
			"\nThe format of a file is told by its content; write FORMAT:FILE to name it.",
		Example: `  musubi topology fabric.ibnetdiscover
  musubi topology dragonfly:a=4,h=2,p=2 --json
  musubi topology fabric.ibnetdiscover --output fabric.dot
  musubi topology dragonfly:a=4,h=2,p=2 --output dragonfly.svg
  musubi topology torus:8x8 --format ibsim --output torus.net`,
		Args:              exactlyOneTopology,
		ValidArgsFunction: cobra.FixedCompletions(networks.Examples(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			f.scenario.Topology = args[0]
			net, err := open.Network(f.scenario, new(machine.Machine))
			if err != nil {
				return err
			}
			s := cli.SharedFlags(cmd)
			if f.Format == "" && f.Output == "" {
				return describeNetwork(s, net)
			}
			if f.draws() {
				return f.draw(s, net)
			}
			return f.convert(s, net)
		},
	}
	own := option.Of(&f)
	option.Named(own, "format")[0].Know(writtenFormats())
	cli.DefineOptions(cmd, append(option.Named(f.scenario.Options(), "part", "hosts", "seed"), own...))
	return cmd
}

// check refuses what cannot be written before any work is done.
func (f *topologyFlags) check() error {
	if f.Format+f.Output != "" && !f.draws() {
		if _, err := f.targetFormat(); err != nil {
			return err
		}
	}
	return files.Check(f.Output)
}

// draws reports whether the output is a picture.
func (f *topologyFlags) draws() bool {
	return f.Format == "" && f.Output != "" && sheet.CheckName(f.Output) == nil
}

func exactlyOneTopology(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no network given; expected a name such as torus:4x4, or a file")
	}
	return cli.AtMostOneArgument(cmd, args)
}

// topologyHelp lists names of networks and formats of files.
func topologyHelp() string {
	var b strings.Builder
	b.WriteString("Networks that can be named:\n")
	for _, g := range generate.All() {
		cli.Hang(&b, fmt.Sprintf("  %-35s  ", g.Example), g.About)
	}
	for _, n := range networks.All() {
		cli.Hang(&b, fmt.Sprintf("  %-35s  ", n.Name), n.About)
	}
	b.WriteString("\nFormats of files:\n")
	for _, f := range format.All() {
		cli.Hang(&b, fmt.Sprintf("  %-13s  %-26s  ", f.Name, strings.Join(f.Extensions, " ")), f.About)
	}
	return b.String()
}

// draw writes a picture of the network.
func (f *topologyFlags) draw(s cli.Shared, net *topology.Network) error {
	drawing, err := show.DrawNetwork(net)
	if err == nil {
		err = cli.WriteSheet(s, f.Output, drawing)
	}
	if err == nil && s.JSON {
		return ordered.WriteJSON(s.Stdout, summarizeNetwork(net))
	}
	return err
}

// convert writes the network as a file.
func (f *topologyFlags) convert(s cli.Shared, net *topology.Network) error {
	target, err := f.targetFormat()
	if err != nil {
		return err
	}
	if f.Output == "" {
		if s.JSON {
			return fmt.Errorf("--json and --format exclude each other without --output; expected one of them")
		}
		return target.Write(s.Stdout, net)
	}
	err = files.Write(f.Output, func(w io.Writer) error { return target.Write(w, net) })
	if err != nil {
		return err
	}
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, summarizeNetwork(net))
	}
	for _, note := range show.NotesOf(net) {
		s.Note("%s: %s", net.Name, note)
	}
	s.Note("wrote %s (%s)", f.Output, target.Name)
	return nil
}

// targetFormat is the format to write.
func (f *topologyFlags) targetFormat() (format.Format, error) {
	if f.Format != "" {
		if err := cli.Choose("topology format", f.Format, writtenFormats()); err != nil {
			return format.Format{}, err
		}
		return format.Named(f.Format)
	}
	extension := strings.ToLower(filepath.Ext(f.Output))
	for _, known := range format.Written() {
		if slices.Contains(known.Extensions, extension) {
			return known, nil
		}
	}
	return format.Format{}, fmt.Errorf("%s: its extension names no format; expected --format with one of %s", f.Output, strings.Join(writtenFormats(), ", "))
}

// writtenFormats names the formats that networks are written in.
func writtenFormats() []string {
	var names []string
	for _, f := range format.Written() {
		names = append(names, f.Name)
	}
	return names
}

// networkSummary says what a network consists of, as JSON.
type networkSummary struct {
	Topology  string `json:"topology"`
	Switches  int    `json:"switches"`
	Links     int    `json:"links"`
	EndPoints struct {
		Hosts       int `json:"hosts"`
		Aggregation int `json:"aggregation"`
		Routers     int `json:"routers"`
	} `json:"end_points"`
	Parts    int          `json:"parts"`    // connected components
	Diameter *int         `json:"diameter"` // links between switches; null if not connected or too large to tell
	Degrees  []degree     `json:"degrees"`
	Speeds   []speedCount `json:"speeds"`
	Notes    []string     `json:"notes,omitempty"` // what the reader had to assume, or left out
}

// degree counts the switches that have that many links to other switches.
type degree struct {
	Links    int `json:"links"`
	Switches int `json:"switches"`
}

// speedCount counts the cables of one speed.
type speedCount struct {
	Speed     string `json:"speed"` // such as 4xNDR; empty if unknown
	Links     int    `json:"links"`
	EndPoints int    `json:"end_points"`
}

func summarizeNetwork(net *topology.Network) networkSummary {
	n := networkSummary{Topology: net.Name, Switches: len(net.Switches), Links: len(net.Links)}
	n.Notes = show.NotesOf(net)
	n.EndPoints.Hosts = show.CountKind(net, topology.Host)
	n.EndPoints.Aggregation = show.CountKind(net, topology.Aggregation)
	n.EndPoints.Routers = show.CountKind(net, topology.Router)
	n.Degrees = countDegrees(net)
	n.Speeds = countSpeeds(net)
	n.Parts, _ = net.Components()
	if len(net.Switches)*net.Channels() <= maxExtent {
		if diameter, connected := net.Diameter(); connected {
			n.Diameter = &diameter
		}
	}
	return n
}

// maxExtent is the largest product of switches and channels for which the
// diameter is computed; it takes some seconds.
const maxExtent = 1 << 31

func countDegrees(net *topology.Network) []degree {
	count := make(map[int]int)
	for s := range net.Switches {
		count[len(net.Out(s))]++
	}
	var list []degree
	for links, switches := range count {
		list = append(list, degree{links, switches})
	}
	slices.SortFunc(list, func(a, b degree) int { return cmp.Compare(a.Links, b.Links) })
	return list
}

func countSpeeds(net *topology.Network) []speedCount {
	var list []speedCount
	find := func(s topology.Speed) *speedCount {
		i := slices.IndexFunc(list, func(c speedCount) bool { return c.Speed == s.String() })
		if i < 0 {
			i = len(list)
			list = append(list, speedCount{Speed: s.String()})
		}
		return &list[i]
	}
	for _, l := range net.Links {
		find(l.Speed).Links++
	}
	for _, e := range net.EndPoints {
		find(e.Speed).EndPoints++
	}
	slices.SortFunc(list, func(a, b speedCount) int { return cmp.Compare(a.Speed, b.Speed) })
	return list
}

func describeNetwork(s cli.Shared, net *topology.Network) error {
	n := summarizeNetwork(net)
	if s.JSON {
		return ordered.WriteJSON(s.Stdout, n)
	}
	facts := report.NewFacts()
	facts.Add("topology", report.Text(n.Topology))
	facts.Add("size", report.Text(net.Summary()))
	switch {
	case n.Parts > 1:
		facts.Add("diameter", report.Text(fmt.Sprintf("none: the network has %d parts that are not connected", n.Parts)).Bad())
	case n.Diameter == nil:
		facts.Add("diameter", report.Text("not computed for a network of this size").Faint())
	default:
		facts.Add("diameter", report.Text(cli.Plural(*n.Diameter, "link", "links")))
	}
	for i, d := range n.Degrees {
		facts.Add(onlyFirst(i, "degrees"), report.Text(fmt.Sprintf("%s with %s", cli.Plural(d.Switches, "switch", "switches"), cli.Plural(d.Links, "link", "links"))))
	}
	for i, c := range n.Speeds {
		facts.Add(onlyFirst(i, "speeds"), report.Text(fmt.Sprintf("%s: %s between switches, %d to end points",
			cmp.Or(c.Speed, "unknown"), cli.Plural(c.Links, "link", "links"), c.EndPoints)))
	}
	for i, note := range n.Notes {
		facts.Add(onlyFirst(i, "notes"), report.Text(note))
	}
	return facts.Print(s.Stdout)
}

// onlyFirst returns the name of a list for its first line, and none for others.
func onlyFirst(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}
