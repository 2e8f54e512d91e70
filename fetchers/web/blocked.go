package web

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// Signs of pages that stand before the real one. Those of challengeTitles stand
// on no other page; those of challengeMarks are on honest pages of protected
// sites too, and count only where nothing was found.
const (
	challengeTitles = "just a moment...|attention required! | cloudflare|ddos-guard|access denied|please wait... | cloudflare|" +
		"verifying you are human|are you a robot?|security check|human verification|pardon our interruption|robot check|403 forbidden|" +
		"request rejected|one moment, please..."
	challengeMarks = "cf-browser-verification|cf_chl_opt|/cdn-cgi/challenge-platform|captcha-delivery.com|ddos protection by|" +
		"verify you are a human|verify you are human|verify that you are not a robot|sucuri website firewall|_incapsula_resource|px-captcha|" +
		"enable javascript and cookies to continue|checking your browser before accessing|g-recaptcha|h-captcha|cf-turnstile|awswafcookiedomainlist"
)

// challenge returns the sign by which a page that brought nothing is one, or "".
func challenge(text string) string {
	text = strings.ToLower(text[:min(len(text), answer.MaxEvidence)])
	for mark := range strings.SplitSeq(challengeMarks, "|") {
		if strings.Contains(text, mark) {
			return mark
		}
	}
	return ""
}

func challengeTitle(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	if title == "" {
		return false
	}
	for sign := range strings.SplitSeq(challengeTitles, "|") {
		if title == strings.TrimSpace(sign) {
			return true
		}
	}
	return strings.HasPrefix(title, "attention required!") || strings.HasPrefix(title, "access to this page has been denied")
}

// wall says what stands before a page that has nothing of what was looked for:
// a challenge, a form to log in, a question for consent; "" when it is none.
func (d *dom) wall() string {
	if d.walled() {
		return "a challenge page"
	}
	if sign := challenge(d.text); sign != "" {
		return "a challenge page (" + sign + ")"
	}
	if d.asksPassword() {
		return "a form to log in"
	}
	if consent(d.Final) {
		return "a question for consent"
	}
	return ""
}

// walled reports pages whose title says it all.
func (d *dom) walled() bool { return challengeTitle(d.title()) }

func (d *dom) asksPassword() bool {
	found := false
	d.each(func(n *html.Node) {
		found = found || n.DataAtom == atom.Input && strings.EqualFold(attr(n, "type"), "password")
	})
	return found
}

// ledToLogin reports a redirect to where one logs in, whatever the user's
// selectors find there.
func (d *dom) ledToLogin() bool {
	return d.Final != nil && d.asked != nil && forLogin(d.Final.Path) && !forLogin(d.asked.Path) && d.asksPassword()
}

// forLogin reports paths such as /login.php, /users/sign_in or /cas/.
func forLogin(path string) bool {
	path = strings.ToLower(path)
	for _, word := range []string{"login", "log-in", "logon", "signin", "sign-in", "sign_in", "accedi", "anmeld", "connexion", "/auth/", "/sso/", "/cas/", "/idp/"} {
		if strings.Contains(path+"/", word) {
			return true
		}
	}
	return false
}

// consent reports addresses such as consent.example.org or /cookie-consent.
func consent(u *url.URL) bool {
	if u == nil {
		return false
	}
	return strings.HasPrefix(u.Host, "consent.") || strings.Contains(strings.ToLower(u.Path), "consent") || strings.HasPrefix(u.Host, "cmp.")
}

func (d *dom) blocked(what string) error {
	return &harvest.Error{
		Kind: harvest.KindBlocked, Op: "read page", On: d.address, Err: errorText(what + " came in place of the page"),
		Advice: adviceBlocked, Evidence: d.Evidence(),
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }

// notFoundTitles are titles of pages that are not there though the status says
// so of none; what a site adds behind a bar or dash is left aside.
const notFoundTitles = "404|error 404|404 error|404 not found|not found|page not found|pagina non trovata|errore 404|page introuvable|" +
	"seite nicht gefunden|página no encontrada|página não encontrada|404 - page not found|404 page not found|contenuto non trovato|" +
	"page non trouvée|404 - not found|http 404|http status 404 – not found"

// softMissing reports a page that is missing in spite of its status: by the
// user's selector, by its title, or because it leads elsewhere.
func (d *dom) softMissing(p *plan) bool {
	return p.missing.first(d.root) != nil || d.led(p) || d.notFound()
}

// led reports a page that was redirected to the front page, or back to where the
// walk began.
func (d *dom) led(p *plan) bool {
	if d.Final == nil || d.asked == nil || d.Final.Path == d.asked.Path {
		return false
	}
	return d.Final.Path == "/" && d.Final.RawQuery == "" && d.asked.Path != "" || !p.perPage && p.begins[d.Final.String()]
}

func (d *dom) notFound() bool { return notFoundTitle(d.title()) || notFoundTitle(d.heading()) }

func notFoundTitle(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	for {
		if title == "" {
			return false
		}
		for sign := range strings.SplitSeq(notFoundTitles, "|") {
			if title == sign {
				return true
			}
		}
		cut := max(strings.LastIndex(title, " | "), strings.LastIndex(title, " - "), strings.LastIndex(title, " – "), strings.LastIndex(title, " · "))
		if cut < 0 {
			return false
		}
		title = strings.TrimSpace(title[:cut])
	}
}
