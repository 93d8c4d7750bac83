package run

import (
	"fmt"
	"io"
	"time"

	"musubi"
	"musubi/cmd/musubi/internal/cli"
	"musubi/cmd/musubi/internal/show"
	"musubi/report"
	"musubi/report/ordered"

	"github.com/dustin/go-humanize"
)

// estimateRun prints what a run takes, without running it.
func estimateRun(shared cli.Shared, s musubi.Scenario, locate func(error) error) error {
	system, err := buildScenario(shared, s, locate)
	if err != nil {
		return err
	}
	e, err := system.Estimate()
	if err != nil {
		return show.Refusal(shared, locate(err))
	}
	if shared.JSON {
		return ordered.WriteJSON(shared.Stdout, e)
	}
	return printEstimate(shared.Stdout, e)
}

// costOf says what is ahead, if a run takes long or much memory.
func costOf(system *musubi.System) string {
	const longRun, largeRun = 10, 1e9 // seconds, bytes
	e, err := system.Estimate()
	if err != nil { // there is none, or the run says itself what is wrong
		return ""
	}
	memory := humanize.Bytes(uint64(e.Memory)) + " of memory"
	took := (time.Duration(e.Seconds) * time.Second).String() + " of processor time"
	switch {
	case e.Seconds > longRun && e.Memory > largeRun:
		return "the run takes about " + took + " and " + memory
	case e.Seconds > longRun:
		return "the run takes about " + took
	case e.Memory > largeRun:
		return "the run takes about " + memory
	}
	return ""
}

func printEstimate(w io.Writer, e *musubi.Estimate) error {
	_, err := fmt.Fprintf(w, "%s of %s ranks, payload %s\nmemory    about %s, beside network and routes; %s are free\n",
		e.Workload, report.Count(e.Ranks).Text, e.Payload, humanize.Bytes(uint64(e.Memory)), humanize.Bytes(uint64(e.Free)))
	switch {
	case err != nil:
		return err
	case e.Seconds == 0:
		_, err = fmt.Fprintf(w, "time      not known for this workload\n")
	default:
		_, err = fmt.Fprintf(w, "time      about %.2g s of processor time: %s messages, %s packet-hops\n",
			e.Seconds, report.Count(e.Messages).Text, report.Count(e.Hops).Text)
	}
	return err
}
