package machineconfig

import (
	"fmt"
	"overdue/internal/plugin"
	"strings"
	"time"
)

// windowsValue is the flag --window.
type windowsValue struct{ list *[]Window }

func (v windowsValue) Set(s string) error {
	w, err := ParseWindow(s)
	if err == nil {
		*v.list = append(*v.list, w)
	}
	return err
}

func (v windowsValue) String() string {
	var out []string
	if v.list != nil {
		for _, w := range *v.list {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, ", ")
}

func (windowsValue) Type() string { return "window" }

// zoneValue is the flag --window-timezone.
type zoneValue struct{ zone **time.Location }

func (v zoneValue) Set(s string) error {
	zone, err := time.LoadLocation(s)
	if err != nil || s == "" {
		return fmt.Errorf("%q is no time zone; write it as Europe/Berlin or UTC", plugin.Clean(s))
	}
	*v.zone = zone
	return nil
}

func (v zoneValue) String() string {
	if v.zone == nil || *v.zone == nil {
		return "UTC"
	}
	return (*v.zone).String()
}

func (zoneValue) Type() string { return "zone" }

// expectationsValue is the flag --expect-machineconfig.
type expectationsValue struct{ list *[]Expectation }

func (v expectationsValue) Set(s string) error {
	e, err := parseExpectation(s)
	if err == nil {
		*v.list = append(*v.list, e)
	}
	return err
}

func (v expectationsValue) String() string {
	var out []string
	if v.list != nil {
		for _, e := range *v.list {
			out = append(out, strings.TrimPrefix(e.Pool+"/"+e.Name, "/"))
		}
	}
	return strings.Join(out, ", ")
}

func (expectationsValue) Type() string { return "name" }
