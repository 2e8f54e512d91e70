package takeover

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Metha reads the base folder of metha: a folder for each harvest, named by
// set#prefix#address in base64 (URL alphabet, no padding), with files named by
// the last day they cover and a number. The last of these days is asked for
// once more: whole days are all that the names know. Of the newer layout (v2,
// a database for each address) only the addresses are read. It changes nothing;
// the error is that of reading the folder itself.
func Metha(base fs.FS) (Harvest, error) {
	m := &metha{base: base}
	entries, err := fs.ReadDir(base, ".")
	if err != nil {
		return m.Harvest, err
	}
	for _, e := range entries {
		switch {
		case !e.IsDir():
		case e.Name() == "v2":
			err = errors.Join(err, m.shards())
		default:
			m.folder(e.Name())
		}
	}
	slices.SortFunc(m.Sources, func(a, b Source) int { return strings.Compare(a.Key, b.Key) })
	return m.Harvest, err
}

type metha struct {
	Harvest
	base fs.FS
}

func (m *metha) folder(name string) {
	s, err := methaName(name)
	if err != nil {
		m.note(name, 0, err.Error()+"; left out")
		return
	}
	if !m.clean(&s, name) {
		return
	}
	if s.From, err = m.last(name); err != nil {
		m.note(s.Key, 0, "cannot be read: "+err.Error()+"; begins at the beginning")
	} else if s.From == "" {
		m.note(s.Key, 0, "no file with a day in its name; begins at the beginning")
	}
	m.keep(s)
}

// methaName reads the name of a folder.
func methaName(name string) (Source, error) {
	raw, err := base64.RawURLEncoding.DecodeString(name)
	if err != nil || !utf8.Valid(raw) {
		return Source{}, errors.New("not a folder of metha")
	}
	parts := strings.SplitN(string(raw), "#", 3)
	if len(parts) < 3 || strings.ContainsFunc(string(raw), unicode.IsControl) {
		return Source{}, errors.New("not a folder of metha")
	}
	return Source{Set: parts[0], Prefix: parts[1], URL: parts[2]}, nil
}

// clean checks the address and gives the source a key made of what tells it from
// others; false: it is none.
func (m *metha) clean(s *Source, place string) bool {
	address, secret := cleanAddress(s.URL)
	if address == "" {
		m.note(place, 0, "no address that begins with http; left out")
		return false
	}
	s.URL = address
	if s.Prefix == "" {
		s.Prefix = defaultPrefix
	}
	words := []string{slug(s.URL)}
	if s.Set != "" {
		words = append(words, s.Set)
	}
	if s.Prefix != defaultPrefix {
		words = append(words, s.Prefix)
	}
	s.Key = key(strings.Join(words, ":"))
	if secret {
		m.note(s.Key, 0, "the address holds a password, which was left out")
	}
	return true
}

// slug is an address as a name: host and path.
func slug(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return mark(address)
	}
	name := strings.ToLower(u.Hostname()) + "/" + strings.Trim(u.Path, "/")
	if u.RawQuery != "" || u.Port() != "" {
		name += "-" + mark(address)
	}
	return strings.Trim(name, "/")
}

// dayOf finds the day in the name of a file that is complete, else "".
func dayOf(name string) string {
	for _, ending := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, ending)
	}
	name, ok := strings.CutSuffix(name, ".xml")
	if !ok || len(name) < len("2026-05-01-00000000") || name[10] != '-' || strings.Trim(name[11:], "0123456789") != "" {
		return ""
	}
	return moment(name[:10])
}

func (m *metha) last(folder string) (string, error) {
	entries, err := fs.ReadDir(m.base, folder)
	last := ""
	for _, e := range entries {
		if !e.IsDir() {
			last = max(last, dayOf(e.Name()))
		}
	}
	return last, err
}

// shard is what the newer layout says of an address.
type shard struct {
	URL    string `json:"base_url"`
	Groups []struct {
		Format string `json:"format"`
		Set    string `json:"set"`
	} `json:"groups"`
}

func (m *metha) shards() error {
	names, err := fs.Glob(m.base, "v2/*/*/*/meta.json")
	slices.Sort(names)
	for _, name := range names {
		var s shard
		text, err := smallFile(m.base, name)
		if err == nil {
			err = json.Unmarshal([]byte(text), &s)
		}
		if err != nil {
			m.note(path.Dir(name), 0, "cannot be read: "+err.Error()+"; left out")
			continue
		}
		for _, g := range s.Groups {
			one := Source{URL: s.URL, Prefix: g.Format, Set: g.Set}
			if m.clean(&one, path.Dir(name)) {
				m.note(one.Key, 0, "the newer layout keeps its days in a database, which is not read; metha-ls tells them")
				m.keep(one)
			}
		}
	}
	return err
}
