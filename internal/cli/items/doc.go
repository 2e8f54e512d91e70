// Package items is `starter items`: the sources one by one, across runs.
package items
