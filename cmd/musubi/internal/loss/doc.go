// Package loss has the subcommands about failed links and switches: reroute, which repairs tables,
// and faults, which says what each failure costs.
package loss
