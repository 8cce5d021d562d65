// The built-in tools: what they return, and what they refuse and why.

import { linkSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, openBench } from './fixture.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

describe('read', () => {
  test('returns lines with their numbers', async () => {
    bench.put('a.txt', 'one\ntwo\r\n\nfour')
    const { ok, output } = await bench.call('read', { path: 'a.txt' })
    expect(ok).toBe(true)
    expect(output).toBe('1\tone\n2\ttwo\n3\t\n4\tfour\n[End of file.]')
  })

  test('returns a part, and says how to continue', async () => {
    bench.put('a.txt', lines(5000))
    const first = await bench.call('read', { path: 'a.txt' })
    expect(first.output).toMatch(/^1\tline 1\n/)
    expect(first.output).toMatch(
      /2000\tline 2000\n\[More lines follow: read again with offset 2001\.\]$/,
    )
    const part = await bench.call('read', { path: 'a.txt', offset: 4000, limit: 2 })
    expect(part.output).toBe(
      '4000\tline 4000\n4001\tline 4001\n[More lines follow: read again with offset 4002.]',
    )
    const end = await bench.call('read', { path: 'a.txt', offset: 5000 })
    expect(end.output).toBe('5000\tline 5000\n[End of file.]')
    const after = await bench.call('read', { path: 'a.txt', offset: 5001 })
    expect(after.output).toBe('[The file has no line 5001.]')
  })

  test('cuts long lines and long output between characters', async () => {
    bench.put('wide.txt', `${'é'.repeat(3000)}\n`.repeat(100))
    const { output, spilled } = await bench.call('read', { path: 'wide.txt' })
    expect(output).toMatch(/^1\té{1000}… \[4000 more bytes in this line\]\n/)
    expect(output).toMatch(/\[More lines follow: read again with offset \d+\.\]$/)
    expect(output.length).toBeLessThan(85_000)
    expect(spilled).toBeUndefined()
  })

  test('reads files of any size in limited memory', async () => {
    bench.put('big.txt', `${'x'.repeat(99)}\n`.repeat(500_000))
    const { output } = await bench.call('read', { path: 'big.txt', offset: 499_999 })
    expect(output).toMatch(/^499999\tx{99}\n500000\tx{99}\n\[End of file\.\]$/)
    bench.put('one-line.txt', 'y'.repeat(20_000_000))
    const one = await bench.call('read', { path: 'one-line.txt' })
    expect(one.output).toBe(
      `1\t${'y'.repeat(2000)}… [19998000 more bytes in this line]\n[End of file.]`,
    )
  })

  test('reports empty files and binary files', async () => {
    bench.put('empty.txt', '')
    expect((await bench.call('read', { path: 'empty.txt' })).output).toBe('[The file is empty.]')
    bench.put('image.png', Buffer.from([137, 80, 78, 71, 0, 1, 2]))
    const binary = await bench.call('read', { path: 'image.png' })
    expect(binary).toMatchObject({ ok: false, error: 'binary-file' })
    expect(binary.output).toContain('"image.png" is not a text file (7 bytes)')
  })

  test('follows links that stay inside, and absolute paths', async () => {
    bench.put('sub/a.txt', 'content')
    symlinkSync('sub', join(bench.workspace, 'link'))
    symlinkSync(join(bench.workspace, 'sub/a.txt'), join(bench.workspace, 'absolute'))
    for (const path of [
      'link/a.txt',
      'absolute',
      join(bench.workspace, 'sub/a.txt'),
      'link/../sub/a.txt',
    ]) {
      expect((await bench.call('read', { path })).output).toContain('1\tcontent')
    }
  })

  test('without a workspace reports so', async () => {
    const result = await bench.call('read', { path: 'a.txt' }, { workspace: undefined })
    expect(result).toMatchObject({ ok: false, error: 'no-workspace' })
    const gone = await bench.call('read', { path: 'a.txt' }, { workspace: '/nonexistent/w' })
    expect(gone).toMatchObject({ ok: false, error: 'no-workspace' })
  })
})

