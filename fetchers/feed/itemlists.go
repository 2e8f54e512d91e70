package feed

import (
	"regexp"
	"strings"
)

// persons are names, else addresses, of all elements of a key.
func (it *item) persons(key string) (list []string) {
	it.each(key, func(e element) { list = append(list, it.person(e)...) })
	return list
}

var (
	mailName = regexp.MustCompile(`^[^@\s]+@\S+\s+\(([^@]+)\)$`)
	nameMail = regexp.MustCompile(`^([^@]+)\s+[(<][^@]+@[^)>]+[)>]$`)
)

// person reads "ann@example.org (Ann)", "Ann (ann@example.org)" and the elements of
// an Atom person.
func (it *item) person(e element) []string {
	if strings.HasPrefix(e.key, nameAtom+":") {
		inner := item{scope: e.scope}
		_ = inner.read(e.inner) // what can be read of a name
		name := firstOf(line(inner.text("atom:name", "name")), line(inner.text("atom:email", "email")))
		if name == "" && len(inner.elements) == 0 {
			name = line(e.text())
		}
		return []string{name}
	}
	text := line(e.text())
	if m := mailName.FindStringSubmatch(text); m != nil {
		text = m[1]
	} else if m := nameMail.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return []string{text}
}

func (it *item) categories() (list []string) {
	for _, key := range []string{"category", "atom:category", "itunes:keywords", "dc:subject", "dcterms:subject", "prism:keyword"} {
		it.each(key, func(e element) {
			switch key {
			case "atom:category":
				list = append(list, firstOf(e.attr("label"), e.attr("term"), e.text()))
			case "itunes:keywords":
				list = append(list, strings.Split(e.text(), ",")...)
			default:
				list = append(list, firstOf(e.text(), e.attr("term")))
			}
		})
	}
	return list
}

func (it *item) enclosures() (list []enclosure) {
	for _, e := range it.elements {
		one := enclosure{kind: e.attr("type"), length: e.attr("length")}
		switch {
		case e.key == "enclosure":
			one.url = firstOf(e.attr("url"), e.attr("href"))
		case e.key == "enc:enclosure":
			one.url = firstOf(e.attr("resource"), e.attr("url"))
		case e.key == "atom:link" && strings.EqualFold(e.attr("rel"), "enclosure"):
			one.url = e.attr("href")
		}
		if one.url != "" {
			one.url = resolve(nil, e.scope.bases, one.url)
			list = append(list, one)
		}
	}
	return list
}

func (it *item) image(enclosures []enclosure) string {
	if image := it.attribute("itunes:image", "href"); image != "" {
		return image
	}
	for _, e := range it.elements {
		if e.key == "media:content" && strings.Contains(e.attr("type")+" "+e.attr("medium"), "image") && e.attr("url") != "" {
			return e.attr("url")
		}
	}
	for _, e := range enclosures {
		if strings.HasPrefix(e.kind, "image/") {
			return e.url
		}
	}
	return it.attribute("media:thumbnail", "url")
}

func (it *item) more() map[string]string {
	m := map[string]string{
		"comments": it.resolved("comments"), "duration": line(it.text("itunes:duration")), "rights": line(it.text("atom:rights", "atom:copyright")),
		"source_title": line(it.text("source")), "source_url": it.attribute("source", "url"),
	}
	it.each("atom:content", func(e element) { m["content_url"] = resolve(nil, e.scope.bases, e.attr("src")) })
	it.each("atom:source", func(e element) {
		inner := item{scope: e.scope}
		_ = inner.read(e.inner) // what can be read of a title
		m["source_title"] = line(inner.text("atom:title"))
	})
	return m
}

func (it *item) resolved(key string) (address string) {
	it.each(key, func(e element) { address = firstOf(address, resolve(nil, e.scope.bases, line(e.text()))) })
	return address
}
