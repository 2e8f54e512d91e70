package secrets

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Secret is a reference and its value.
type Secret struct{ Ref, Value string }

// String returns the reference, so that printing a Secret by mistake shows no value.
func (s Secret) String() string { return s.Ref }

// Found are the references in a text or in the params of an item.
type Found []Secret

// Mask hides the values of secrets in text, in all notations of addresses, JSON and
// HTML. A nil Mask hides nothing. It is safe for concurrent use.
type Mask struct {
	found Found
	forms []form // the longest first
	// words and content restore references: in addresses and ids, and in the text of
	// documents.
	words, content *strings.Replacer
	restore        map[string]string
}

// form is a value in one notation.
type form struct {
	text string
	ref  string // the reference, and how the value is written
	// plain: what may be a word of any text is not taken out of documents.
	plain bool
}

// minSecret is the shortest value that is masked. Shorter ones occur in any text.
const minSecret = 4

// Mask returns the mask of the found secrets; nil if there is nothing to hide.
func (f Found) Mask() *Mask {
	m := &Mask{found: f, restore: map[string]string{}}
	for _, s := range f {
		if len(s.Value) >= minSecret {
			m.add(s)
		}
	}
	if len(m.forms) == 0 {
		return nil
	}
	slices.SortStableFunc(m.forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	var words, content []string
	for _, f := range m.forms {
		if words = append(words, f.text, f.ref); !f.plain {
			content = append(content, f.text, f.ref)
		}
	}
	m.words, m.content = strings.NewReplacer(words...), strings.NewReplacer(content...)
	return m
}

// maxGranted is how many tokens a mask knows; the oldest is forgotten first.
const maxGranted = 8

// Granted returns a mask that hides also a token that a server granted. A checkpoint that
// holds the token of an earlier fetch is not restored: it has expired anyway.
func (m *Mask) Granted(token string) *Mask {
	var found, tokens Found
	if m != nil {
		for _, s := range m.found {
			if s.Ref == grantedRef {
				tokens = append(tokens, s)
			} else {
				found = append(found, s)
			}
		}
	}
	tokens = append(tokens, Secret{Ref: grantedRef, Value: token})
	return append(found, tokens[max(0, len(tokens)-maxGranted):]...).Mask()
}

// grantedRef is in the place of tokens; it works inside Mask only.
const grantedRef = "${secret:auth:token}"

func (m *Mask) add(s Secret) {
	m.restore[s.Ref] = s.Value
	var inner []struct{ notation, text string }
	for i, w := range notations {
		text := w.write(s.Value)
		if m.form(s, w.name, text) && i > 0 {
			inner = append(inner, struct{ notation, text string }{w.name, text})
		}
	}
	for _, o := range outer {
		for _, in := range inner {
			m.form(s, in.notation+"."+o.name, o.write(in.text))
		}
	}
}

// form adds a value in one notation; false if that text is there already, and so is
// what comes of writing it once more.
func (m *Mask) form(s Secret, notation, text string) bool {
	if slices.ContainsFunc(m.forms, func(f form) bool { return f.text == text }) {
		return false
	}
	ref := s.Ref
	if notation != "" {
		ref = strings.TrimSuffix(ref, "}") + "|" + notation + "}"
	}
	m.forms = append(m.forms, form{text: text, ref: ref, plain: plain(s.Value)})
	return true
}

// plain reports whether a value is short and consists of letters only.
func plain(value string) bool {
	return len(value) < 8 && !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
}

// wayOf splits a reference written by Keep into the reference and the notation of its
// value; nil if it has none.
func wayOf(ref string) (base string, write func(string) string) {
	i := strings.LastIndexByte(ref, '|')
	if i < 0 {
		return ref, nil
	}
	name, base := strings.TrimSuffix(ref[i+1:], "}"), ref[:i]+"}"
	rest := strings.TrimLeft(name, "$")
	if write := notation(rest); write != nil && name != "" {
		return base, func(s string) string { return name[:len(name)-len(rest)] + write(s) }
	}
	return ref, nil
}

// Text replaces all parts of s that belong to a value, also where values overlap;
// adjacent ones become a single ***.
func (m *Mask) Text(s string) string {
	if m == nil {
		return s
	}
	spans := m.spans(s)
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		end := spans[i][1]
		b.WriteString(s[at:spans[i][0]] + "***")
		for i++; i < len(spans) && spans[i][0] < end; i++ {
			end = max(end, spans[i][1])
		}
		at = end
	}
	return b.String() + s[at:]
}

// minCut is how much of the beginning of a value counts as the value: error texts are cut.
const minCut = 8

