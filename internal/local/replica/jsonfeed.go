package replica

import (
	"encoding/json"
	"time"
)

type jsonFeed struct {
	Version  string     `json:"version"`
	Title    string     `json:"title"`
	HomePage string     `json:"home_page_url"`
	FeedURL  string     `json:"feed_url"`
	NextURL  string     `json:"next_url,omitempty"`
	Language string     `json:"language"`
	Items    []jsonItem `json:"items"`
}

type jsonItem struct {
	ID        string       `json:"id,omitempty"`
	URL       string       `json:"url,omitempty"`
	Title     string       `json:"title,omitempty"`
	Content   string       `json:"content_html"`
	Published string       `json:"date_published,omitempty"`
	Authors   []jsonAuthor `json:"authors,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

// json writes JSON Feed 1.1.
func (v view) json(list []Entry, next string) []byte {
	f := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: v.paper.title(), HomePage: v.paper.site + "/",
		FeedURL: v.url(1), NextURL: next, Language: "it", Items: []jsonItem{},
	}
	for _, e := range list {
		f.Items = append(f.Items, jsonItem{
			ID: e.ID, URL: e.Link, Title: e.Title, Content: e.Summary, Published: e.date(time.RFC3339),
			Authors: []jsonAuthor{{e.Author}}, Tags: []string{e.Category},
		})
	}
	b, err := json.MarshalIndent(f, "", " ")
	if err != nil { // strings only
		return []byte(err.Error())
	}
	return b
}
