// Package codec is `starter codec`: Temporal's Web UI reads what is encrypted.
package codec