describe('write', () => {
  test('creates a file with its folders', async () => {
    const result = await bench.call('write', { path: 'new/deep/a.txt', content: 'hé\n' })
    expect(result).toEqual({ ok: true, output: 'Wrote new/deep/a.txt: 4 bytes, a new file.' })
    expect(bench.get('new/deep/a.txt')).toBe('hé\n')
  })

  test('replaces a file only after it was read in this iteration', async () => {
    bench.put('a.txt', 'old')
    const blind = await bench.call('write', { path: 'a.txt', content: 'new' })
    expect(blind).toMatchObject({ ok: false, error: 'not-read' })
    expect(bench.get('a.txt')).toBe('old')
    await bench.call('read', { path: 'a.txt' })
    const later = await bench.call('write', { path: 'a.txt', content: 'new' }, { iteration: 2 })
    expect(later).toMatchObject({ ok: false, error: 'not-read' })
    await bench.call('read', { path: './a.txt' }, { iteration: 2 })
    const seen = await bench.call('write', { path: 'a.txt', content: 'new' }, { iteration: 2 })
    expect(seen).toMatchObject({ ok: true })
    const again = await bench.call('write', { path: 'a.txt', content: 'newer' }, { iteration: 2 })
    expect(again).toMatchObject({ ok: true })
    expect(bench.get('a.txt')).toBe('newer')
  })

  test('refuses a file that changed since it was read', async () => {
    bench.put('a.txt', 'old')
    await bench.call('read', { path: 'a.txt' })
    writeFileSync(join(bench.workspace, 'a.txt'), 'other')
    const result = await bench.call('write', { path: 'a.txt', content: 'new' })
    expect(result).toMatchObject({ ok: false, error: 'changed' })
    expect(bench.get('a.txt')).toBe('other')
  })

  test('detects a change that left size and time unchanged', async () => {
    bench.put('a.txt', 'old')
    const path = join(bench.workspace, 'a.txt')
    await bench.call('read', { path: 'a.txt' })
    const { atime, mtime } = statSync(path)
    writeFileSync(path, 'odd')
    utimesSync(path, atime, mtime)
    const result = await bench.call('edit', { path: 'a.txt', old: 'o', new: 'x' })
    expect(result).toMatchObject({ ok: false, error: 'changed' })
  })

  test('leaves other names of the file unchanged', async () => {
    linkSync(join(bench.outside, 'secret.txt'), join(bench.workspace, 'linked.txt'))
    const before = readFileSync(join(bench.outside, 'secret.txt'), 'utf8')
    await bench.call('read', { path: 'linked.txt' })
    await bench.call('write', { path: 'linked.txt', content: 'mine' })
    await bench.call('edit', { path: 'linked.txt', old: 'mine', new: 'ours' })
    expect(bench.get('linked.txt')).toBe('ours')
    expect(readFileSync(join(bench.outside, 'secret.txt'), 'utf8')).toBe(before)
  })

  test('through a link inside changes the target', async () => {
    bench.put('sub/a.txt', 'old')
    symlinkSync('sub/a.txt', join(bench.workspace, 'link'))
    symlinkSync('sub/made.txt', join(bench.workspace, 'dangling'))
    await bench.call('read', { path: 'link' })
    expect(await bench.call('write', { path: 'link', content: 'new' })).toMatchObject({ ok: true })
    expect(await bench.call('write', { path: 'dangling', content: 'x' })).toMatchObject({
      ok: true,
    })
    expect(bench.get('sub/a.txt')).toBe('new')
    expect(bench.get('sub/made.txt')).toBe('x')
  })

  test('keeps the execute permission of a file, and leaves nothing else behind', async () => {
    bench.put('run.sh', 'old')
    const path = join(bench.workspace, 'run.sh')
    await bench.call('run', { command: 'chmod 4751 run.sh' })
    await bench.call('read', { path: 'run.sh' })
    await bench.call('write', { path: 'run.sh', content: 'new' })
    expect(statSync(path).mode & 0o7777).toBe(0o751)
    expect((await bench.call('list', {})).output).toBe('run.sh\t3')
  })
})

