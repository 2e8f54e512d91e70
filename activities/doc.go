// Package activities does what workflows ask for, with fetchers and a store: one
// file per verb. Every step may be run twice, and by two workers at once; what is
// in the store decides.
package activities
