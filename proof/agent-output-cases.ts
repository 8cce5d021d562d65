/** What an agent program might print: recorded lines, spoilt as pipes, crashes and enemies spoil them. */

import type { SeededRandom } from '#src/testing/seeded-random.ts'

export interface OutputCase {
  readonly exitCode: number | undefined
  readonly chunks: Iterable<{ readonly bytes: Uint8Array; readonly stream: 'stdout' | 'stderr' }>
  /** Nothing in it says that the work is done. */
  readonly isWithoutEnd: boolean
}

/** Recorded outputs of one program, as lines. */
export type Recordings = readonly (readonly string[])[]

const chunkBytes = 64 * 1024
const hugeBytes = 50 * 1024 * 1024

export function outputCase(
  random: SeededRandom,
  recordings: Recordings,
  isEnd: (line: string) => boolean,
): OutputCase {
  const isWithoutEnd = random.chance(0.3)
  const whole = random.pick(recordings)
  const kept = isWithoutEnd ? whole.filter((line) => !isEnd(line)) : whole
  const others = isWithoutEnd ? [] : recordings
  let lines = [...kept]
  for (let changes = random.between(0, 5); changes > 0; changes--) {
    lines = random.pick(changesOfLines)(random, lines, others)
  }
  const bytes = spoilt(random, Buffer.from(lines.join(random.pick(lineEnds))))
  const exitCode = random.pick([0, 0, 0, 1, 143, 255, undefined])
  return { exitCode, chunks: inChunks(random, bytes), isWithoutEnd }
}

/** One line of 50 MB, and after it what came before. */
export function hugeCase(random: SeededRandom, recordings: Recordings): OutputCase {
  const lines = random.pick(recordings)
  const filler = Buffer.alloc(chunkBytes, random.pick(['x', '[', '{"a":', '\0', '\\']))
  function* chunks(): OutputCase['chunks'] {
    const beginning = random.pick(['{"type":"assistant","text":"', '', '{'])
    yield { bytes: Buffer.from(beginning), stream: 'stdout' }
    for (let sent = 0; sent < hugeBytes; sent += chunkBytes)
      yield { bytes: filler, stream: 'stdout' }
    yield { bytes: Buffer.from(`"}\n${lines.join('\n')}\n`), stream: 'stdout' }
  }
  return { exitCode: 0, chunks: chunks(), isWithoutEnd: false }
}

const lineEnds = ['\n', '\n', '\n', '\r\n', '\n\n', '\n\0\n']

type Change = (random: SeededRandom, lines: string[], others: Recordings) => string[]

const changesOfLines: readonly Change[] = [
  // Cut off.
  (random, lines) => lines.slice(0, random.between(0, lines.length)),
  (random, lines) =>
    changed(random, lines, (line) => line.slice(0, random.between(0, line.length))),
  (random, lines) => changed(random, lines, (line) => line.slice(random.between(0, line.length))),
  // In another order, twice, or of another run.
  (random, lines) => lines.toSorted(() => random.next() - 0.5),
  (random, lines) => [...lines, ...lines.slice(random.between(0, lines.length))],
  (random, lines, others) => [...lines, ...(others.length === 0 ? [] : random.pick(others))],
  // Two writers at once.
  (random, lines) => changed(random, lines, (line) => line + random.pick(lines)),
  (random, lines) => inserted(random, lines, random.pick(strangers)),
  (random, lines) => changed(random, lines, (line) => withValue(random, line)),
  (random, lines) => changed(random, lines, (line) => withoutMember(random, line)),
  (random, lines) => inserted(random, lines, nested(random)),
]

const strangers = [
  '',
  '\0\0\0',
  'Reading additional input from stdin...',
  '(node:1) Warning: something',
  '{"type":"new_kind","of":{"event":[1,2,{"x":null}]}}',
  '{"type":null}',
  '{"type":{"toString":1}}',
  '{"type":"__proto__"}',
  '{"__proto__":{"type":"result"}}',
  '{"type":"constructor"}',
  '[]',
  'null',
  '"result"',
  '{"type":"assistant"}',
  '{"type":"assistant","message":{"content":[null,1,"x",{"type":"text"},{"type":"tool_use"}]}}',
  '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":{}}]}}',
  '{"type":"item.completed","item":[]}',
  '{"type":"item.completed","item":{"type":"file_change","changes":{"length":4}}}',
  '{"type":"error"}',
  '{"type":"text","part":null}',
  '{"type":"tool_use","part":{"tool":1,"state":"x"}}',
  '{"type":"step_finish","part":[]}',
  '{"type":"message","role":"assistant","content":{"length":1e9}}',
  '\u001b[31m{"type":"result"}\u001b[0m',
  '\ufeff{"type":"system"}',
]

const values = [
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '9'.repeat(400),
  '""',
  '"\\u0000\\ud800"',
  `"${'x'.repeat(5000)}"`,
  '[]',
  '{}',
  '[[[[]]]]',
  '{"length":-1}',
]

function changed(
  random: SeededRandom,
  lines: string[],
  change: (line: string) => string,
): string[] {
  if (lines.length === 0) return lines
  const at = random.between(0, lines.length - 1)
  return lines.with(at, change(lines[at] ?? ''))
}

function inserted(random: SeededRandom, lines: string[], line: string): string[] {
  return lines.toSpliced(random.between(0, lines.length), 0, line)
}

/** Puts something else where a value was. */
function withValue(random: SeededRandom, line: string): string {
  const places = [...line.matchAll(/:("(?:[^"\\]|\\.)*"|true|false|null|-?\d+)/g)]
  if (places.length === 0) return line
  const { index, 0: old } = random.pick(places)
  return `${line.slice(0, index)}:${random.pick(values)}${line.slice(index + old.length)}`
}

function withoutMember(random: SeededRandom, line: string): string {
  const places = [...line.matchAll(/"[a-z_]+":("(?:[^"\\]|\\.)*"|true|false|null|-?\d+),/g)]
  if (places.length === 0) return line
  const { index, 0: old } = random.pick(places)
  return `${line.slice(0, index)}${line.slice(index + old.length)}`
}

function nested(random: SeededRandom): string {
  const depth = random.chance(0.02) ? 500_000 : random.between(1, 3000)
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
  const inner = `${open.repeat(depth)}1${random.chance(0.5) ? close.repeat(depth) : ''}`
  return `{"type":"assistant","message":{"content":${inner}}}`
}

function spoilt(random: SeededRandom, bytes: Buffer): Buffer {
  if (bytes.length === 0 || !random.chance(0.2)) return bytes
  for (let flips = random.between(1, 8); flips > 0; flips--) {
    bytes[random.between(0, bytes.length - 1)] = random.between(0, 255)
  }
  return bytes
}

/** With some of standard error in between. */
function* inChunks(random: SeededRandom, bytes: Buffer): OutputCase['chunks'] {
  const sizeMax = random.pick([1, 7, 200, 4096, chunkBytes])
  for (let from = 0; from < bytes.length; ) {
    // One byte at a time is only for the short ones.
    const size = bytes.length > 20_000 ? chunkBytes : random.between(1, sizeMax)
    yield { bytes: bytes.subarray(from, from + size), stream: 'stdout' }
    from += size
    if (random.chance(0.02)) {
      yield { bytes: bytes.subarray(0, Math.min(from, 300)), stream: 'stderr' }
    }
  }
}
