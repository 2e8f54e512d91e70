// Package runs is `starter runs`: what ran, what came of it, and what is running.
package runs
