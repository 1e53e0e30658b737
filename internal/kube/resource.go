package kube

import (
	"net/url"
	"strconv"
	"strings"
)

// Resource names a kind of objects in the API, as in {"machineconfiguration.openshift.io", "v1", "machineconfigpools"}.
// Group "" is the core group.
type Resource struct{ Group, Version, Name string }

// Query narrows a list. Custom resources know only the field selectors metadata.name and metadata.namespace.
type Query struct {
	Namespace, LabelSelector, FieldSelector string
	Omit                                    Omit // what need not be decoded; answers in JSON hold it all the same
}

// pageSize is the number of objects asked for at once. Measured with 5,000 nodes: same time as one answer, a fifth of the
// memory. It must not be sent together with resourceVersion=0, which makes the server ignore it.
const pageSize = 500

func (r Resource) apiVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// path returns the path of the resource's list, or of one object if a name is given.
func (r Resource) path(namespace, name string) string {
	parts := []string{"/apis", r.Group, r.Version}
	if r.Group == "" {
		parts = []string{"/api", r.Version}
	}
	if namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}
	parts = append(parts, r.Name)
	if name != "" {
		parts = append(parts, name)
	}
	return strings.Join(parts, "/")
}

func (q Query) values(token string) url.Values {
	v := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for key, value := range map[string]string{"labelSelector": q.LabelSelector, "fieldSelector": q.FieldSelector, "continue": token} {
		if value != "" {
			v.Set(key, value)
		}
	}
	return v
}

// validSegment says whether a name can stand in a path as it is: Kubernetes allows neither of these in names.
func validSegment(name string) bool {
	return name != "." && name != ".." && !strings.ContainsAny(name, "/%?#\\")
}

// isKind says whether a kind can be that of the resource, by the rule that the plural of custom and built-in kinds follows
// ("MachineConfigPool" → "machineconfigpools"). So nobody has to tell the kind twice, and a Status or a Table is told from
// the objects asked for.
func (r Resource) isKind(kind string) bool {
	s := strings.ToLower(kind)
	return s != "" && (r.Name == s || r.Name == s+"s" || r.Name == s+"es" || r.Name == strings.TrimSuffix(s, "y")+"ies")
}
