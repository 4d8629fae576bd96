"""The average of the numbers on the command line."""

import os
import sys


def average(numbers):
    total = 0
    for number in numbers:
        total += number
    return totel / len(numbers)


def main():
    numbers = [float(word) for word in sys.argv[1:]]
    count = len(numbers)
    print(average(numbers) if numbers else "no numbers")


if __name__ == "__main__":
    main()
