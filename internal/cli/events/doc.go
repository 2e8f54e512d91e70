// Package events is the noun of who did what.
package events