// spans returns the positions of values in s, sorted, also of those that were cut.
func (m *Mask) spans(s string) [][2]int {
	var out [][2]int
	for _, f := range m.forms {
		look := f.text
		if len(look) >= minCut+4 {
			look = look[:minCut]
		}
		for at := 0; ; at++ {
			i := strings.Index(s[at:], look)
			if i < 0 {
				break
			}
			at += i
			out = append(out, [2]int{at, at + common(s[at:], f.text)})
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	return out
}

// common is the length of the common beginning of two texts, in whole characters of a.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// Texts is Text for each.
func (m *Mask) Texts(all []string) []string {
	if m == nil {
		return all
	}
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = m.Text(s)
	}
	return out
}

// Error returns err with the values hidden in its text. Its kind is unchanged.
func (m *Mask) Error(err error) error {
	e := harvest.AsError(err)
	if e == nil || m == nil {
		return err
	}
	clean := *e
	clean.Op, clean.On, clean.Advice, clean.Err = m.Text(e.Error()), "", "", nil
	return &clean
}

// Exchange hides values in a line of the ledger.
func (m *Mask) Exchange(x visit.Exchange) visit.Exchange {
	x.URL, x.Error, x.Note = m.Text(x.URL), m.Text(x.Error), m.Text(x.Note)
	return x
}

// Page hides values in a page, so that it can be stored and shown. In ids and addresses
// references replace them; Restore restores the checkpoint.
func (m *Mask) Page(p harvest.Page) harvest.Page {
	if m == nil {
		return p
	}
	p.Checkpoint, p.Warnings = m.Keep(p.Checkpoint), m.Texts(p.Warnings)
	p.Documents, p.Rejects, p.Resolved = slices.Clone(p.Documents), slices.Clone(p.Rejects), slices.Clone(p.Resolved)
	for i := range p.Documents {
		m.document(&p.Documents[i])
	}
	for i := range p.Rejects {
		r := &p.Rejects[i]
		r.ID, r.Reason, r.Bytes, r.Where = m.PutBack(r.ID), m.Text(r.Reason), m.Bytes(r.Bytes), m.KeepText(r.Where)
	}
	for i, id := range p.Resolved {
		p.Resolved[i] = m.PutBack(id)
	}
	return p
}

func (m *Mask) document(d *harvest.Document) {
	d.ID, d.URL, d.Parent = m.PutBack(d.ID), m.PutBack(d.URL), m.PutBack(d.Parent)
	d.Title, d.Body, d.Fields = m.Content(d.Title), m.Bytes(d.Body), references.MapFields(d.Fields, m.Content)
}

// Bytes is Content for bytes from a source.
func (m *Mask) Bytes(b []byte) []byte {
	if m == nil || len(b) == 0 {
		return b
	}
	return []byte(m.withoutCut(m.Content(string(b))))
}

// withoutCut takes the beginning of a value from the end of what was cut there.
func (m *Mask) withoutCut(s string) string {
	for _, f := range m.forms {
		for n := min(len(f.text)-1, len(s)); n >= minCut && !f.plain; n-- {
			if strings.HasSuffix(s, f.text[:n]) {
				return s[:len(s)-n] + "***"
			}
		}
	}
	return s
}

// Unread reverses Page for records in quarantine.
func (m *Mask) Unread(list []harvest.Unread) []harvest.Unread {
	list = slices.Clone(list)
	for i := range list {
		list[i].ID, list[i].Where = m.RestoreText(list[i].ID), m.RestoreText(list[i].Where)
	}
	return list
}

// PutBack returns an address or id with references in place of values. Equal texts stay
// equal and different ones different, also after the secret has changed.
func (m *Mask) PutBack(s string) string {
	if m == nil {
		return s
	}
	return m.words.Replace(s)
}

// Content is PutBack for the text of a document: short words stay.
func (m *Mask) Content(s string) string {
	if m == nil {
		return s
	}
	return m.content.Replace(s)
}

// Keep returns a JSON value with references in place of values, for Restore. Text that
// looks like a reference is escaped.
func (m *Mask) Keep(raw json.RawMessage) json.RawMessage { return m.each(raw, m.KeepText) }

// KeepText is Keep for one text.
func (m *Mask) KeepText(s string) string {
	if m == nil {
		return s
	}
	var b strings.Builder
	at, next := 0, slices.Repeat([]int{-1}, len(m.forms))
	for {
		f, begin := m.first(s, at, next)
		if begin < 0 {
			return b.String() + references.Escape(s[at:])
		}
		before := strings.TrimRight(s[at:begin], "$")
		b.WriteString(references.Escape(before))
		b.WriteString(withDollars(f.ref, begin-at-len(before)))
		at = begin + len(f.text)
	}
}

// withDollars moves the dollars before a reference into it, because outside they would
// escape it.
func withDollars(ref string, n int) string {
	if n == 0 {
		return ref
	}
	base, name := strings.TrimSuffix(ref, "}"), ""
	if i := strings.LastIndexByte(base, '|'); i >= 0 {
		if _, write := wayOf(ref); write != nil {
			base, name = base[:i], base[i+1:]
		}
	}
	return base + "|" + strings.Repeat("$", n) + name + "}"
}

// first finds the first value in s from a position on, and the longest of several. next
// caches the next position of each form, so that s is searched once for each.
func (m *Mask) first(s string, from int, next []int) (form, int) {
	best, found := -1, form{}
	for i, f := range m.forms {
		if next[i] < from {
			next[i] = len(s)
			if at := strings.Index(s[from:], f.text); at >= 0 {
				next[i] = from + at
			}
		}
		if next[i] < len(s) && (best < 0 || next[i] < best) {
			best, found = next[i], f
		}
	}
	return found, best
}

// Restore reverses Keep with the current values. Unknown references stay text.
func (m *Mask) Restore(raw json.RawMessage) json.RawMessage { return m.each(raw, m.RestoreText) }

// RestoreText is Restore for one text.
func (m *Mask) RestoreText(s string) string {
	if m == nil {
		return s
	}
	return references.Replace(s, func(_ int, ref string) string {
		base, write := wayOf(ref)
		value, ours := m.restore[base]
		switch {
		case !ours:
			return ref
		case write != nil:
			return write(value)
		default:
			return value
		}
	})
}

func (m *Mask) each(raw json.RawMessage, f func(string) string) json.RawMessage {
	if m == nil || len(raw) == 0 {
		return raw
	}
	out, err := references.MapAllStrings(raw, f)
	if err != nil {
		return raw // not JSON: the page's own check says so
	}
	return out
}
