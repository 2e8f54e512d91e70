package activities

import (
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// minSecret keeps short values, which occur in any text, from being masked.
const minSecret = 4

func maskText(s string, values []string) string {
	for _, v := range values {
		if len(v) >= minSecret {
			s = strings.ReplaceAll(strings.ReplaceAll(s, v, "***"), url.QueryEscape(v), "***")
		}
	}
	return s
}

func maskExchange(x harvest.Exchange, values []string) harvest.Exchange {
	x.URL, x.Error, x.Note = maskText(x.URL, values), maskText(x.Error, values), maskText(x.Note, values)
	return x
}

func maskAll(texts []string, values []string) []string {
	masked := make([]string, len(texts))
	for i, t := range texts {
		masked[i] = maskText(t, values)
	}
	return masked
}
