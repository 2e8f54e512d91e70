package campaigns

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// maxOrigins is how many origins one sign-in may be sent to. More are a mistake: a
// sign-in in `defaults` and a list of strangers.
const maxOrigins = 20

// signIn reads and checks `auth`, and binds it to the addresses of the campaign file.
// What a list file or a source lists, or a start names, cannot add to them.
func (x *entryBuild) signIn() {
	n := x.tree.Get("auth")
	if !n.IsMap() || len(n.Members) == 0 {
		return
	}
	path := x.path + ".auth"
	a, wrong := decodeAuth(n)
	if wrong != "" {
		x.report.add(n.Pos, path, wrong)
		return
	}
	x.checkReferences(n, path)
	if !x.known {
		return
	}
	addresses, odd := x.addresses()
	a = a.WithOrigins(append(addresses, a.To...))
	switch {
	case odd != "":
		x.report.add(n.Pos, path, fmt.Sprintf("the host of %s is a secret, so nobody could say where it is sent; write the host", odd))
	case len(a.To) == 0 && x.entry.Split != nil && x.entry.Split.File != "":
		x.report.add(n.Pos, path, "the addresses stand in a list file, which does not decide where a secret is sent; say where it may be, for example to: https://repo.example.org")
	case len(a.To) == 0:
		x.report.add(n.Pos, path, "the fetcher "+x.info.Name+" has no address in its params here, so there is no host to send it to; add to: https://…, or write `auth:` with nothing behind it")
	case len(a.To) > maxOrigins:
		x.report.add(n.Pos, path, fmt.Sprintf("would be sent to %d hosts (%s, …), at most %d; put those it is for into an entry of their own", len(a.To), strings.Join(a.To[:2], ", "), maxOrigins))
	}
	x.entry.Auth = a
}

// decodeAuth reads the one way to sign in, and what is wrong with it.
func decodeAuth(n *yamltree.Node) (a *visit.Auth, wrong string) {
	var set []string
	for _, m := range n.Members {
		if !m.Value.IsNull() && m.Key != "to" {
			set = append(set, m.Key)
		}
	}
	if len(set) != 1 {
		return nil, "needs one of basic, bearer, header and oauth2, and has " + orWord(strings.Join(set, ", "), "none")
	}
	for _, need := range map[string][]string{
		"basic": {"user", "password"}, "header": {"name", "value"}, "oauth2": {"access_token_url", "client_id", "client_secret"},
	}[set[0]] {
		if textAt(n, set[0], need) == "" {
			return nil, set[0] + " needs " + need
		}
	}
	if a = authOf(n, set[0]); a == nil {
		return nil, "oauth2.endpoint_params is not a map of texts, such as { audience: records }"
	}
	a.To = textsAt(n, "to")
	if a.OAuth2 != nil && visit.Origin(a.OAuth2.AccessTokenURL) == "" {
		return nil, "oauth2.access_token_url is not an address that begins with http:// or https://"
	}
	return a, ""
}

// authOf is nil if the parameters of a grant are no texts.
func authOf(n *yamltree.Node, way string) *visit.Auth {
	at := func(name string) string { return textAt(n, way, name) }
	switch way {
	case "basic":
		return &visit.Auth{Basic: &visit.Basic{User: at("user"), Password: at("password")}}
	case "bearer":
		return &visit.Auth{Bearer: textAt(n, "bearer")}
	case "header":
		return &visit.Auth{Header: &visit.Header{Name: at("name"), Value: at("value")}}
	}
	o := &visit.OAuth2{AccessTokenURL: at("access_token_url"), ClientID: at("client_id"), ClientSecret: at("client_secret"), Scopes: textsAt(n, way, "scopes")}
	if more := n.Get(way, "endpoint_params"); !more.IsNull() && json.Unmarshal(mustJSON(more.Value()), &o.EndpointParams) != nil {
		return nil
	}
	return &visit.Auth{OAuth2: o}
}

// addresses lists the addresses of the entry's items in the files; odd is one whose host
// is a secret.
func (x *entryBuild) addresses() (list []string, odd string) {
	seen := map[string]bool{}
	for _, row := range x.written() {
		params, err := x.entry.ItemParams(row, nil)
		if err != nil {
			continue // it was reported
		}
		for _, text := range paramspec.Addresses(params, x.info.Params) {
			with := func(s string) string {
				return references.Replace(text, func(int, string) string { return s })
			}
			if visit.Origin(with("a")) != visit.Origin(with("b")) {
				odd = text
			}
			if o := visit.Origin(with("a")); !seen[o] {
				seen[o], list = true, append(list, o)
			}
		}
	}
	return list, odd
}

// written are the rows of the entry that stand in the campaign file; one empty row if
// none does.
func (x *entryBuild) written() []Row {
	if s := x.entry.Split; s != nil && len(s.Items) > 0 {
		return s.Items
	}
	return []Row{{}}
}

func exportAuth(f *fields, a *visit.Auth) error {
	if a == nil {
		return nil
	}
	raw, err := encodeJSON(a)
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	return f.json("auth", raw)
}

// ParseAuth reads what stands behind `auth` in a file, for a source that no campaign
// has yet. The result is bound to no address, see visit.Auth.WithOrigins.
func ParseAuth(text string) (*visit.Auth, error) {
	n, errs := yamltree.Parse("", []byte(text))
	if len(errs) > 0 {
		return nil, errors.New(errs[0].Text)
	}
	var wrong []error
	keys.Check(n, keys.Auth(), "auth", func(_ yamltree.Pos, path, text string) { wrong = append(wrong, errors.New(path+" "+text)) })
	if len(wrong) > 0 {
		return nil, wrong[0]
	}
	a, problem := decodeAuth(n)
	if problem != "" {
		return nil, errors.New("auth " + problem)
	}
	return a, nil
}
