// Package trigger is `starter trigger`: a run now.
package trigger
