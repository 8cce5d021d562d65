// The tools that search files and text: what they find, and that they end.

import { closeSync, openSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, openBench } from './fixture.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

describe('list, glob and grep', () => {
  beforeEach(() => {
    bench.put('src/a.ts', 'export const alpha = 1\n')
    bench.put('src/deep/b.ts', 'import { alpha } from "../a.ts"\n// alpha (again)\n')
    bench.put('src/c.md', 'Alpha\n')
    bench.put('.github/ci.yml', 'run: alpha\n')
    bench.put('.git/config', 'alpha\n')
    bench.put('node_modules/x/index.ts', 'alpha\n')
    bench.put('image.bin', Buffer.from('alpha\0'))
    symlinkSync('src/a.ts', join(bench.workspace, 'link.ts'))
  })

  test('list shows what is there', async () => {
    const { output } = await bench.call('list', {})
    expect(output).toBe('.git/\n.github/\nimage.bin\t6\nlink.ts -> src/a.ts\nnode_modules/\nsrc/')
    expect((await bench.call('list', { path: 'src' })).output).toBe('a.ts\t23\nc.md\t6\ndeep/')
    expect((await bench.call('list', { path: 'nope' })).error).toBe('not-found')
  })

  test('glob does not report an empty result for folders that it did not search', async () => {
    bench.put('many/0', '')
    for (let index = 1; index <= 20_000; index++) {
      closeSync(openSync(join(bench.workspace, 'many', String(index)), 'w'))
    }
    const { output } = await bench.call('glob', { pattern: 'many/x*' })
    expect(output).toBe('[No file matches in what was searched, and there is more. Give a path.]')
    expect((await bench.call('glob', { pattern: 'src/x*' })).output).toContain('No file matches')
  })

  test('list is limited', async () => {
    for (let index = 0; index < 1100; index++) bench.put(`many/${index}`, '')
    const { output } = await bench.call('list', { path: 'many' })
    expect(output.split('\n')).toHaveLength(1001)
    expect(output).toContain('[100 more: use glob to narrow it.]')
  })

  test.each([
    ['*.ts', 'link.ts\nsrc/a.ts\nsrc/deep/b.ts'],
    ['src/*.ts', 'src/a.ts'],
    ['./src/**/*.ts', 'src/a.ts\nsrc/deep/b.ts'],
    ['**/*.{md,yml}', '.github/ci.yml\nsrc/c.md'],
    ['src/**', 'src/a.ts\nsrc/c.md\nsrc/deep/b.ts'],
    ['s*c/*e*p/?.*s', 'src/deep/b.ts'],
    ['node_modules/**', 'node_modules/x/index.ts'],
    ['.git/**', '[No file matches.]'],
    ['!src/**', '[No file matches.]'],
    ['[', '[No file matches.]'],
  ])('glob %s', async (pattern, expected) => {
    expect((await bench.call('glob', { pattern })).output).toBe(expected)
  })

  test('glob searches in a folder, and returns paths relative to the workspace', async () => {
    const { output } = await bench.call('glob', { pattern: '*/*.ts', path: 'src' })
    expect(output).toBe('src/deep/b.ts')
  })

  test('grep finds lines by expression or text, and only in the requested files', async () => {
    const all = await bench.call('grep', { pattern: 'alpha\\b.*(1|again)' })
    expect(all.output).toBe('src/a.ts:1: export const alpha = 1\nsrc/deep/b.ts:2: // alpha (again)')
    const literal = await bench.call('grep', { pattern: '(again)', literal: true })
    expect(literal.output).toBe('src/deep/b.ts:2: // alpha (again)')
    const any = await bench.call('grep', {
      pattern: 'ALPHA',
      ignoreCase: true,
      include: '*.{md,yml}',
    })
    expect(any.output).toBe('.github/ci.yml:1: run: alpha\nsrc/c.md:1: Alpha')
    const inline = await bench.call('grep', { pattern: '(?i)^ALPHA$' })
    expect(inline.output).toBe('src/c.md:1: Alpha')
    const file = await bench.call('grep', { pattern: 'alpha', path: 'src/a.ts' })
    expect(file.output).toBe('src/a.ts:1: export const alpha = 1')
    const none = await bench.call('grep', { pattern: 'omega' })
    expect(none).toMatchObject({ ok: true, output: '[No line matches in 5 files.]' })
  })

  test('grep limits the number of results, and shows the match of a long line', async () => {
    bench.put('many.txt', 'hit\n'.repeat(500))
    const many = await bench.call('grep', { pattern: 'hit' })
    expect(many.output.split('\n')).toHaveLength(51)
    expect(many.output).toContain('[More than 50 lines match')
    bench.put('long.txt', `${'x'.repeat(2000)}needle${'y'.repeat(1000)}\n`)
    const { output } = await bench.call('grep', { pattern: 'needle' })
    expect(output).toMatch(/^long\.txt:1: …x+needley+…$/)
    expect(output.length).toBeLessThan(350)
  })

  test('an invalid expression is explained', async () => {
    const result = await bench.call('grep', { pattern: '(' })
    expect(result).toMatchObject({ ok: false, error: 'bad-pattern' })
    expect(result.output).toContain('Set literal')
  })

  test.each([
    ['grep', { pattern: '(a+)+$' }],
    ['grep', { pattern: '(a|a)*b' }],
    ['grep', { pattern: '(a|a)'.repeat(60).concat('b') }],
    ['glob', { pattern: '*a*a*a*a*a*a*a*a*a*a*a*b' }],
    ['grep', { pattern: 'x', include: '*a*a*a*a*a*a*a*a*a*a*a*b' }],
    ['glob', { pattern: `${'{,a}'.repeat(100)}b` }],
    ['glob', { pattern: `${'[a]+'.repeat(50)}b` }],
  ])('%s cannot be frozen by %j', async (tool, args) => {
    const hasty = openBench([], { patternMs: 300 })
    hasty.put('slow.txt', `${'a'.repeat(3000)}!\n`)
    hasty.put('a'.repeat(250), 'x')
    let beats = 0
    const beating = setInterval(() => beats++, 10)
    const result = await hasty.call(tool, args)
    clearInterval(beating)
    hasty.close()
    expect(result).toMatchObject({ ok: false, error: 'timeout' })
    expect(beats).toBeGreaterThan(1)
  })

  test.each(['a/\\\\\\\\', '\\'.repeat(499), `**/${'\\'.repeat(5)}`, `a${'\\'.repeat(4)}/*`])(
    'a pattern of backslashes ends: %j',
    async (pattern) => {
      bench.put('a/b.txt', 'x')
      expect(await bench.call('glob', { pattern })).toEqual({
        ok: true,
        output: '[No file matches.]',
      })
      const { ok } = await bench.call('grep', { pattern: 'x', include: pattern })
      expect(ok).toBe(true)
    },
  )

  test('a pattern that can be slow on long paths runs in a separate thread within its time limit', async () => {
    const hasty = openBench([], { patternMs: 1 })
    hasty.put('a/x/b/c.txt', '')
    const slow = await hasty.call('glob', { pattern: '**/x/**/zz' })
    const quick = await hasty.call('glob', { pattern: '**/*.txt' })
    hasty.close()
    expect(slow).toMatchObject({ ok: false, error: 'timeout' })
    expect(quick).toEqual({ ok: true, output: 'a/x/b/c.txt' })
  })
})
