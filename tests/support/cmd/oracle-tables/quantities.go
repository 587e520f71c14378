package main

import (
	"math/rand/v2"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Inputs at the edges of the grammar, of the fast form, of int64 and of rounding.
var pickedQuantities = strings.Fields(`0 1 2 -5 +5 0.1 1.5 0.0001 1n 1u 1m 1k 1M 1G 1T 1P 1E 10E 1000E
	1Ki 1Mi 1Gi 1Ti 1Pi 1Ei 7Ei 8Ei 9Ei 10Ei -8Ei -9Ei 7.99999999999999999999Ei 0.5Ki 0.5Mi 1.5Gi
	1.1Gi 1.1Ki 0.0001Ki -0.5Ki 8Ki 16Ki 1023 1024 1025 -1023 -1024 1024Ki 1023Ki 1Kii 1ki 1K 1kib
	128974848 129M 123Mi 1e3 1E3 1e+3 1e03 1e+03 1E-3 1.5e3 1e0 1e-0 1e+00 1e21 1e30 1e100 1e-9 1e-10
	1e-12 -1e-12 1e 1E+ 1e- 1e+ 1eE3 1e3e 1E3m 1_0 . - + -. +. .Ki +Ki m Ki i E e 1..2 1.2.3 1. .5 5.
	00 000 0005 -0005 +0005 0Ki 0.0Ki 0e5 0e-10 .e-10 e-10 -0 +0 -0Ki 0k 0m 1.0 1.00 1.000 1.234 +1.234
	1.500 1.500u 01.234 3.999 12e6Ki 1Mi1 5B 100mi 1kk 1mm 0x1 1,5 1e3Ki Ki1 --1 +-1 1-2 1+2 1m3
	999999999999999999 1000000000000000000 9223372036854775807 9223372036854775808
	-9223372036854775807 -9223372036854775808 -9223372036854775809 18446744073709551616
	9223372036854775807m 9223372036854775807Ki 12345678901234567890 -12345678901234567890
	1000000000000000000000 123456789012345678901234567890 99999999999999999999999999999999999999
	0.1234567891 1.0000000001 -1.0000000001 -1.50000000000 123456789.123456789123 0.000000001
	0.0000000001 -0.0000000001 1.5n 0.1n 2.5e-9 99999999Ki 99999999999Ki 999999999999Ki 99999999Mi
	99999Gi 999999Gi 99Ti 999Ti 3Pi 2305843009213693951Ki 1e18 1e19 9e18 10e18 -1e19 0.9999999999
	0.99999999990Ki 1.00000000000000000000000000000000000000000000000001Gi`)

// Exponents past three digits and more than 38 significant digits are refused by us, not by upstream,
// which may work on them for minutes.
var hugeExponent = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{3,}$`)

var number = regexp.MustCompile(`^[+-]?([0-9]*)\.?([0-9]*)`)

func significantDigits(text string) int {
	parts := number.FindStringSubmatch(text)
	return len(strings.Trim(parts[1]+parts[2], "0"))
}

func quantityTable(r *rand.Rand) []section {
	texts := append([]string{""}, pickedQuantities...)
	texts = append(texts, "1 ", " 1", "1 Ki")
	for len(texts) < 4000 {
		text := randomQuantity(r)
		if !hugeExponent.MatchString(text) && significantDigits(text) <= 38 {
			texts = append(texts, text)
		}
	}
	rows := []any{}
	var valid []string
	for _, text := range texts {
		row, ok := quantityRow(text)
		rows = append(rows, row)
		if ok {
			valid = append(valid, text)
		}
	}
	sums := []any{}
	for len(sums) < 800 {
		if row, kept := sumRow(pick(r, valid...), pick(r, valid...)); kept {
			sums = append(sums, row)
		}
	}
	return []section{{"parsed", rows}, {"sums", sums}}
}

// quantityRow is [text, Value, MilliValue, String, AsInt64 or null], or [text] for an error.
func quantityRow(text string) ([]any, bool) {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return []any{text}, false
	}
	row := []any{text, q.Value(), q.MilliValue(), q.String(), nil}
	if value, ok := q.AsInt64(); ok {
		row[4] = value
	}
	return row, true
}

// sumRow is [a, b, a+b, its Value, its MilliValue, a-b, Cmp(a, b)], and whether 38 digits hold it.
func sumRow(a, b string) ([]any, bool) {
	x, y := resource.MustParse(a), resource.MustParse(b)
	sum, difference := x.DeepCopy(), x.DeepCopy()
	sum.Add(y)
	difference.Sub(y)
	row := []any{a, b, sum.String(), sum.Value(), sum.MilliValue(), difference.String(), x.Cmp(y)}
	return row, digitsOf(sum) <= 38 && digitsOf(difference) <= 38
}

func digitsOf(q resource.Quantity) int {
	return len(strings.TrimLeft(q.AsDec().UnscaledBig().String(), "-"))
}

func randomQuantity(r *rand.Rand) string {
	text := pick(r, "", "", "", "", "", "-", "+")
	if chance(r, 20) {
		text += strings.Repeat("0", 1+r.IntN(3))
	}
	text += randomDigits(r, pick(r, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 10, 13, 16, 18, 19, 20))
	if chance(r, 45) {
		text += "." + randomDigits(r, pick(r, 0, 1, 1, 2, 3, 3, 4, 6, 9, 10, 12))
	}
	switch {
	case chance(r, 25):
		text += pick(r, "e", "E") + pick(r, "", "", "+", "-") + pick(r, "", "", "0") +
			pick(r, "0", "1", "2", "3", "4", "5", "6", "8", "9", "10", "12", "15", "18", "21", "30")
	case chance(r, 8):
		text += pick(r, "e", "i", "K", "ki", "mi", "Kib", "B", "ee3", "e3e", "kk", "-3", "+3", "m1")
	default:
		text += pick(r, "", "", "", "", "n", "u", "m", "m", "k", "M", "G", "T", "P", "E",
			"Ki", "Mi", "Mi", "Gi", "Gi", "Ti", "Pi", "Ei")
	}
	if chance(r, 2) && len(text) > 0 {
		at := r.IntN(len(text))
		text = text[:at] + pick(r, " ", ".", "-", "x", "e") + text[at:]
	}
	return text
}

func randomDigits(r *rand.Rand, n int) string {
	digits := make([]byte, n)
	for i := range digits {
		digits[i] = byte('0' + r.IntN(10))
		if chance(r, 30) {
			digits[i] = '0'
		}
	}
	return string(digits)
}
