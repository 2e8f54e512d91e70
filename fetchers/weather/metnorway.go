package weather

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxHold bounds how long a forecast is believed to hold.
const maxHold = 24 * time.Hour

const adviceAgent = "MET Norway wants an identifying User-Agent: give the campaign an owner, or the worker --contact"

// metNorway asks for the next place, unless what it said before still holds.
func (r *reading) metNorway() ([]report, error) {
	at := r.places[r.cp.At]
	had := r.had(at)
	if had.Until > r.now().Unix() {
		return []report{{same: true, known: had}}, nil
	}
	a, err := r.get(r.ctx, r.params.base()+"/weatherapi/locationforecast/2.0/"+cmp.Or(r.params.Product, "compact"), metQuery(at), answer.Validators{LastModified: had.LastModified})
	defer a.Release()
	if e := a.Refusal(); e != nil {
		if e.Kind == harvest.KindBlocked {
			e.Advice = adviceAgent
		}
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	if a.NotModified {
		return []report{{same: true, known: r.holds(&a, had)}}, nil
	}
	of, err := readMET(at, &a)
	if err != nil {
		return nil, err
	}
	of.known = r.holds(&a, known{LastModified: a.LastModified})
	return []report{of}, nil
}

func metQuery(at Place) url.Values {
	q := url.Values{"lat": {at.lat()}, "lon": {at.lon()}}
	set(q, "altitude", at.alt())
	return q
}

// holds is what is known with the answer's Expires, measured by the answer's own
// clock.
func (r *reading) holds(a *answer.Answer, k known) known {
	expires, err := http.ParseTime(a.Header.Get("Expires"))
	sent, err2 := http.ParseTime(a.Header.Get("Date"))
	if k.Until = 0; err == nil && err2 == nil && expires.After(sent) {
		k.Until = r.now().Add(min(expires.Sub(sent), maxHold)).Unix()
	}
	return k
}

// readMET reads the forecast of one place. Status 203 brings a version that will
// end.
func readMET(at Place, a *answer.Answer) (report, error) {
	var w metForecast
	if err := a.JSON(&w); err != nil {
		return report{}, err
	}
	if w.Type != "Feature" || len(w.Properties.Times) == 0 {
		return report{}, broken(a, "it is not a forecast: it has no times")
	}
	of := w.adapt(at)
	if a.Status == http.StatusNonAuthoritativeInfo {
		of.warnings = append(of.warnings, "the service answers with status 203: this version of it will end")
	}
	return of, nil
}
