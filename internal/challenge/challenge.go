// Package challenge knows pages that are shown in place of the real one: challenges to
// prove that one is a person, and refusals of firewalls.
package challenge

import "strings"

// challengeSigns are words of pages that ask whether one is a person, or that a
// firewall answers with; captchaSigns stand on honest pages too, but not on
// small ones.
const (
	challengeSigns = "just a moment...</title|cf-browser-verification|cf_chl_opt|/cdn-cgi/challenge-platform|" +
		"attention required! |checking your browser before accessing|captcha-delivery.com|ddos protection by|" +
		"verify you are a human|verify you are human|making sure you're not a bot|sucuri website firewall|_incapsula_resource|px-captcha|" +
		"enable javascript and cookies to continue|<title>request rejected|the requested url was rejected"
	captchaSigns = "captcha|are you a robot|access denied</title"
)

const (
	smallPage = 16 << 10
	most      = 64 << 10 // of a page that is looked at
)

// Is reports a page that is shown in place of the real one. Use it only on
// pages that are known not to be the real one, because others may mention such words.
func Is(page []byte) bool {
	text := strings.ToLower(string(page[:min(len(page), most)]))
	return holdsOne(text, challengeSigns) || len(page) < smallPage && holdsOne(text, captchaSigns)
}

func holdsOne(text, signs string) bool {
	for sign := range strings.SplitSeq(signs, "|") {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
