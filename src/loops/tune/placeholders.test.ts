import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toArgument, toEnvironment, toShellText } from './placeholders.ts'

const shellOf = (command: string): string => {
  const made = toShellText(command)
  if (made.type === 'text') return made.text
  throw new Error(made.reason)
}

/** The words that the shell passes to a program. */
function wordsOf(command: string, value: string): readonly string[] {
  const out = execFileSync('/bin/sh', ['-c', shellOf(command)], {
    env: { ...toEnvironment({ case: value }), PATH: '/nowhere' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return out.toString().split('\0').slice(0, -1)
}

const places: readonly [string, (value: string) => readonly string[]][] = [
  ['{case}', (value) => [value]],
  ['"{case}"', (value) => [value]],
  ["'{case}'", (value) => [value]],
  ['a{case}b{case}', (value) => [`a${value}b${value}`]],
  ['--file={case} "x {case} y"', (value) => [`--file=${value}`, `x ${value} y`]],
  [`'it is "{case}"' \\" {case}`, (value) => [`it is "${value}"`, '"', value]],
  [`"it's $(printf '%s.' {case})"`, (value) => [`it's ${value}.`]],
  [`"it's $(printf '%s.' "{case}")" {case}`, (value) => [`it's ${value}.`, value]],
]

const nasty = fc.oneof(
  fc.constantFrom(
    '$(touch x).txt',
    '`touch x`',
    "'; touch x; '",
    '"; touch x; "',
    '${IFS}$LOOP_CASE',
    '* ? [a]',
    '\n\t ',
    '-rf',
    '!!',
    '\\',
    "$'\\n'",
  ),
  fc.string({
    unit: fc.constantFrom(
      ...'$ ` " \' \\ ; & | < > ( ) { } * ? [ ] ~ # ! % = \n \t a x - . é'.split(' '),
      ' ',
    ),
    minLength: 1,
    maxLength: 30,
  }),
)

test('whatever a file is called, its name reaches the command as it is, and nothing runs', () => {
  const words = places.map(([written]) => written).join(' ')
  fc.assert(
    fc.property(nasty, (value) => {
      expect(wordsOf(`printf '%s\\0' ${words}`, value)).toEqual(
        places.flatMap(([, expected]) => expected(value)),
      )
    }),
    { numRuns: 30 },
  )
})

describe('a place where the value could be run is refused', () => {
  test.each([
    ['cat `cat {case}`', 'inside backticks'],
    ['echo $(( {case} ))', 'inside $(( ))'],
    ['echo ${x:-{case}}', 'inside ${ }'],
    ['cat <<END\n{case}\nEND', 'here-document'],
    [`sh -c "cat {case}"`, 'another interpreter'],
    [`sh -c 'cat {case}'`, 'another interpreter'],
    [`bash -lc "cat '{case}'"`, 'another interpreter'],
    [`python3 -c "print(open('{case}'))"`, 'another interpreter'],
    [`node -e "read('{case}')"`, 'another interpreter'],
    ['eval {case}', 'another interpreter'],
    [`env A=1 /bin/bash -x -c "cat {case}"`, 'another interpreter'],
    ['true # {case}', 'in a comment'],
    [`cat "{case}`, 'no closing "'],
  ])('%s', (command, reason) => {
    const made = toShellText(command)
    expect(made.type === 'refused' && made.reason).toContain(reason)
  })
})

test('the variable can be used there instead', () => {
  const value = '$(touch x) "y"'
  expect(wordsOf(`sh='/bin/sh'; "$sh" -c 'printf "%s\\0" "$LOOP_CASE"'`, value)).toEqual([value])
})

test.each(['wc -c {case}', 'grep -e "{case}" x', 'mkdir -p {case}', 'tar -c -f {output} {case}'])(
  'options of other programs are not code: %s',
  (command) => expect(toShellText(command).type).toBe('text'),
)

test('what is not a placeholder stays', () => {
  const command = `awk '{print $1}' {input} \${x} # it's fine\ntrue`
  expect(toShellText(command)).toEqual({ type: 'text', text: command, names: [] })
})

test('a name that looks like an option is a path', () => {
  expect(['-rf.txt', 'a/-b', 'c'].map(toArgument)).toEqual(['./-rf.txt', 'a/-b', 'c'])
})
