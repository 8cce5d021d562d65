/** Ways to spoil a loop file, as people, editors, merges and enemies do. */

import type { SeededRandom } from '#src/testing/seeded-random.ts'

type Mutation = (random: SeededRandom, text: string, other: string) => string

/** One to four changes. Bytes that are no text any more are among them. */
export function mutate(random: SeededRandom, seeds: readonly string[]): Uint8Array {
  let text = random.pick(seeds)
  for (let changes = random.between(1, 4); changes > 0; changes--) {
    text = random.pick(mutations)(random, text, random.pick(seeds))
  }
  const bytes = Buffer.from(text)
  return random.chance(0.15) ? flipBytes(random, bytes) : bytes
}

function flipBytes(random: SeededRandom, bytes: Buffer): Uint8Array {
  if (bytes.length === 0) return bytes
  for (let flips = random.between(1, 6); flips > 0; flips--) {
    const at = random.between(0, bytes.length - 1)
    bytes[at] = random.between(0, 255)
  }
  return bytes
}

const splices = [
  '---\n',
  '...\n',
  '%YAML 1.1\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  '&a ',
  '*a',
  '*command',
  '&command ',
  '!!js/function "f" ',
  '!!binary aGk= ',
  '!!set { a, b } ',
  '!!timestamp ',
  '!mine ',
  '<<: *checks\n',
  '? ',
  '? [a, b]\n: c\n',
  ': ',
  '- ',
  '|\n',
  '>+9\n',
  '|2-\n',
  '"',
  "'",
  '"\\x00"',
  '"\\ud800"',
  '"\\q"',
  '{',
  '}',
  '[',
  ']',
  ',',
  '\t',
  '\r',
  '\r\n',
  '\0',
  '\ufeff',
  '\u202e',
  '\u2028',
  '\u0085',
  '\ud83d\ude00',
  'e\u0301',
  '#',
  ' #',
  '@',
  '`',
  '__proto__: { polluted: 1 }\n',
  'constructor: 1\n',
  'toString: x\n',
  '.inf',
  '.nan',
  '-0',
  '0x1F',
  '1e999',
  '12345678901234567890',
  '~',
  '{{ a.b }}',
  '{% raw %}',
]

const values = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '""',
  'text',
  '[]',
  '{}',
  '[[]]',
  '{ a: 1 }',
  '[null]',
  '2h',
  '2020-01-01T00:00:00Z',
  '99999999d',
  '!!str x',
  '"a\\nb"',
]

const place = (random: SeededRandom, text: string): number => random.between(0, text.length)

function insertAt(text: string, at: number, part: string): string {
  return text.slice(0, at) + part + text.slice(at)
}

function span(random: SeededRandom, text: string, charsMax: number): [number, number] {
  const from = place(random, text)
  return [from, Math.min(text.length, from + random.between(1, charsMax))]
}

const lines: (change: (random: SeededRandom, all: string[], other: string[]) => void) => Mutation =
  (change) => (random, text, other) => {
    const all = text.split('\n')
    change(random, all, other.split('\n'))
    return all.join('\n')
  }

/** Replaces one of the matches. */
function replaceOne(
  random: SeededRandom,
  text: string,
  pattern: RegExp,
  by: (found: string) => string,
): string {
  const matches = [...text.matchAll(pattern)]
  if (matches.length === 0) return text
  const match = random.pick(matches)
  return text.slice(0, match.index) + by(match[0]) + text.slice(match.index + match[0].length)
}

const mutations: readonly Mutation[] = [
  (random, text) => insertAt(text, place(random, text), random.pick(splices)),
  // At the beginning of a line it is more likely to mean something.
  lines((random, all) => {
    const at = random.between(0, all.length - 1)
    all[at] = ' '.repeat(random.between(0, 4)) + random.pick(splices) + (all[at] ?? '')
  }),
  (random, text) => {
    const [from, to] = span(random, text, 30)
    return text.slice(0, from) + text.slice(to)
  },
  (random, text) => {
    const [from, to] = span(random, text, 200)
    return insertAt(text, place(random, text), text.slice(from, to))
  },
  (random, text, other) => {
    const [from, to] = span(random, other, 300)
    return insertAt(text, place(random, text), other.slice(from, to))
  },
  (random, text) => text.slice(0, place(random, text)),
  lines((random, all) => void all.splice(random.between(0, all.length - 1), 1)),
  lines((random, all) => {
    const at = random.between(0, all.length - 1)
    all.splice(at, 0, all[at] ?? '')
  }),
  lines((random, all) => {
    const [a, b] = [random.between(0, all.length - 1), random.between(0, all.length - 1)]
    ;[all[a], all[b]] = [all[b] ?? '', all[a] ?? '']
  }),
  lines((random, all, other) => {
    all.splice(random.between(0, all.length - 1), 0, random.pick(other))
  }),
  lines((random, all) => {
    const at = random.between(0, all.length - 1)
    const line = all[at] ?? ''
    all[at] = random.chance(0.5)
      ? line.replace(/^ {1,2}/, '')
      : random.pick([' ', '\t', '    ']) + line
  }),
  // A key by another name, and a value of another type.
  (random, text) => replaceOne(random, text, /\b\w+(?=\s*:)/g, (name) => misspelt(random, name)),
  (random, text) => replaceOne(random, text, /: [^\n]*/g, () => `: ${random.pick(values)}`),
  (random, text) => replaceOne(random, text, /(?<=[:[,] )[\w./-]+/g, () => random.pick(values)),
  (random, text) => {
    const words = [...text.matchAll(/[\w-]+/g)].map(([word]) => word)
    return replaceOne(random, text, /[\w-]+/g, () => random.pick(words.length > 0 ? words : ['x']))
  },
  (random, text) =>
    replaceOne(random, text, /: [^\n]*/g, () => {
      const depth = random.pick([3, 30, 70, 300, 3000])
      const [left, right] = random.pick([
        ['[', ']'],
        ['{ a: ', '}'],
        ['- ', ''],
        ['"', '"'],
      ] as const)
      return `: ${left.repeat(depth)}x${random.chance(0.7) ? right.repeat(depth) : ''}`
    }),
  (random, text) =>
    replaceOne(random, text, /[\w.]+/g, (word) => word.repeat(random.pick([2, 50, 3000]))),
  (random, text) =>
    `${text}\ninput:\n  a: &a [${'x, '.repeat(random.between(1, 50))}]\n` +
    Array.from({ length: random.between(1, 9) }, () => `  b: &a [${'*a, '.repeat(9)}]\n`).join(''),
  (random, text) => (random.chance(0.5) ? text.replaceAll('\n', '\r\n') : `\ufeff${text}`),
  (random, text) => text.replaceAll('  ', random.pick(['\t', ' ', '   '])),
]

function misspelt(random: SeededRandom, name: string): string {
  const at = random.between(0, name.length - 1)
  switch (random.between(0, 4)) {
    case 0:
      return name.slice(0, at) + name.slice(at + 1)
    case 1:
      return insertAt(name, at, random.pick(['x', '_', '-', '.', ' ']))
    case 2:
      return name.toUpperCase()
    case 3:
      return random.pick(['loop', 'prompt', 'agent', 'run', 'type', 'of', '__proto__', '1', 'null'])
    default:
      return name.slice(0, at) + name.slice(at).split('').toReversed().join('')
  }
}
