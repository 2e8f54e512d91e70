// Package temporalx is the typed front of the Temporal SDK, the named option
// profiles, and the one seam from our errors to Temporal's. An untyped
// activity call with a forgotten, an extra or a wrong argument compiles, runs
// and succeeds with zero values; through this front it does not compile.
package temporalx
