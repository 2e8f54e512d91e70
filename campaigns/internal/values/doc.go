// Package values reads and writes the small values of a campaign file:
// durations, sizes, rates, shares, names, secret references. Every error says
// what is due instead, with an example.
package values
