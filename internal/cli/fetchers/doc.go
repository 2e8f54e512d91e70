// Package fetchers is `starter fetchers`: the kinds of source, trying one, writing one.
package fetchers
