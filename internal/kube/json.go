package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readJSON walks over the top level of the list and decodes the items one by one. The kind may come after the items, so it is
// checked at the end.
func (p *pageReader[T]) readJSON(a *answer) error {
	bounded := &filling{Reader: a}
	dec := json.NewDecoder(bounded)
	bounded.done = dec.InputOffset
	var head struct {
		APIVersion, Kind string
		Metadata         struct {
			Continue string `json:"continue"`
		}
	}
	items := false
	err := eachField(dec, func(key string) error {
		switch key {
		case "apiVersion":
			return dec.Decode(&head.APIVersion)
		case "kind":
			return dec.Decode(&head.Kind)
		case "metadata":
			return dec.Decode(&head.Metadata)
		case "items":
			items = true
			return p.jsonItems(dec)
		}
		return skipValue(dec)
	})
	if err != nil {
		return plain(err)
	}
	if err := checkKind(p.want, head.APIVersion, head.Kind, true); err != nil {
		return err
	}
	if !items {
		return errors.New("it has no items")
	}
	p.next = head.Metadata.Continue
	return nil
}

var errTooLargeObject = fmt.Errorf("it holds an object larger than %d MiB", maxObject>>20)

// filling fills the decoder's buffer at each read. The decoder starts anew at each read to skip white space, so with small
// reads a long run of it would take minutes; as its buffer doubles, it takes no time with full ones.
//
// It also bounds a single value: the decoder buffers each whole, from the offset that it has done with.
type filling struct {
	io.Reader
	read int64
	done func() int64
}

func (f *filling) Read(p []byte) (int, error) {
	if f.read-f.done() > maxObject {
		return 0, errTooLargeObject
	}
	n, err := io.ReadFull(f.Reader, p)
	f.read += int64(n)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

func (p *pageReader[T]) jsonItems(dec *json.Decoder) error {
	if err := expect(dec, '['); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	for dec.More() {
		object := new(T)
		name, err := jsonObject(dec, object)
		if err != nil {
			return fmt.Errorf("item %d: %w", p.seen, plain(err))
		}
		if err := p.item(object, name); err != nil {
			return err
		}
	}
	return expect(dec, ']')
}

// jsonObject decodes one object and returns its name.
func jsonObject[T any](dec *json.Decoder, object *T) (name string, err error) {
	if _, ok := nameOf(object); ok {
		err := dec.Decode(object)
		name, _ := nameOf(object)
		return name, err
	}
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return "", err
	}
	var named struct{ Metadata struct{ Name string } }
	if err := json.Unmarshal(raw, &named); err != nil {
		return "", err
	}
	return named.Metadata.Name, json.Unmarshal(raw, object)
}

// eachField calls read for each key of the one object in the stream, and wants nothing after it.
func eachField(dec *json.Decoder, read func(key string) error) error {
	if err := expect(dec, '{'); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if err := read(key.(string)); err != nil {
			return err
		}
	}
	if err := expect(dec, '}'); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	return nil
}

func expect(dec *json.Decoder, delim json.Delim) error {
	token, err := dec.Token()
	switch {
	case err != nil:
		return err
	case token != delim:
		return fmt.Errorf("there is %s where a %s should be", describe(token), delim)
	}
	return nil
}

func describe(token json.Token) string {
	switch t := token.(type) {
	case string:
		return "a string"
	case nil:
		return "null"
	case json.Delim:
		return "a " + t.String()
	default:
		return fmt.Sprintf("a %T", t)
	}
}

func skipValue(dec *json.Decoder) error {
	var skipped json.RawMessage
	return dec.Decode(&skipped)
}

// plain puts encoding/json's errors into words that name the field.
func plain(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &mistyped):
		field := mistyped.Field
		if field == "" {
			field = "value"
		}
		return fmt.Errorf("%s is a %s, not a %s", field, mistyped.Value, mistyped.Type)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON is cut off")
	case errors.As(err, &syntax):
		return fmt.Errorf("not good JSON: %w", err)
	}
	return err
}
