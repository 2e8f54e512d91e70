// Package scope finds what people name: campaigns, items, runs, hosts.
package scope
