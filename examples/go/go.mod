module example.org/tally

go 1.19
