// Package registries is `starter registry`: web services that say what to harvest.
package registries
