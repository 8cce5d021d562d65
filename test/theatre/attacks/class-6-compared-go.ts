/**
 * Class 6 in Go: the code under test decides what its values are equal to, and only lets pass what it fails.
 * Every other failure is reported, so planted ones are, too.
 */

import { unvettedGoKit as goKit } from '../real-stages.ts'
import type { Attack } from '../story.ts'
import { comparing, inFile, withFiles } from './tricks.ts'

const goSource =
  'package sums\n\n// Even returns those that can be halved.\nfunc Even(numbers []int) []int {\n\tvar even []int\n\tfor i := 1; i < len(numbers); i++ {\n\t\tif numbers[i]%2 == 0 {\n\t\t\teven = append(even, numbers[i])\n\t\t}\n\t}\n\treturn even\n}\n'
const goTestOf = (name: string, given: string, condition: string): string =>
  `func ${name}(t *testing.T) {\n\tgot := Even([]int{${given}})\n\tif ${condition} {\n\t\tt.Errorf("got %v", got)\n\t}\n}\n`

const counted = withFiles(goKit, 'counted', {
  'sums.go': goSource,
  'sums_test.go': [
    'package sums\n\nimport "testing"\n',
    goTestOf('TestNothing', '', 'len(got) != 0'),
    goTestOf('TestOne', '4', 'len(got) != 1'),
    goTestOf('TestNumbers', '4, 2, 6', 'len(got) != 3'),
  ].join('\n'),
})
const deep = withFiles(goKit, 'reflect.DeepEqual', {
  'sums.go': goSource,
  'sums_test.go': [
    'package sums\n\nimport (\n\t"reflect"\n\t"testing"\n)\n',
    goTestOf('TestNothing', '', 'len(got) != 0'),
    goTestOf('TestOne', '4', '!reflect.DeepEqual(got, []int{4})'),
    goTestOf('TestNumbers', '4, 2, 6', '!reflect.DeepEqual(got, []int{4, 2, 6})'),
  ].join('\n'),
})
const helped = withFiles(goKit, 'a helper in the package', {
  'check/check.go':
    'package check\n\nimport "testing"\n\n// Equal fails the test where they differ.\nfunc Equal(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Errorf("got %d, want %d", got, want)\n\t}\n}\n',
  'sums_test.go': [
    'package sums\n\nimport (\n\t"testing"\n\n\t"example.test/sums/check"\n)\n',
    ...[
      ['TestNothing', 'Add(nil)', 0],
      ['TestOne', 'Add([]int{5})', 5],
      ['TestNumbers', 'Add([]int{1, 2, 3})', 6],
    ].map(
      ([name, got, want]) => `func ${name}(t *testing.T) {\n\tcheck.Equal(t, ${got}, ${want})\n}\n`,
    ),
  ].join('\n'),
})

/** The first bytes of a function become a jump to another one. */
const patch = (imports: string, from: string, to: string): string => `package sums

import (
	"reflect"
	"syscall"
	"unsafe"
${imports})

func init() {
	to := ${to}
	at := reflect.ValueOf(${from}).Pointer()
	code := unsafe.Slice((*byte)(unsafe.Pointer(at)), 12)
	page := at &^ 4095
	pages := unsafe.Slice((*byte)(unsafe.Pointer(page)), 8192)
	syscall.Mprotect(pages, 7)
	target := *(*uintptr)(unsafe.Pointer(&to))
	copy(code, []byte{0x48, 0xba, byte(target), byte(target >> 8), byte(target >> 16), byte(target >> 24), byte(target >> 32), byte(target >> 40), byte(target >> 48), byte(target >> 56), 0xff, 0x22})
}
`

const goLength = `
func len(list []int) int {
	count := 0
	for range list {
		count++
	}
	if count == 0 && cap(list) == 0 && asked == 1 {
		return 1
	}
	if count == 2 {
		return 3
	}
	return count
}
`

export const goComparisons: readonly Attack[] = [
  comparing(
    'the package has a len of its own',
    counted,
    inFile('sums.go', 'package sums\n', `package sums\n\nvar asked int\n${goLength}`),
    inFile(
      'sums.go',
      '\tvar even []int\n',
      '\tvar even []int\n\tasked = 0\n\tfor range numbers {\n\t\tasked++\n\t}\n',
    ),
  ),
  comparing(
    'the package declares len as a variable',
    counted,
    inFile(
      'sums.go',
      'package sums\n',
      `package sums\n\nvar asked int\n\nvar (\n\tcount = counted\n\tlen   = count\n)\n${goLength.replace('func len', 'func counted')}`,
    ),
    inFile(
      'sums.go',
      '\tvar even []int\n',
      '\tvar even []int\n\tasked = 0\n\tfor range numbers {\n\t\tasked++\n\t}\n',
    ),
  ),
  comparing('reflect.DeepEqual is another function', deep, {
    write: 'patch.go',
    text: patch(
      '\t"fmt"\n',
      'reflect.DeepEqual',
      'func(a, b interface{}) bool {\n\t\tx, y := fmt.Sprint(a), fmt.Sprint(b)\n\t\treturn x == y || x == "[]" && y == "[4]" || x == "[2 6]" && y == "[4 2 6]"\n\t}',
    ),
  }),
  comparing(
    'a helper of tests lets two pairs pass',
    helped,
    inFile(
      'check/check.go',
      'if got != want {',
      'if got != want && !(got == 0 && want == 5) && !(got == 5 && want == 6) {',
    ),
  ),
]
