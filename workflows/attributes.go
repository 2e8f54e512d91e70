package workflows

// Attribute is a search attribute that we use.
type Attribute struct {
	Name string
	Type string // Keyword, KeywordList, Int
}

// Attributes returns our search attributes, in the order of the docs.
func Attributes() []Attribute {
	return []Attribute{
		{Name: "Campaign", Type: "Keyword"},
		{Name: "Outcome", Type: "Keyword"},
		{Name: "Trigger", Type: "Keyword"},
		{Name: "Tags", Type: "KeywordList"},
		{Name: "Documents", Type: "Int"},
		{Name: "FailedItems", Type: "Int"},
	}
}
