package oai

import "fmt"

// fill writes the content of a verb whose arguments are right.
func (c *call) fill(b []byte, a *answer) ([]byte, []problem) {
	c.house.mu.RLock()
	defer c.house.mu.RUnlock()
	switch c.verb {
	case "Identify":
		return c.identify(b), nil
	case "ListMetadataFormats":
		return c.formats(b)
	case "GetRecord":
		return c.record(b, a)
	default:
		return c.list(b, a)
	}
}

func (c *call) identify(b []byte) []byte {
	config := c.house.config
	granularity := "YYYY-MM-DDThh:mm:ssZ"
	if config.Days {
		granularity = "YYYY-MM-DD"
	}
	return fmt.Appendf(b, `<Identify>
<repositoryName>Biblioteca di replica, %d documenti</repositoryName>
<baseURL>%s</baseURL>
<protocolVersion>2.0</protocolVersion>
<adminEmail>bibliotecario@replica.example</adminEmail>
<earliestDatestamp>%s</earliestDatestamp>
<deletedRecord>%s</deletedRecord>
<granularity>%s</granularity>
<compression>gzip</compression>
<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme><repositoryIdentifier>replica.example</repositoryIdentifier><delimiter>:</delimiter><sampleIdentifier>%s</sampleIdentifier></oai-identifier></description>
</Identify>
`, c.house.config.Records, c.base(), config.Earliest.Format(c.house.layout()), config.Deleted, granularity, ID(0))
}

const formatLines = `<metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>
<metadataFormat><metadataPrefix>marc21</metadataPrefix><schema>http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd</schema><metadataNamespace>http://www.loc.gov/MARC21/slim</metadataNamespace></metadataFormat>
`

func noSuchID() []problem {
	return []problem{{"idDoesNotExist", "there is no record of this identifier"}}
}

func (c *call) formats(b []byte) ([]byte, []problem) {
	if id := c.args.Get("identifier"); c.args.Has("identifier") {
		i, ok := parseID(id)
		if _, there := c.house.at(i); !ok || !there {
			return b, noSuchID()
		}
	}
	return append(append(append(b, "<ListMetadataFormats>\n"...), formatLines...), "</ListMetadataFormats>\n"...), nil
}

func (c *call) record(b []byte, a *answer) ([]byte, []problem) {
	i, ok := parseID(c.args.Get("identifier"))
	x, there := c.house.at(i)
	prefix := c.args.Get("metadataPrefix")
	switch {
	case !ok || !there:
		return b, noSuchID()
	case !known(prefix):
		return b, []problem{{"cannotDisseminateFormat", "there are oai_dc and marc21"}}
	}
	a.records = 1
	b = c.house.appendRecord(append(b, "<GetRecord>\n"...), x, prefix, c.layout(), "")
	return append(b, "</GetRecord>\n"...), nil
}

// layout of the datestamps of this answer.
func (c *call) layout() string {
	if c.fault.layout != "" {
		return c.fault.layout
	}
	return c.house.layout()
}
