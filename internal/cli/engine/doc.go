// Package engine is the command line's seam to Temporal: what commands ask of
// it, in the product's own words, so that none of them knows the SDK.
package engine
