// Package reproduce sets what the machines give beside what the papers that
// describe them state. A cell is calibrated, derived from calibrated values, or
// predicted; a prediction without a published figure beside it is there to be
// compared with the paper by whoever has it.
package reproduce
