// Package transformer writes down what ranks do in a training step of a transformer, and in inference.
//
// A step of training is under tensor, sequence, context, data, pipeline and expert parallelism at once. docs/jobs.md has the
// formulas, and where they come from.
package transformer