describe('edit', () => {
  const edit = (change: object): ReturnType<Bench['call']> =>
    bench.call('edit', { path: 'a.txt', ...change })

  test('needs a read in the same iteration', async () => {
    bench.put('a.txt', 'one')
    expect(await edit({ old: 'one', new: 'two' })).toMatchObject({ ok: false, error: 'not-read' })
    await bench.call('read', { path: 'a.txt' })
    expect(await edit({ old: 'one', new: 'two' })).toMatchObject({
      ok: true,
      output: 'Edited a.txt, line 1.',
    })
    expect(bench.get('a.txt')).toBe('two')
  })

  test('needs a unique occurrence, and counts them', async () => {
    bench.put('a.txt', 'x = 1\ny = 1\nz = 2\n')
    await bench.call('read', { path: 'a.txt' })
    const many = await edit({ old: '= 1', new: '= 3' })
    expect(many).toMatchObject({ ok: false, error: 'not-unique' })
    expect(many.output).toContain('2 times (lines 1, 2)')
    const all = await edit({ old: '= 1', new: '= 3', replaceAll: true })
    expect(all.output).toBe('Edited a.txt: 2 places, from line 1 on.')
    expect(bench.get('a.txt')).toBe('x = 3\ny = 3\nz = 2\n')
  })

  test('reports a text that is missing, and where it nearly matches', async () => {
    bench.put('a.txt', 'if (a) {\n    work()\n}\n')
    await bench.call('read', { path: 'a.txt' })
    const near = await edit({ old: '  work();\n}', new: 'x' })
    expect(near).toMatchObject({ ok: false, error: 'no-match' })
    const indented = await edit({ old: '\twork()', new: 'x' })
    expect(indented.output).toContain('near line 2')
    expect(await edit({ old: 'a', new: 'a' })).toMatchObject({ ok: false, error: 'no-change' })
    expect(bench.get('a.txt')).toBe('if (a) {\n    work()\n}\n')
  })

  test('takes texts literally', async () => {
    bench.put('a.txt', 'cost: $1 .*\n')
    await bench.call('read', { path: 'a.txt' })
    await edit({ old: '$1 .*', new: "$& $' $$ \\1" })
    expect(bench.get('a.txt')).toBe("cost: $& $' $$ \\1\n")
  })

  test('keeps line endings and the byte order mark', async () => {
    bench.put('a.txt', '\ufeffone\r\ntwo\r\nthree\r\n')
    await bench.call('read', { path: 'a.txt' })
    expect(await edit({ old: 'one\ntwo', new: '1\n2' })).toMatchObject({ ok: true })
    expect(bench.get('a.txt')).toBe('\ufeff1\r\n2\r\nthree\r\n')
  })

  test('does not touch what it could not write back', async () => {
    const bytes = Buffer.from([0x61, 0xff, 0xfe, 0x62])
    bench.put('a.txt', bytes)
    await bench.call('read', { path: 'a.txt' })
    expect(await edit({ old: 'a', new: 'c' })).toMatchObject({ ok: false, error: 'binary-file' })
    expect(readFileSync(join(bench.workspace, 'a.txt')).equals(bytes)).toBe(true)
  })

  test('does not grow a file endlessly', async () => {
    bench.put('a.txt', 'a'.repeat(1_000_000))
    await bench.call('read', { path: 'a.txt' })
    const result = await edit({ old: 'a', new: 'b'.repeat(100_000), replaceAll: true })
    expect(result).toMatchObject({ ok: false, error: 'too-large' })
    bench.put('a.txt', 'a'.repeat(10_000_001))
    await bench.call('read', { path: 'a.txt' })
    expect(await edit({ old: 'a', new: 'b' })).toMatchObject({ ok: false, error: 'too-large' })
  })
})

describe('after a crash', () => {
  test.each([
    ['read', { path: './a.txt' }],
    ['write', { path: 'a.txt', content: 'old' }],
    ['edit', { path: 'sub/../a.txt', old: 'o', new: 'old' }],
  ])('a replayed %s counts as having read the file', async (tool, args) => {
    bench.put('a.txt', 'old')
    const done = { ok: true, output: '' }
    const at = { iteration: 1, workspace: bench.workspace }
    bench.tools.replayed?.(tool, args, { ...done, ok: false, error: 'x' }, at)
    const edit = { path: 'a.txt', old: 'old', new: 'new' }
    expect(await bench.call('edit', edit)).toMatchObject({ ok: false, error: 'not-read' })
    bench.tools.replayed?.(tool, args, done, at)
    expect(await bench.call('edit', edit, { iteration: 2 })).toMatchObject({ error: 'not-read' })
    expect(await bench.call('edit', edit)).toMatchObject({ ok: true })
  })

  test('a file that was read by its absolute path can be edited', async () => {
    bench.put('sub/a.txt', 'old')
    const args = { path: join(bench.workspace, 'sub/a.txt') }
    const at = { iteration: 1, workspace: bench.workspace }
    bench.tools.replayed?.('read', args, { ok: true, output: '' }, at)
    const edit = { path: 'sub/a.txt', old: 'old', new: 'new' }
    expect(await bench.call('edit', edit)).toMatchObject({ ok: true })
  })

  test('odd replays do no harm', async () => {
    const at = { iteration: 1, workspace: bench.workspace }
    for (const args of [
      null,
      5,
      [],
      {},
      { path: 5 },
      { path: '../x' },
      { path: '/' },
      { path: join(bench.outside, 'x') },
      { path: '@output/1.txt' },
    ]) {
      bench.tools.replayed?.('read', args, { ok: true, output: '' }, at)
    }
    bench.put('x', '')
    expect(await bench.call('write', { path: 'x', content: '' })).toMatchObject({
      error: 'not-read',
    })
  })
})
