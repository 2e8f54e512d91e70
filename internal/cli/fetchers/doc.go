// Package fetchers is `starter fetchers`: the kinds of source, and trying one.
package fetchers
