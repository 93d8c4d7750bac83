// Package reproduce compares the results of the machines with the figures of the papers that
// describe them. A cell is calibrated, derived from calibrated values, or predicted; a prediction
// without a published figure is there for readers who have the paper.
package reproduce
