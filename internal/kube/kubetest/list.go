package kubetest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// writeList answers with one page of the objects that the selectors leave.
func writeList(w http.ResponseWriter, r *http.Request, t target, objects []*object) {
	query := r.URL.Query()
	objects, err := selected(objects, query.Get("labelSelector"), query.Get("fieldSelector"))
	if err != nil {
		writeStatus(w, 400, "BadRequest", err.Error(), nil)
		return
	}
	start, err := offset(query.Get("continue"))
	if err != nil || start > len(objects) {
		writeStatus(w, 400, "BadRequest", "continue key is not valid", nil)
		return
	}
	objects = objects[start:]
	next := ""
	// As in etcd's and the cache's answers, a limit goes without resourceVersion=0.
	if limit, _ := strconv.Atoi(query.Get("limit")); limit > 0 && limit < len(objects) && query.Get("resourceVersion") != "0" {
		objects = objects[:limit]
		next = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(start + limit)))
	}
	writeObjects(w, r, t, objects, next)
}

func offset(token string) (int, error) {
	if token == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(text))
}

func selected(objects []*object, label, field string) ([]*object, error) {
	byLabel, err := labels.Parse(label)
	if err != nil {
		return nil, err
	}
	byField, err := fields.ParseSelector(field)
	if err != nil {
		return nil, err
	}
	for _, f := range byField.Requirements() {
		if len(objects) > 0 && objects[0].full.protobuf == nil && !strings.HasPrefix(f.Field, "metadata.name") {
			return nil, fmt.Errorf("field label not supported: %s", f.Field)
		}
	}
	return slices.DeleteFunc(slices.Clone(objects), func(o *object) bool {
		return !byLabel.Matches(labels.Set(o.labels)) || !byField.Matches(o)
	}), nil
}

// Has and Get make an object a fields.Fields: any path in it can be selected by.
func (o *object) Has(path string) bool { return o.Get(path) != "" }

func (o *object) Get(path string) string {
	var value any = o.fields
	for _, key := range strings.Split(path, ".") {
		fields, _ := value.(map[string]any)
		value = fields[key]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
