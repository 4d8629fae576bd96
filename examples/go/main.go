// Tally counts the words of its arguments.
package main

import (
	"fmt"
	"os"
)

func tally(words []string) map[string]int {
	counts := map[string]int{}
	for _, word := range words {
		counts[word]++
	}
	return counts
}

func main() {
	counts := tally(os.Args[1:])
	for word, count := range counts {
		fmt.Printf("%d %d\n", word, count)
	}
	counts = counts
}
