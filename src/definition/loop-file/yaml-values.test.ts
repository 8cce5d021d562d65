import { describe, expect, test } from 'vitest'
import { describeProblem, LoopFileError } from './loop-file-error.ts'
import { parseLoopFile } from './parse-loop-file.ts'

const small = 'prompt: do it\nagent: { command: [agent] }\nchecks: { test: npm test }\n'

/** Each problem as `line:column: path: reason`. */
async function refusal(text: string | Uint8Array): Promise<readonly string[]> {
  const error: unknown = await parseLoopFile(text, 'a.yaml').catch((thrown: unknown) => thrown)
  if (!(error instanceof LoopFileError)) throw new Error('not refused', { cause: error })
  return error.problems.map((one) => describeProblem(one).replace(/^a\.yaml:/, ''))
}

describe('unsupported YAML is refused', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /^1:1: the file: it is empty/],
    ['a file of comments', '# nothing\n', /^1:1: the file: it is empty/],
    ['a list', '- a\n', /^1:1: the file: expected keys and values, found a list$/],
    ['a text', 'hello\n', /^1:1: the file: expected keys and values, found a single value$/],
    ['a duplicate key', `${small}prompt: y\n`, /^4:1: prompt: the key is duplicated: remove one$/],
    ['a second document', `${small}---\na: 1\n`, /^4:1: the file: a second document starts here/],
    [
      'a function',
      `${small}input: { a: !!js/function "x" }`,
      /^4:27: input.a: the tag "!!js\/function" is not allowed/,
    ],
    [
      'a tag of its own',
      `${small}input: !mine { a: 1 }`,
      /^4:14: input: the tag "!mine" is not allowed/,
    ],
    ['a tag on a key', `${small}!x input: {}`, /^4:4: input: a key cannot have a tag or an anchor/],
    [
      'a merge key',
      `${small}input: { <<: { a: 1 } }`,
      /^4:10: input\["<<"\]: merge keys are not allowed/,
    ],
    [
      'a number as a key',
      `${small}input: { 1: x }`,
      /^4:10: input\.1: a key must be text: put "1" in quotes$/,
    ],
    [
      'a list as a key',
      `${small}? [a]\n: x\n`,
      /^4:1: the file: a key that begins with \? is not allowed/,
    ],
    ['no key', `${small}input: { : x }`, /^4:9: input\["\?"\]: the key is missing/],
    [
      '__proto__',
      `${small}input: { __proto__: { a: 1 } }`,
      /^4:10: input.__proto__: this key is not allowed/,
    ],
    ['YAML 1.1', `%YAML 1.1\n---\n${small}`, /^1:1: the file: it declares YAML 1\.1/],
    ['an undefined alias', `${small}input: *a`, /^4:8: input: \*a has no &a before it/],
    [
      'an alias of itself',
      `${small}input: &a { b: *a }`,
      /^4:16: input.b: \*a has no &a before it/,
    ],
    ['a tab', 'agent:\n\tcommand: [a]\n', /^2:1: the file: a tab is used to indent: use spaces$/],
    ['an open bracket', `${small}tools: [read\n`, /^5:1: the file: this is not YAML: /],
    [
      'a NUL',
      `${small}name: a\0b\n`,
      /^4:8: the file: the invisible character U\+0000 is not allowed/,
    ],
    [
      'a NUL that is written as one',
      `${small}description: "a\\0b"\n`,
      /^4:14: description: the text contains a NUL/,
    ],
    [
      'half a character',
      `${small}description: "\\ud800"\n`,
      /^4:14: description: the text contains half a character/,
    ],
    [
      'text that runs backwards',
      `${small}description: a\u202eb\n`,
      /^4:15: the file: the invisible character U\+202E is not allowed/,
    ],
    [
      'a lone carriage return',
      'prompt: x\rname: y',
      /^1:10: the file: the invisible character U\+000D/,
    ],
    [
      'what is not UTF-8',
      Buffer.concat([Buffer.from(`${small}name: \u00e9`), Buffer.from([0xff])]),
      /^4:8: the file: it is not UTF-8: /,
    ],
    [
      'UTF-16',
      Buffer.from(`\ufeff${small}`, 'utf16le'),
      /^1:1: the file: it is not UTF-8 but UTF-16/,
    ],
    [
      'no number',
      `${small}input: { a: .inf }`,
      /^4:13: input.a: the number "\.inf" cannot be represented/,
    ],
    [
      'a number that loses digits',
      `${small}input: { a: 12345678901234567890 }`,
      /^4:13: input.a: the number "12345678901234567890" cannot be represented/,
    ],
    ['over a megabyte', `# ${'x'.repeat(1024 * 1024)}`, /^1:1: the file: it is over 1048576 bytes/],
    [
      'a bomb of aliases',
      bomb(),
      /^\d+:\d+: input\.\w+(\[\d+\])?: with aliases expanded there are over 20000 values/,
    ],
    [
      'lists in lists',
      `${small}input: { a: ${'['.repeat(5000)} }`,
      /^4:76: the file: it is nested over 64 levels deep/,
    ],
    [
      'dashes in dashes',
      `${small}x:\n  ${'- '.repeat(5000)}x`,
      /^5:129: the file: it is nested over 64/,
    ],
    ['dashes below dashes', stairs('- '), /^2:129: the file: it is nested over 64 levels deep/],
    ['a list as a key', `${small}[a]: x\n`, /^4:1: \["\?"\]: a key must be text/],
    ['a colon on its own', `${small}: x\n`, /^4:1: the file: the key is missing/],
    [
      'brackets after brackets that were never open',
      `${']'.repeat(99)}${'['.repeat(5000)}`,
      /64 levels/,
    ],
    ['pairs in pairs', `{ ${'a: '.repeat(5000)}`, /^1:\d+: the file: it is nested over 64/],
    [
      'two keys on a line',
      `${small}description: a: b`,
      /^4:15: the file: .*Put text with ": " in it in quotes/,
    ],
    ['a list on the line of a key', `${small}tools: - read`, /^4:8: the file: .* begin a new line/],
    ['a key on two lines', `${small}description: a\n  b: c`, /^5:4: .* a key must be on one line/],
    [
      'more than anybody writes',
      `x: [${'a, '.repeat(200_000)}]`,
      /^1:\d+: the file: the file is too large/,
    ],
  ])('%s', async (_what, text, problem) => {
    const [first, ...others] = await refusal(text)
    expect(first).toMatch(problem)
    expect(others.length).toBeLessThan(20)
  })
})

function bomb(): string {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0 ? '  a0: &a0 [x]' : `  a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`,
  )
  return `${small}input:\n${levels.join('\n')}\n`
}

// Each of these makes the library exhaust its stack, which can end the whole process.
test.each([
  'a: b\n  c: d\n',
  '@a:b: \n  a:   ',
  'b: \n      \t"x"<<: \n  a: , ',
  '\n  a: b: {}',
  '!t : ?\'b: "\n',
  '"x\n y"<<: ',
  '[a: ',
  '{ "a":',
  '?\n:\n:\n',
  'a:@:  "x\n y"- !t ',
  '- "x\n y"',
  '?\n : \n: x\n',
])('%j repeated many times is refused before it reaches the library', async (part) => {
  const [first = ''] = await refusal(part.repeat(3000))
  expect(first).toMatch(
    /nested over 64|a key must be on one line|on the line of another|begins with \?/,
  )
})

/** Lines that each open sixty levels, the next line below the last of them. */
function stairs(step: string): string {
  const line = step.repeat(60)
  return Array.from({ length: 120 }, (_, row) => ' '.repeat(row * line.length) + line).join('\n')
}
