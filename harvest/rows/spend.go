package rows

// Spend is what was spent for items of an entry, on a day of the campaign's time zone,
// and what may be spent.
type Spend struct {
	Campaign, Entry string
	Run             int64
	Day             int // 20261122
	// Requests are to be made: they count only if no limit is reached. Bytes and
	// Documents have been spent, and count in any case.
	Requests, Bytes, Documents int64
	Limits                     []SpendLimit
}

// SpendLimit is how much may be spent since a day or in a run, of an entry or of the
// whole campaign.
type SpendLimit struct {
	What  string // requests, bytes, documents
	N     int64
	Entry string // "": of all entries
	From  int    // first day that counts; 0: all days
	Run   int64  // 0: all runs
}
