// Package hostile holds what strangers write where an address should be; the
// tests of everything that reads addresses are fed with it.
package hostile

import "strings"

// Addresses returns addresses and things in place of addresses. Those with a name
// in them lead to host ("127.0.0.1:1234"), to a private address or nowhere.
func Addresses(host string) []string {
	name, port, _ := strings.Cut(host, ":")
	long := strings.Repeat("a", 100_000)
	return []string{
		// zones and other literals
		"http://[fe80::1%eth0]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%25]/", "http://[fe80::1%25%00]/", "http://[::1%25lo]:" + port + "/",
		"http://[fe80::1%25eth0]:0/x", "http://[fe80::1%25eth0", "http://[]/", "http://[/", "http://]/", "http://[::]/", "http://[::1]]/", "http://[v1.x]/",
		"http://[::ffff:" + name + "]:" + port + "/", "http://[1:2:3]/", "http://[g::1]/", "http://0/", "http://0x7f.1/", "http://256.256.256.256/", "http://1.2.3.4.5/",
		// ports
		"http://" + name + ":0/", "http://" + name + ":99999/", "http://" + name + ":-1/", "http://" + name + ":65536/", "http://" + name + ":/", "http://" + name + ":http/",
		"http://" + name + ":%31/", "http://" + name + ":" + strings.Repeat("1", 1000) + "/", "http://:80/", "http://:/",
		// names
		"http://b\u00fccher.invalid/", "http://xn--.invalid/", "http://xn--a-ecp.invalid/", "http://xn--" + strings.Repeat("z", 70) + ".invalid/", "http://\u2024\u2024/", "http://\u202e.invalid/",
		"http://\u0660.\u0660/", "http://a..invalid/", "http://./", "http://../", "http://.invalid/", "http://-/", "http://_/", "http://*/", "http://a b/", "http://a\tb/", "http://\x00/", "http://%00/",
		"http://%zz/", "http://%/", "http://%25/", "http://a%2fb/", "http://a%40b/", "http://a\\b/", "http://a^b/", "http://a|b/", "http://" + strings.Repeat("a.", 200) + "invalid/",
		"http://" + long[:300] + ".invalid/", "http://\xff\xfe/", "http://\u00df.invalid/", "http://a\u200db.invalid/", "http://\u00ad/",
		// user information
		"http://u:p@" + host + "/", "http://u%40v:p%3a@" + host + "/", "http://@" + host + "/", "http://a@b@" + host + "/", "http://:@:@/", "http://u:" + long[:10_000] + "@" + host + "/",
		// length
		"http://" + host + "/" + long, "http://" + host + "/?" + long, "http://" + host + "/#" + long, "http://" + long + "/", long, "http://" + host + "/" + strings.Repeat("../", 30_000),
		"http://" + host + "/?" + strings.Repeat("a=b&", 25_000), "http://" + host + "/" + strings.Repeat("%41", 30_000), strings.Repeat("http://", 10_000),
		// control bytes and other bytes
		"http://" + host + "/\x00", "http://" + host + "/\x01\x7f", "http://" + host + "/a\r\nSet-Cookie: x", "http://" + host + "/\x1b[31m", "http://" + host + "/\u0085\u009b", "http://" + host + "/\u202e\u2066",
		"http://" + host + "/\xff\xfe\x80", "http://" + host + "/\u2028", "\x00", "\r\n", " \t ", "http://" + host + "/ a b ",
		// escapes
		"http://" + host + "/%", "http://" + host + "/%z", "http://" + host + "/%zz%", "http://" + host + "/%00", "http://" + host + "/%2e%2e%2f", "http://" + host + "/%ff%fe", "http://" + host + "/?%", "http://" + host + "/?%zz=%",
		"http://" + host + "/#%zz", "http://" + host + "/?a;b;c", "http://" + host + "/?=&=&&",
		// no addresses of pages
		"mailto:a@b", "javascript:alert(1)", "data:text/html,<a href=x>", "file:///etc/passwd", "ftp://" + host + "/", "about:blank", "http:", "http:/", "http://", "http:///", "http:opaque", "http:/one", "https:" + host,
		"HTTP://" + host + "/x", "hTtP:x", "//", "///", "////x", "//" + host, "//[fe80::1%25eth0]/", "//%zz/", "//\\", "\\\\" + host + "\\x", "/\\" + host, ":", "::", "://", ":///", "?", "#", "", ".", "..", "../../..", "/", "?#", "#?", "%", "%zz", "a:b", "1:2",
		"[", "]", "[]", "{}", "${secret:env:HOME}", "http://${secret:env:HOME}/", "http://" + host + "/${secret:env:HOME}", "gopher://" + host, "unix:///x", "ws://" + host + "/", "urn:x:y", "tel:+39", "x-:y", "-x:y", "+:",
	}
}
