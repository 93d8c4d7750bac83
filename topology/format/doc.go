// Package format reads and writes the files in which tools describe fabrics.
//
// All readers accept what the tools print and say what is wrong in one line
// with file and line. A cable may be described from either end or from both; two
// descriptions must agree on the ports. Files without port numbers get them in
// the order of their lines. Adapters must be on switches: two adapters back to
// back are refused.
package format
