package oaipmh

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
)

// naming keeps documents under their names when a repository moves: identifiers
// of the form oai:HOST:… change with the host (Implementation Guidelines for the
// OAI Identifier Format, section 2.1).
type naming struct {
	// Host stands in the names of documents, Now in the repository's identifiers
	// where that is another one since it moved.
	Host string `json:"host,omitempty"`
	Now  string `json:"now,omitempty"`
}

// learn looks at the identifiers of a response that came from one of these hosts.
// It reports a repository that has taken another name.
func (n *naming) learn(records []wire.Record, hosts []string) (renamed bool) {
	for _, host := range hosts {
		switch {
		case isIn(host, n.Host) || isIn(host, n.Now) || !allOf(records, host):
		case n.Host == "":
			n.Host = host
			return false
		default:
			n.Now = host
			return true
		}
	}
	return false
}

// isIn reports the host of a name, which may have a port: oai:HOST:80:1 is not the
// record 80:1 of HOST.
func isIn(host, name string) bool {
	return name == host || name != "" && (strings.HasPrefix(name, host+":") || strings.HasPrefix(host, name+":"))
}

// allOf reports identifiers that all bear the name of a host.
func allOf(records []wire.Record, host string) bool {
	named := 0
	for i := range records {
		switch {
		case records[i].ID == "":
		case !strings.HasPrefix(records[i].ID, "oai:"+host+":"):
			return false
		default:
			named++
		}
	}
	return named > 0
}

// document is the name of a record's document.
func (n naming) document(id string) string { return swap(id, n.Now, n.Host) }

// record is the identifier of a document's record.
func (n naming) record(id string) string { return swap(id, n.Host, n.Now) }

func swap(id, from, to string) string {
	if rest, ok := strings.CutPrefix(id, "oai:"+from+":"); ok && from != "" && to != "" {
		return "oai:" + to + ":" + rest
	}
	return id
}

// hostsOf are the ways in which an identifier may name an address.
func hostsOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	return []string{strings.ToLower(u.Host), strings.ToLower(u.Hostname())}
}

// moves notes where a repository has moved for good, and what it calls its
// records there.
func (r *reading) moves(ans response) {
	hosts := hostsOf(r.params.URL)
	if ans.Moved != "" {
		there := r.params
		there.URL = baseURL(ans.Moved)
		r.cp.Moved = there.made()
		hosts = append(hosts, hostsOf(ans.Moved)...)
	}
	slices.SortStableFunc(hosts, func(a, b string) int { return len(b) - len(a) }) // with their ports first
	if r.cp.Naming.learn(ans.Records, hosts) {
		r.warn("its identifiers begin with oai:%s: since it moved; their documents keep the names that begin with oai:%s:", r.cp.Naming.Now, r.cp.Naming.Host)
	}
}

// Keep is harvest.Keeper: how documents are named, and whose they are.
func (f *Fetcher) Keep(raw json.RawMessage) json.RawMessage {
	c := readCheckpoint(raw)
	if c.Naming == (naming{}) {
		return nil
	}
	return checkpoint{Made: c.Made, Moved: c.Moved, Naming: c.Naming}.raw()
}
