// Package maxmin shares resources among flows so that the shares are max-min fair: no flow can have
// more without another one having less that has no more than it (Bertsekas and Gallager, Data
// Networks, section 6.5.2).
//
// A flow uses several resources at once, such as the links of its route. A resource has a capacity of
// 1, of which a flow takes its rate times a cost. Shares are fair if every flow has a bottleneck: a
// resource that has no capacity left and on which no other flow has a higher rate. The solution is
// unique.
//
// [Sharing.Solve] takes the last solution as it is and solves the problem anew for those flows only
// whose bottleneck has changed. It then looks for flows that no longer have a bottleneck, takes them
// in, and repeats this until there are none. So a change costs as much as there are links of flows
// whose rate changes. Up to some number of these, the solution is exact but for rounding. Where a
// change has an effect on more of them, those are left alone whose rates are fair to within two per
// cent. Package maxmin knows no time.
package maxmin
