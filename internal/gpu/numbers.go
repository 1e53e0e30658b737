package gpu

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// numbers are those in which nodes with the same cause differ, as they have more or fewer GPUs: "7 of 8", "1 unhealthy", "4 expected".
var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b[0-9]+( of [0-9]+\b| unhealthy| expected)`)
})

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

// shape is a text without those numbers.
func shape(text string) string {
	return numbers().ReplaceAllStringFunc(text, func(s string) string { return digits().ReplaceAllString(s, "\x00") })
}

// sum adds up the numbers of texts of one shape: "together 13 of 16 nvidia.com/gpu allocatable". Texts that are all the same stay so, as
// said of each node.
func sum(texts []string) string {
	var sums []int64
	same := true
	for _, text := range texts {
		same = same && text == texts[0]
		i := 0
		for _, match := range numbers().FindAllString(text, -1) {
			for _, number := range digits().FindAllString(match, -1) {
				if i == len(sums) {
					sums = append(sums, 0)
				}
				n, _ := strconv.ParseInt(number, 10, 64)
				sums[i] += n
				i++
			}
		}
	}
	first := numbers().FindStringIndex(texts[0])
	if same || first == nil {
		return texts[0]
	}
	i := 0
	text := numbers().ReplaceAllStringFunc(texts[0], func(match string) string {
		return digits().ReplaceAllStringFunc(match, func(string) string {
			i++
			return strconv.FormatInt(sums[i-1], 10)
		})
	})
	return text[:first[0]] + "together " + text[first[0]:]
}

// differing tells what is told of each node, where that is not the same of all.
func differing(nodes, texts []string) []string {
	if !slices.ContainsFunc(texts, func(text string) bool { return text != texts[0] }) {
		return nil
	}
	var out []string
	for i, node := range nodes {
		out = append(out, node+": "+texts[i])
	}
	return []string{strings.Join(out, "; ")}
}
