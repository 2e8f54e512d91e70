// Package bench holds the benchmarks that need more than one package: what is
// measured stands beside the raw limit in one run. `make bench` runs them.
package bench
