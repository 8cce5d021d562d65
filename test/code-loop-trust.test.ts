/**
 * Which parts of a TypeScript loop file are trusted, and what is wrong with files that cannot be
 * loaded.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCodeLoop, openCodeLoop, scanCodeLoop } from '../src/launch/code-loop/index.ts'
import { fixtures, loopText, open, printed, typeOf, writeLoop } from './code-loop-fixture.ts'
import { newFolder, newHost } from './host-fixture.ts'

test('the digest covers the file and every local file that it imports, without running anything', async () => {
  const marker = join(newFolder(), 'ran')
  const files = {
    'loop.ts': `
      import './a.js'
      import type { T } from './only-a-type.ts'
      import { readFileSync } from 'node:fs'
      import { z } from 'zod'
      import data from './data.json' with { type: 'json' }
      readFileSync(${JSON.stringify(marker)})
      export const t = null as unknown as T, later = () => import('./later.ts'), used = [z, data]
    `,
    'a.ts': `export * from './b.mjs'`,
    'b.mjs': `export const b = 1`,
    'later.ts': `export const later: number = 1`,
    'data.json': `{"n": 1}`,
  }
  const path = writeLoop(files)
  const scanned = await scanCodeLoop(path)
  expect(scanned.modules.map((module) => module.path)).toEqual(Object.keys(files).toSorted())
  expect(scanned.packages).toEqual(['node:fs', 'zod'])
  expect(existsSync(marker)).toBe(false)
  const digests = new Set([scanned.digest])
  for (const name of Object.keys(files)) {
    writeFileSync(join(dirname(path), name), `${files[name as keyof typeof files]}\n`)
    digests.add((await scanCodeLoop(path)).digest)
  }
  expect(digests.size).toBe(6)
})

test('no code of an untrusted file runs', async () => {
  const marker = join(newFolder(), 'ran')
  const path = writeLoop({
    'loop.ts': `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')`,
  })
  const asked: string[] = []
  const isTrusted = ({ digest }: { digest: string }): boolean => asked.push(digest) === 0
  await expect(loadCodeLoop(path, { isTrusted })).rejects.toMatchObject({ code: 'not-trusted' })
  expect(asked).toEqual([(await scanCodeLoop(path)).digest])
  expect(existsSync(marker)).toBe(false)
})

test('the code that runs is the code that was read when it was trusted, even if the file changed', async () => {
  const path = writeLoop({
    'loop.ts': loopText(`return await it.step('n', () => n)`, '', `import { n } from './n.ts'`),
    'n.ts': 'export const n = 1',
  })
  const loop = await loadCodeLoop(path, {
    isTrusted() {
      writeFileSync(join(dirname(path), 'n.ts'), 'export const n = 2')
      return true
    },
  })
  try {
    const host = await newHost()
    await (await host.start(typeOf(loop), { input: null, name: 'old' })).done
    expect((await host.inspect('old')).state.progress).toBe(1)
  } finally {
    await loop.close()
  }
})

test.each([
  ['a computed import', `const name = './extra'; return (await import(name + '.ts')).n`],
  [
    'a computed import with a query that looks like a package',
    `const name = './extra.ts?/node_modules/'; return (await import(name)).n`,
  ],
  [
    'a computed import with a fragment that looks like a package',
    `const name = './extra.ts#/node_modules/'; return (await import(name)).n`,
  ],
  [
    'a computed import of data',
    `return (await import('data:text/javascript,export const n = ' + 7)).n`,
  ],
  [
    'require',
    `const { createRequire } = await import('node:module'); return createRequire(import.meta.url)('./extra.cjs')`,
  ],
  [
    'a package of the repository by its own name',
    `const name = 'selfish'; return (await import(name)).n`,
  ],
])('%s of an untrusted file is refused', async (_name, body) => {
  const path = writeLoop({
    'loop.ts': loopText(
      `try { ${body} } catch (error: any) { return { code: error.code, text: String(error.message) } }`,
    ),
    'extra.ts': 'export const n = 7',
    'extra.cjs': 'module.exports = 7',
    'package.json': JSON.stringify({ name: 'selfish', exports: './extra.ts', type: 'module' }),
  })
  const loop = await open(path)
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'untrusted' })).done
  const { text } = (await host.inspect('untrusted')).state.progress as { text: string }
  expect(text).toMatch(/is not part of the trusted loop file|cannot be loaded with require/)
})

test('loading a file that never finishes can be aborted', async () => {
  const path = writeLoop({
    'loop.ts': `console.log('here'); await new Promise(() => setInterval(() => {}, 1000))`,
  })
  const stop = new AbortController()
  const loading = openCodeLoop(await scanCodeLoop(path), {
    signal: stop.signal,
    onLine: () => stop.abort(),
  })
  await expect(loading).rejects.toThrow('aborted')
})

test('a top-level import like that is refused by name', async () => {
  const path = writeLoop({ 'loop.ts': `await import('./ex' + 'tra.ts')`, 'extra.ts': '' })
  await expect(open(path)).rejects.toMatchObject({
    code: 'not-trusted',
    message: expect.stringContaining('extra.ts'),
  })
})

test('packages beside the file are found, and ours if there are none', async () => {
  const path = writeLoop({
    'loop.ts': loopText(
      `return [cjs.n, typeof z.object, typeof createManualClock, it.signal.aborted]`,
      '',
      `import cjs from 'pack'\nimport { z } from 'zod'\nimport * as testing from 'loopwright/testing'\nconst createManualClock = Object.keys(testing).length > 0`,
    ),
  })
  const folder = join(dirname(path), 'node_modules', 'pack')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"main":"./index.js"}')
  writeFileSync(join(folder, 'index.js'), `module.exports = require('./inner.js')`)
  writeFileSync(join(folder, 'inner.js'), `exports.n = 3`)
  const loop = await open(path)
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'packages' })).done
  expect((await host.inspect('packages')).state.progress).toEqual([3, 'function', 'boolean', false])
})

const bad: readonly (readonly [string, string, RegExp])[] = [
  [
    'an enum',
    'const a = 1\nenum B { X }',
    /loop\.ts:2:1: TypeScript enum is not supported\. Write a union/,
  ],
  [
    'a parameter property',
    'class A { constructor(private x: number) {} }',
    /loop\.ts:1:31: .*Declare the field/,
  ],
  ['a syntax error', 'const a: number = 1\nconst b = = 2', /loop\.ts:2:\d+: /],
  [
    'an error of the module grammar',
    'const a = 1\nexport default a\nexport default a',
    /loop\.ts:3/,
  ],
  [
    'an import of nothing',
    `\nimport './gone.ts'`,
    /loop\.ts:2:9: cannot import "\.\/gone\.ts": the file does not exist/,
  ],
  ['an import without its ending', `import './loop'`, /loop\.ts:1:9: .*add its extension, \.ts/],
  [
    'an import from the network',
    `import 'https://example.com/x.js'`,
    /loop\.ts:1:9: .*use a relative path/,
  ],
  ['an import of a private name', `import '#x'`, /loop\.ts:1:9: .*use a relative path/],
  ['a missing package', `import 'no-such-package-at-all'`, /no-such-package-at-all/],
  [
    'a type imported as a value',
    `import { Json } from 'loopwright'\nexport default {}; void Json`,
    /Json.*import type/s,
  ],
  [
    'a throw at the top',
    `const a = 1\nthrow new TypeError('boom')`,
    /loop\.ts:2:7: it threw while loading: TypeError: boom/,
  ],
  ['a throw of nothing', `throw undefined`, /it threw while loading/],
  ['an exit at the top', `process.exit(3)`, /Cannot load.*exit code 3/],
  [
    'no default export',
    `export const a = 1`,
    /has no default export\. Write: export default defineLoop/,
  ],
  [
    'a default export that is not an object',
    `export default 7`,
    /the default export is not an object/,
  ],
]

test.each(bad)('%s is an error with its position and a reason', async (_name, text, message) => {
  await expect(open(writeLoop({ 'loop.ts': text }))).rejects.toMatchObject({
    code: 'bad-loop-file',
    message: expect.stringMatching(message),
  })
})

test('all problems of a default export are reported at once, each by its key', async () => {
  const text = `export default {
    loop: { name: 7, iterate: 1, until: [{ type: 'custom', name: 'x' }, 5, { type: 'max-iteration', iterations: 1 }] },
    until: [], prompt: 'x',
    agent: 7,
    tools: [{ name: 'a b', parameters: 5, risk: 'high' }],
    checks: 5,
    hooks: [{ name: 'h', points: [] }, { name: 'h', points: ['before'], run() {} }],
    gate: {},
    actions: { perform: () => 1 },
    env: ['A B'],
    input: { when: new Date(0) },
    limits: () => 1,
  }`
  const error = await open(writeLoop({ 'loop.ts': text })).catch((cause: Error) => cause)
  const keys = (error as Error).message.split('\n').map((line) => line.split(': ')[1])
  expect(new Set(keys)).toEqual(
    new Set([
      'loop.name',
      'loop.createContext',
      'loop.iterate',
      'loop.extractProgress',
      'loop.until[0].met',
      'loop.until[1]',
      'loop.until[2]',
      'until',
      'prompt',
      'hooks[1].points.0',
      'agent',
      'tools[0].name',
      'tools[0].description',
      'tools[0].parameters',
      'tools[0].risk',
      'tools[0].run',
      'checks',
      'hooks[0].points',
      'hooks[0].run',
      'gate.judge',
      'actions.find',
      'env',
      'input.when',
      'limits',
    ]),
  )
})

test('its code sees a small environment: the variables that it names, and no others', async () => {
  process.env['LOOP_SECRET'] = 'secret'
  process.env['LOOP_NAMED'] = 'named'
  try {
    const text = loopText(
      `return Object.keys(process.env).sort()`,
      `env: ['LOOP_NAMED', 'LOOP_ABSENT']`,
    )
    const loop = await open(writeLoop({ 'loop.ts': text }))
    const host = await newHost()
    await (await host.start(typeOf(loop), { input: null, name: 'env' })).done
    const known = ['HOME', 'LANG', 'LOOPWRIGHT_COMMAND', 'LOOP_NAMED', 'PATH', 'TMPDIR']
    const seen = (await host.inspect('env')).state.progress as string[]
    expect(seen.filter((name) => !known.includes(name))).toEqual([])
    expect(seen).toContain('LOOP_NAMED')
  } finally {
    delete process.env['LOOP_SECRET']
    delete process.env['LOOP_NAMED']
  }
})

test('its output is passed on line by line, without control sequences', async () => {
  const text = loopText(
    `console.log('one\\u001b[2Jtwo'); console.error('three'); process.stdout.write('four'); return 1`,
  )
  const loop = await open(writeLoop({ 'loop.ts': text }))
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null })).done
  await loop.close()
  expect(printed.toSorted()).toEqual(['four', 'one[2Jtwo', 'three'])
})

test('the fixture of the other tests can be trusted as a whole', async () => {
  const { modules, packages } = await scanCodeLoop(join(fixtures, 'whole.ts'))
  expect(modules.map(({ path }) => path)).toEqual(['double.ts', 'whole.ts'])
  expect(packages).toEqual(['loopwright', 'node:fs', 'zod'])
})
