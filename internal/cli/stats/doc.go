// Package stats is `starter stats`: what waits, what is in work, and how it went.
package stats
