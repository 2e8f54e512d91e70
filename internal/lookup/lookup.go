// Package lookup makes fetchers known to the file format: the one reading of a set of
// fetchers for commands and workers.
package lookup

import (
	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
)

// Of finds the fetchers of a set.
func Of(set fetchers.Set) campaigns.Lookup {
	return func(name string) (campaigns.FetcherInfo, error) {
		k, err := set.Find(name)
		if err != nil {
			return campaigns.FetcherInfo{}, err
		}
		return Info(k), nil
	}
}

// Info is what the file format needs to know of one fetcher.
func Info(k fetchers.Kind) campaigns.FetcherInfo {
	return campaigns.FetcherInfo{Name: k.Name, Description: k.Description, Splitter: k.Splitter(), Exhaustive: k.Exhaustive(), Continuer: k.Continuer()}
}
