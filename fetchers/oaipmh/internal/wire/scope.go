package wire

import "bytes"

// declaration is a namespace declaration around the records.
type declaration struct {
	prefix []byte // nil: the default one
	whole  []byte // xmlns:dc="…"
	use    []byte // dc:
}

// declare takes the declarations of a tag into scope; the inner one wins.
func (r *Response) declare(t tag) {
	attributes(t.attrs, func(name, _, whole []byte) {
		if prefix, ok := declares(name); ok && r.declared+len(whole) <= maxDeclared {
			r.scope = with(r.scope, prefix, whole)
			r.declared += len(whole)
		}
	})
}

// maxDeclared bytes of declarations are copied into a record at most.
const maxDeclared = 16 << 10

func declares(name []byte) (prefix []byte, ok bool) {
	if string(name) == "xmlns" {
		return nil, true
	}
	return bytes.CutPrefix(name, []byte("xmlns:"))
}

func with(scope []declaration, prefix, whole []byte) []declaration {
	d := declaration{prefix: prefix, whole: whole, use: append(bytes.Clone(prefix), ':')}
	for i := range scope {
		if bytes.Equal(scope[i].prefix, prefix) {
			scope[i] = d
			return scope
		}
	}
	return append(scope, d)
}

// usual are prefixes that repositories use without declaring them anywhere.
func usual() []declaration {
	return []declaration{
		{[]byte("oai_dc"), []byte(`xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"`), []byte("oai_dc:")},
		{[]byte("dc"), []byte(`xmlns:dc="http://purl.org/dc/elements/1.1/"`), []byte("<dc:")},
		{[]byte("dcterms"), []byte(`xmlns:dcterms="http://purl.org/dc/terms/"`), []byte("dcterms:")},
		{[]byte("xsi"), []byte(`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`), []byte("xsi:")},
	}
}

// Standing writes records so that each parses alone. It serves one response.
type Standing struct {
	scope []declaration
	usual []declaration
}

// Standing returns the writer of a response's records.
func (r *Response) Standing() Standing { return Standing{scope: r.scope, usual: usual()} }

// Append appends the record with the declarations it uses and does not make
// itself.
func (s Standing) Append(out []byte, r *Record) []byte {
	if r.nameEnd == 0 || r.nameEnd > len(r.Raw) {
		return append(out, r.Raw...)
	}
	out = append(out, r.Raw[:r.nameEnd]...)
	end := r.nameEnd + bytes.IndexByte(r.Raw[r.nameEnd:], '>')
	own := r.Raw[r.nameEnd:max(r.nameEnd, end)]
	for _, d := range s.scope {
		if (d.prefix == nil || bytes.Contains(r.Raw, d.use)) && !declaredIn(own, d.prefix) {
			out = append(append(out, ' '), d.whole...)
		}
	}
	for _, d := range s.usual {
		if !s.inScope(d.prefix) && !bytes.Contains(r.Raw, d.whole[:len(d.prefix)+7]) && bytes.Contains(r.Raw, d.use) {
			out = append(append(out, ' '), d.whole...)
		}
	}
	return append(out, r.Raw[r.nameEnd:]...)
}

func (s Standing) inScope(prefix []byte) bool {
	for _, d := range s.scope {
		if bytes.Equal(d.prefix, prefix) {
			return true
		}
	}
	return false
}

func declaredIn(attrs, prefix []byte) (found bool) {
	if len(attrs) == 0 {
		return false
	}
	attributes(attrs, func(name, _, _ []byte) {
		p, ok := declares(name)
		found = found || ok && bytes.Equal(p, prefix)
	})
	return found
}
