package kubetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// object is one object in all the forms that it is served in.
type object struct {
	kind, namespace, name string
	resource              resource
	labels                map[string]string
	fields                map[string]any // the object as decoded JSON
	full, partial         form
}

// form is an encoding of an object; protobuf is nil if its kind has none.
type form struct{ json, protobuf []byte }

// Load reads objects from YAML or JSON: documents parted by "---", and Lists, whose items it returns one by one.
func Load(text []byte) ([]any, error) {
	var objects []any
	for _, document := range bytes.Split(append([]byte("\n"), text...), []byte("\n---")) {
		var fields map[string]any
		if err := yaml.Unmarshal(document, &fields); err != nil {
			return nil, err
		}
		items, isList := fields["items"].([]any)
		switch {
		case len(fields) == 0:
		case isList:
			objects = append(objects, itemsOf(fields, items)...)
		default:
			objects = append(objects, fields)
		}
	}
	return objects, nil
}

// itemsOf gives the items of a typed list (NodeList) their kind, which they lack.
func itemsOf(list map[string]any, items []any) []any {
	kind, _ := list["kind"].(string)
	for _, item := range items {
		if fields, ok := item.(map[string]any); ok && fields["kind"] == nil && kind != "List" {
			fields["kind"], fields["apiVersion"] = strings.TrimSuffix(kind, "List"), list["apiVersion"]
		}
	}
	return items
}

func newObject(given any) *object {
	text := must(json.Marshal(given))
	var head struct {
		APIVersion, Kind string
		Metadata         metav1.ObjectMeta
	}
	if err := json.Unmarshal(text, &head); err != nil {
		panic(fmt.Sprintf("kubetest: %v", err))
	}
	k := kind{head.APIVersion, head.Kind}
	if k.name == "" {
		k = kindOfType(given)
	}
	if k.name == "" || k.apiVersion == "" || head.Metadata.Name == "" {
		panic(fmt.Sprintf("kubetest: an object needs apiVersion, kind and metadata.name: %.200s", text))
	}
	o := &object{kind: k.name, namespace: head.Metadata.Namespace, name: head.Metadata.Name, resource: k.resource(), labels: head.Metadata.Labels}
	if err := json.Unmarshal(text, &o.fields); err != nil {
		panic(fmt.Sprintf("kubetest: %v", err))
	}
	o.fields["apiVersion"], o.fields["kind"] = k.apiVersion, k.name
	o.full.json = must(json.Marshal(o.fields))
	if make := kinds[k]; make != nil {
		typed := make()
		if err := json.Unmarshal(text, typed); err != nil {
			panic(fmt.Sprintf("kubetest: %s %s: %v", k.name, o.name, err))
		}
		o.full.protobuf = must(typed.Marshal())
	}
	partial := &metav1.PartialObjectMetadata{ObjectMeta: head.Metadata}
	o.partial.protobuf = must(partial.Marshal())
	partial.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}
	o.partial.json = must(json.Marshal(partial))
	return o
}

// kindOfType finds the kind of a Kubernetes type whose TypeMeta is empty.
func kindOfType(given any) kind {
	for k, make := range kinds {
		if reflect.TypeOf(make()) == reflect.TypeOf(given) {
			return k
		}
	}
	return kind{}
}

func (o *object) compare(p *object) int {
	return cmp.Or(cmp.Compare(o.resource.apiVersion, p.resource.apiVersion), cmp.Compare(o.resource.name, p.resource.name),
		cmp.Compare(o.namespace, p.namespace), cmp.Compare(o.name, p.name))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("kubetest: %v", err))
	}
	return value
}
