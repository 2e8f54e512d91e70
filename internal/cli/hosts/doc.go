// Package hosts is `starter hosts`: the servers that are asked.
package hosts
