// Package store is `starter store`: the store checked, or said to be put back from a copy.
package store
