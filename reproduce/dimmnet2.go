package reproduce

// The papers on DIMMnet-2 are Kitamura et al.: Design and Implementation of Network
// Interface Controller on DIMMnet-2 (IPSJ, 2005), called [C], and Kitamura et al.:
// Packet Receiving Mechanism Supporting Message Passing Model on DIMMnet-2 (2006),
// called [I]. The hosts of [C] had memory that is slower to poll, and polled the LLCM for arrivals,
// not the Status Pointer.
var hostOfC = []string{"processor.poll=233ns", "processor.arrivals=llcm"}

// variant is a way of sending and receiving messages.
type variant struct{ name, mechanism, copying string }

// settings are the settings of workloads for the variant, under the conditions of the paper that
// has it.
func (v variant) settings(more ...string) []string {
	settings := append([]string{"mechanism=" + v.mechanism, "copy=" + v.copying}, more...)
	if v.mechanism == "botf" {
		settings = append(settings, hostOfC...)
	}
	return settings
}

// variants combines mechanisms with the receiver's treatment of a message.
func variants(mechanisms ...string) []variant {
	names := map[string]string{"push": "PUSH", "ipush": "IPUSH", "botf": "BOTF"}
	var list []variant
	for _, m := range mechanisms {
		list = append(list,
			variant{names[m] + ", not copied", m, "none"},
			variant{names[m] + ", copied by a cached window", m, "cached"},
			variant{names[m] + ", copied by an uncached window", m, "uncached"})
	}
	return list
}
