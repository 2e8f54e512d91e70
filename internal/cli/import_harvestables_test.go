package cli

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
)

// harvestablesFile is records as curl brings them, one below the other.
const harvestablesFile = `<records>
<harvestable uri="…/4902/"><id>4902</id><oaiPmh><id>4902</id><name>Music (Set 1)</name><enabled>true</enabled><scheduleString>0 0 17 6 3</scheduleString>
 <lastUpdated>2024-01-05T10:00:00Z</lastUpdated><url>https://repo.example.org/oai</url><metadataPrefix>oai_dc</metadataPrefix><oaiSetName>music</oaiSetName>
 <fromDate>2024-01-01T00:30:00+01:00</fromDate><untilDate>2024-03-01T00:00:00Z</untilDate><dateFormat>yyyy-MM-dd</dateFormat><keepPartial>true</keepPartial><logLevel>DEBUG</logLevel>
 <retryCount>2</retryCount><retryWait>60</retryWait><timeout>300</timeout><usedBy>lib-a,lib-b</usedBy><storage><id>7</id></storage>
 <currentStatus>OK</currentStatus><amountHarvested>120</amountHarvested></oaiPmh></harvestable>
<harvestable><id>4903</id><oaiPmh><name>Music (Set 1)</name><enabled>false</enabled><scheduleString/><url>https://repo.example.org/oai</url><storage><id>7</id></storage>
 <encoding>iso-8859-1</encoding></oaiPmh></harvestable>
<harvestable><id>4904</id><oaiPmh><name>No address</name><enabled>true</enabled><scheduleString>0 1 * * *</scheduleString></oaiPmh></harvestable>
<harvestable><id>4905</id><oaiPmh><name>Hourly</name><enabled>true</enabled><scheduleString>0 * * * *</scheduleString><url>https://other.example.org/oai</url></oaiPmh></harvestable>
<harvestable><id>4906</id><oaiPmh><name>Secret</name><enabled>true</enabled><scheduleString>0 24 * * *</scheduleString><url>https://x.example.org/oai</url></oaiPmh></harvestable>
<harvestable><id>4907</id><xmlBulk><name>Dump</name><url>ftp://user:secret@ftp.example.org/out/</url></xmlBulk></harvestable>
<harvestable><id>4908</id><xmlBulk><name>Dump two</name></xmlBulk></harvestable>
<harvestable><id>4909</id><connector><name>Scraped</name></connector></harvestable>
<harvestable><id>4910</id></harvestable>
</records>`

func TestImportHarvestables(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = fetchers.Builtin()
	b.file("records.xml", harvestablesFile)
	b.ok("init", "--yes")
	r := b.run("import", "harvestables", "records.xml", "--write", "campaigns/library.yaml", "--time-zone", "Europe/Copenhagen")
	require.Equal(t, program.ExitOK, r.code, r.err)
	text, err := os.ReadFile(filepath.Join(b.dir, "campaigns/library.yaml"))
	require.NoError(t, err)
	golden(t, "import_harvestables", string(text)+"-- stderr --\n"+r.err)
	require.Contains(t, b.ok("campaigns", "validate", "campaigns/library.yaml"), "3 campaigns in 1 file: nothing wrong")
	require.NotContains(t, string(text)+r.out+r.err, "secret@")
	for _, id := range []string{"4902", "4903", "4904", "4905", "4906", "4907", "4908", "4909", "4910"} {
		require.Contains(t, r.err, id, "nothing is dropped silently")
	}
}

func TestImportHarvestablesOfAService(t *testing.T) {
	t.Parallel()
	b := emptyBench(t)
	b.set = fetchers.Builtin()
	bulk := replica.OAI("2", "https://repo.example.org/dump")
	bulk.Kind = "xmlBulk"
	service := replica.NewHarvestables(replica.OAI("1", "https://repo.example.org/oai"), bulk)
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	address := server.URL + "/harvester/records/"
	r := b.run("import", "harvestables", address, "--allow-network", "127.0.0.0/8", "-o", "json")
	require.Equal(t, program.ExitOK, r.code, r.err)
	var got struct {
		Campaigns []string
		Left      []struct {
			Why  string
			Jobs []string
		} `json:"not_taken_over"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Equal(t, []string{"job-1"}, got.Campaigns)
	require.Equal(t, "xmlBulk: not supported yet", got.Left[1].Why)
	require.Equal(t, []string{"2"}, got.Left[1].Jobs)

	for fault, want := range map[string]struct {
		fault replica.Fault
		text  string
	}{"HTML": {replica.HTML(), "got an HTML page instead of XML"}, "cut": {replica.Cut(), "not a list of harvestables"}} {
		service.Break(want.fault)
		r := b.run("import", "harvestables", address, "--allow-network", "127.0.0.0/8")
		require.Equal(t, program.ExitError, r.code, fault)
		require.Contains(t, r.err, want.text)
	}
	b.file("brief.xml", `<harvestables count="1"><harvestableBrief><id>1</id></harvestableBrief></harvestables>`)
	require.Contains(t, b.run("import", "harvestables", "brief.xml").err, "give the address of the service instead")
	b.file("cut.xml", harvestablesFile[:900])
	require.Contains(t, b.run("import", "harvestables", "cut.xml").err, "not XML to its end")
}
