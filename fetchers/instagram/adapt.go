package instagram

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/titles"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/times"
)

// document is a post without its files; id is "" where it cannot be read.
func document(raw json.RawMessage, account string) (id string, d harvest.Document, p post, err error) {
	var named struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &named) != nil || !numbers.MatchString(named.ID) {
		return "", d, p, errors.New("it has no id")
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return named.ID, d, p, fmt.Errorf("it cannot be read: %w", err)
	}
	at, err := moment(p.Time)
	if err != nil {
		return p.ID, d, p, err
	}
	fields := map[string]any{"type": strings.ToLower(p.Type), "files": len(p.files())}
	if account != "" {
		fields["account"] = account
	}
	return p.ID, harvest.Document{
		ID: p.ID, URL: page(p.Permalink), Kind: "post", Title: titles.Of(p.Caption), Published: at, MediaType: "text/plain", Body: []byte(p.Caption), Fields: fields,
	}, p, nil
}

// page is the post's address, as far as it is one of the site.
func page(link string) string {
	if strings.HasPrefix(link, "https://www.instagram.com/") {
		return link
	}
	return ""
}

func moment(text string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			if at, ok := times.Storable(t); ok {
				return at, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("its time %.40q is not a date", text)
}

// files are the media of a post: its own, or those of an album.
func (p post) files() (list []post) {
	for _, c := range p.Children.Data[:min(len(p.Children.Data), maxChildren)] {
		if c.URL != "" && numbers.MatchString(c.ID) {
			list = append(list, c)
		}
	}
	if len(p.Children.Data) == 0 && p.URL != "" {
		list = append(list, post{ID: "media", Type: p.Type, URL: p.URL})
	}
	return list
}

// maxChildren is more than albums have; with the list it makes a page's requests.
const maxChildren = 19

func (r *reading) wanted(m post) bool {
	switch r.params.Media {
	case "none":
		return false
	case "all":
		return true
	default:
		return m.Type != "VIDEO"
	}
}

// document fetches one file. Its address expires and means nothing later.
func (r *reading) document(of harvest.Document, m post) (harvest.Document, error) {
	body, mediaType, err := r.file(m.URL)
	kind := "image"
	if m.Type == "VIDEO" {
		kind = "video"
	}
	return harvest.Document{ID: of.ID + "/" + m.ID, URL: of.URL, Kind: kind, Parent: of.ID, Published: of.Published, MediaType: strings.ToValidUTF8(mediaType, "?"), Body: body}, err
}
