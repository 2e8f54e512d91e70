package answer

import "net/http"

// movedTo returns where the permanent redirects before the first other one led.
func movedTo(resp *http.Response) string {
	var hops []*http.Request
	for r := resp.Request; r != nil; r = before(r) {
		hops = append(hops, r)
	}
	moved := ""
	for i := len(hops) - 2; i >= 0; i-- { // hops[len-1] is what we asked
		code := hops[i].Response.StatusCode
		if code != http.StatusMovedPermanently && code != http.StatusPermanentRedirect {
			break
		}
		moved = hops[i].URL.String()
	}
	if len(moved) > MaxAddress {
		return ""
	}
	return moved
}

// before returns the request that was redirected to r.
func before(r *http.Request) *http.Request {
	if r.Response == nil {
		return nil
	}
	return r.Response.Request
}
