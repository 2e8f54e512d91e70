package x

import (
	"encoding/json"
	"strings"
	"time"
)

// reply is what every call answers, as far as it is read.
type reply struct {
	Data     json.RawMessage `json:"data"`
	Includes struct {
		Users []user `json:"users"`
	} `json:"includes"`
	Errors []problem `json:"errors"`
	Meta   *struct {
		NewestID  string `json:"newest_id"`
		OldestID  string `json:"oldest_id"`
		Count     int    `json:"result_count"`
		NextToken string `json:"next_token"`
	} `json:"meta"`
}

// list are the things that came, one by one: a list, or the only one.
func (w *reply) list() (list []json.RawMessage) {
	if json.Unmarshal(w.Data, &list) == nil {
		return list
	}
	if len(w.Data) == 0 {
		return nil
	}
	return []json.RawMessage{w.Data}
}

type user struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
}

// post is one version of a post; ids are texts.
type post struct {
	ID           string    `json:"id"`
	Text         string    `json:"text"`
	Created      time.Time `json:"created_at"`
	Author       string    `json:"author_id"`
	Lang         string    `json:"lang"`
	Conversation string    `json:"conversation_id"`
	ReplyTo      string    `json:"in_reply_to_user_id"`
	Versions     []string  `json:"edit_history_tweet_ids"`
	Referenced   []struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"referenced_tweets"`
	Entities struct {
		Hashtags []struct {
			Tag string `json:"tag"`
		} `json:"hashtags"`
		URLs []struct {
			Expanded string `json:"expanded_url"`
		} `json:"urls"`
	} `json:"entities"`
	// Note is the text of a long post, of which Text is the beginning.
	Note struct {
		Text string `json:"text"`
	} `json:"note_tweet"`
}

// problem is an error of the API: one for a part of an answer, or all of a refusal.
// Code is of its older form.
type problem struct {
	Title     string          `json:"title"`
	Detail    string          `json:"detail"`
	Type      string          `json:"type"`
	Period    string          `json:"period"`
	Value     json.RawMessage `json:"value"`
	Resource  string          `json:"resource_id"`
	Parameter string          `json:"parameter"`
	Message   string          `json:"message"`
	Code      int             `json:"code"`
	Errors    []problem       `json:"errors"`
}

// kind is the last part of the type: usage-capped.
func (p problem) kind() string { return p.Type[strings.LastIndex(p.Type, "/")+1:] }

// text says what the problem is about, in the API's words.
func (p problem) text() string {
	var parts []string
	for _, text := range []string{p.Title, p.Detail, p.Message} {
		if text != "" && (len(parts) == 0 || parts[len(parts)-1] != text) {
			parts = append(parts, text)
		}
	}
	for _, inner := range p.Errors {
		if text := inner.text(); text != "" {
			parts = append(parts, text)
		}
	}
	text := strings.ToValidUTF8(strings.Join(parts, ": "), "?")
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// maxText is how much is kept of a problem's words.
const maxText = 500
