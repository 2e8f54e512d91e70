package temporalx

import (
	"context"
	"crypto/rand"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"
)

// The metadata of an encrypted payload, as other codecs of Temporal write it.
const (
	encryptedEncoding = "binary/encrypted"
	keyIDMetadata     = "encryption-key-id"
)

// codec encrypts payloads with AES-256-GCM. Without keys it leaves payloads as they are,
// and refuses those that are encrypted.
type codec struct{ ring *keyring }

// NewCodec makes a codec over a keyring. The error says why the keys cannot be used.
func NewCodec(keys Keys) (converter.PayloadCodec, error) {
	c := codec{&keyring{read: keys}}
	_, err := c.ring.first()
	return c, err
}

// Encode is part of converter.PayloadCodec.
func (c codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if c.ring.read == nil {
		return payloads, nil
	}
	k, err := c.ring.first()
	if err != nil {
		return nil, err
	}
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, k.aead.NonceSize())
		rand.Read(nonce) // never fails
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encryptedEncoding), keyIDMetadata: []byte(k.id)},
			Data:     k.aead.Seal(nonce, nonce, plain, []byte(k.id)),
		}
	}
	return out, nil
}

// Decode is part of converter.PayloadCodec. Payloads that are not encrypted stay as they
// are: those of the time before there were keys.
func (c codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if out[i] = p; string(p.GetMetadata()[converter.MetadataEncoding]) != encryptedEncoding {
			continue
		}
		opened, err := c.open(p)
		if err != nil {
			return nil, err
		}
		out[i] = opened
	}
	return out, nil
}

func (c codec) open(p *commonpb.Payload) (*commonpb.Payload, error) {
	id := string(p.GetMetadata()[keyIDMetadata])
	k, err := c.ring.find(id)
	if err != nil {
		return nil, err
	}
	n := k.aead.NonceSize()
	if len(p.GetData()) < n {
		return nil, &KeyError{ID: id, Have: []string{id}, Err: errors.New("it is too short")}
	}
	plain, err := k.aead.Open(nil, p.GetData()[:n], p.GetData()[n:], []byte(id))
	if err != nil {
		return nil, &KeyError{ID: id, Have: []string{id}, Err: err}
	}
	opened := &commonpb.Payload{}
	return opened, proto.Unmarshal(plain, opened)
}

// dataConverter is the SDK's own behind a codec.
type dataConverter struct {
	converter.DataConverter
	// inWorkflow: an error of keys is a panic. The SDK then fails the workflow task and
	// tries it again, until the key is there; an error would fail the workflow.
	inWorkflow bool
}

var _ workflow.ContextAware = dataConverter{}

func newConverter(c converter.PayloadCodec) converter.DataConverter {
	return dataConverter{DataConverter: converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c)}
}

// WithWorkflowContext is part of workflow.ContextAware.
func (d dataConverter) WithWorkflowContext(workflow.Context) converter.DataConverter {
	d.inWorkflow = true
	return d
}

// WithContext is part of workflow.ContextAware.
func (d dataConverter) WithContext(context.Context) converter.DataConverter { return d }

// ToPayload, ToPayloads, FromPayload and FromPayloads are part of
// converter.DataConverter.
func (d dataConverter) ToPayload(value any) (*commonpb.Payload, error) {
	p, err := d.DataConverter.ToPayload(value)
	return p, d.stop(err)
}

func (d dataConverter) ToPayloads(values ...any) (*commonpb.Payloads, error) {
	p, err := d.DataConverter.ToPayloads(values...)
	return p, d.stop(err)
}

func (d dataConverter) FromPayload(p *commonpb.Payload, into any) error {
	return d.stop(d.DataConverter.FromPayload(p, into))
}

func (d dataConverter) FromPayloads(p *commonpb.Payloads, into ...any) error {
	return d.stop(d.DataConverter.FromPayloads(p, into...))
}

func (d dataConverter) stop(err error) error {
	if _, ours := errors.AsType[*KeyError](err); ours && d.inWorkflow {
		panic(err)
	}
	return err
}

// failures encrypts messages and stack traces too where there are keys.
func failures(d converter.DataConverter, encrypted bool) converter.FailureConverter {
	return temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: d, EncodeCommonAttributes: encrypted})
}

// FailureText is the message of a failure as the server keeps it.
func FailureText(d converter.DataConverter, f *failurepb.Failure) string {
	var encoded struct {
		Message string `json:"message"`
	}
	if f.GetEncodedAttributes() == nil || d == nil {
		return f.GetMessage()
	}
	if err := d.FromPayload(f.GetEncodedAttributes(), &encoded); err != nil {
		return "its message is encrypted: " + err.Error()
	}
	return encoded.Message
}
