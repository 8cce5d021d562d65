import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Line, readLines } from './read-lines.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-lines-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal

async function read(content: string, first = 1, bytesMax = 1000): Promise<readonly Line[]> {
  const path = join(folder, 'file')
  await writeFile(path, content)
  const handle = await open(path)
  const found: Line[] = []
  try {
    for await (const lines of readLines(handle, first, bytesMax, never)) found.push(...lines)
  } finally {
    await handle.close()
  }
  return found
}

test.each([
  ['', []],
  ['\n', ['']],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\n', ['a', '']],
  ['\n\na', ['', '', 'a']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\rb', ['a\rb']],
  ['é\n✓', ['é', '✓']],
])('%j has these lines: %j', async (content, expected) => {
  const lines = await read(content)
  expect(lines.map(({ text }) => text)).toEqual(expected)
  expect(lines.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1))
})

test('lines are the same wherever the reads of the file end and start', async () => {
  const line = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constant('é'.repeat(40_000)),
    fc.constant('x'.repeat(65_535)),
    fc.constant('y'.repeat(65_536)),
    fc.constant('z'.repeat(131_072)),
  )
  const texts = fc.array(
    line.map((text) => text.replaceAll(/[\r\n]/g, '')),
    { minLength: 1, maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 10 }), async (expected, first) => {
      const lines = await read(`${expected.join('\n')}\n`, first, 200_000)
      expect(lines.map(({ text }) => text)).toEqual(expected.slice(first - 1))
      expect(lines.map(({ number }) => number)).toEqual(
        expected.map((_, index) => index + 1).slice(first - 1),
      )
    }),
    { numRuns: 60 },
  )
})

test('a long line is cut between characters, and the rest is counted', async () => {
  const [first, second] = await read(`${'é'.repeat(100_000)}\nnext`, 1, 101)
  expect(first).toEqual({ number: 1, text: 'é'.repeat(50), cutBytes: 199_899 })
  expect(second).toEqual({ number: 2, text: 'next', cutBytes: 0 })
})
