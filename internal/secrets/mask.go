package secrets

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	m := &Mask{restore: map[string]string{}}
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

func (m *Mask) add(s Secret) {
	m.restore[s.Ref] = s.Value
	for _, w := range ways() {
		text := w.write(s.Value)
		ref := s.Ref
		if w.name != "" {
			ref = strings.TrimSuffix(ref, "}") + "|" + w.name + "}"
		}
		if !slices.ContainsFunc(m.forms, func(f form) bool { return f.text == text }) {
			m.forms = append(m.forms, form{text: text, ref: ref, plain: plain(s.Value)})
		}
	}
}

// plain reports whether a value is short and consists of letters only.
func plain(value string) bool {
	return len(value) < 8 && !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
}

// way is a notation of a value.
type way struct {
	name  string
	write func(string) string
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

func ways() []way {
	out := []way{
		{"", func(s string) string { return s }},
		{"query", url.QueryEscape},
		{"query20", func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }},
		{"segment", url.PathEscape},
		{"path", escapePath},
		{"user", escapeUser},
		{"json", escapeJSON},
		{"html", html.EscapeString},
	}
	for _, w := range out[1:6] {
		out = append(out, way{w.name + "-small", func(s string) string {
			return percent.ReplaceAllStringFunc(w.write(s), strings.ToLower)
		}})
	}
	return out
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
	for _, w := range ways() {
		if w.name == rest && name != "" {
			return base, func(s string) string { return name[:len(name)-len(rest)] + w.write(s) }
		}
	}
	return ref, nil
}

func escapePath(s string) string {
	return strings.TrimPrefix((&url.URL{Path: "/" + s}).EscapedPath(), "/")
}

func escapeUser(s string) string {
	return strings.TrimPrefix(url.UserPassword("", s).String(), ":")
}

func escapeJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
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

// spans returns the positions of values in s, sorted.
func (m *Mask) spans(s string) [][2]int {
	var out [][2]int
	for _, f := range m.forms {
		for at := 0; ; at++ {
			i := strings.Index(s[at:], f.text)
			if i < 0 {
				break
			}
			at += i
			out = append(out, [2]int{at, at + len(f.text)})
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1])) })
	return out
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
	return []byte(m.Content(string(b)))
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
