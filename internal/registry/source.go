package registry

import (
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
)

// Source makes the campaign of a job with the checks that files have; problem says
// what is wrong with it, and then there is none.
func Source(making *campaigns.Making, registry, campaign string, job Job) (s campaigns.Source, problem string, err error) {
	body, err := job.Body()
	if err != nil {
		return s, "", err
	}
	s, problems, err := making.Make(campaigns.Made{Name: campaign, From: "registry " + registry + " job " + job.ID, Body: body})
	if err != nil || len(problems) == 0 {
		return s, "", err
	}
	texts := make([]string, 0, len(problems))
	for _, p := range problems {
		texts = append(texts, strings.TrimPrefix(p.Text, campaign+"."))
	}
	if len(texts) > 3 {
		texts = append(texts[:3], fmt.Sprintf("and %d more", len(texts)-3))
	}
	return s, strings.Join(texts, "; "), nil
}
