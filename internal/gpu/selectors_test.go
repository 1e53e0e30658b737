package gpu

import (
	"slices"
	"testing"
)

func TestQueriesLeaveOutEarlierNodes(t *testing.T) {
	selectors, err := parseSelectors("--selector", []string{"a", "b=1", "c in (x,y)", "d=1,e=2", "!f", "g!=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "!a,b=1", "!a,b!=1,c in (x,y)", "!a,b!=1,c notin (x,y),d=1,e=2", "!a,b!=1,c notin (x,y),!f", "!a,b!=1,c notin (x,y),f,g!=1"}
	if got := queries(selectors); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
