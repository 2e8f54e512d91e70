// Package failures is `starter failures`: records that could not be read.
package failures
