// Package balance chooses one of several ways per pair so that no link has much more to carry than others.
package balance
