// Commands run with an overlay over a checkout: they never write to it, and all their writes are known.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TreeId } from '../../src/loop/index.ts'
import { findOpaqueFolders, openSandbox } from '../../src/sandbox/index.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'
import {
  createDirectoryWorkspace,
  type OpenedCheckout,
  openCheckout,
} from '../../src/workspace/index.ts'

const initial = { 'a.js': 'a\n', 'src/b.js': 'b\n', 'src/deep/c.js': 'c\n', 'build/tool.js': 't\n' }

let top: string
let checkout: OpenedCheckout
let tree: TreeId

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'loopwright-checkout-'))
  const [work, folder] = [join(top, 'work'), join(top, 'clean')]
  mkdirSync(folder)
  for (const [path, content] of Object.entries(initial)) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), content)
  }
  const blobs = memoryBlobs()
  tree = await createDirectoryWorkspace({ path: work, blobs }).snapshot()
  checkout = await openCheckout({
    folder,
    tree,
    blobs,
    isOverlaid: true,
    findOpaque: findOpaqueFolders,
  })
})
afterEach(async () => {
  await checkout.remove()
  rmSync(top, { recursive: true })
})

async function run(script: string): Promise<string> {
  const { path, overlayFolder = '' } = checkout
  const place = { workspace: path, workspaceOverlay: { folder: overlayFolder } }
  const command = { program: 'sh', args: ['-ec', script], timeoutMs: 20_000 }
  const result = await (await openSandbox())
    .commands(place)
    .run(command, new AbortController().signal)
  expect(result.stderr).toBe('')
  return result.stdout
}

const isClean = (): boolean =>
  Object.entries(initial).every(
    ([path, content]) => readFileSync(join(checkout.path, path), 'utf8') === content,
  ) && readdirSync(checkout.path).toSorted().join(' ') === 'a.js build src'

test('all writes are listed, changes of the tree separately, and a reset discards them', async () => {
  expect(await checkout.writes?.()).toEqual([])
  await run('cp -p a.js /tmp/a; echo evil > a.js; cp -p /tmp/a a.js; mkdir out; echo 1 > out/x')
  expect(await checkout.writes?.()).toEqual(['a.js', 'out/x'])
  expect(await checkout.written()).toEqual([])
  await run('echo evil > a.js; rm src/b.js; rm -r build')
  expect(await checkout.writes?.()).toEqual(['a.js', 'build', 'out/x', 'src/b.js'])
  expect((await checkout.written()).toSorted()).toEqual(['a.js', 'build/tool.js', 'src/b.js'])
  expect(isClean()).toBe(true)
  await checkout.reset(tree)
  expect(await checkout.writes?.()).toEqual([])
  expect(await run('cat a.js src/b.js build/tool.js; ls')).toBe('a\nb\nt\na.js\nbuild\nsrc\n')
})

test('a folder that was removed and recreated counts with all its files', async () => {
  await run('rm -r src; mkdir src; echo other > src/b.js')
  expect(await checkout.writes?.()).toEqual(['src', 'src/b.js'])
  expect((await checkout.written()).toSorted()).toEqual(['src/b.js', 'src/deep/c.js'])
})

test('a file that was created and removed in the top folder is noticed', async () => {
  await run('echo x > shadow; rm shadow')
  expect(await checkout.writes?.()).toEqual(['.'])
})

test('kept output of one check is merged for the next, and nothing else', async () => {
  const keep = ['dist', 'build/out', 'a.js']
  await run('mkdir dist; echo 1 > dist/1; echo 2 > dist/2; echo o > build/out; echo evil > a.js')
  await checkout.reset(tree, { keep })
  expect(await checkout.writes?.()).toEqual([])
  expect(await run('cat dist/1 dist/2 build/out a.js')).toBe('1\n2\no\na\n')
  await run('rm dist/1; echo 3 > dist/3; ln -s /etc/passwd dist/evil; chmod 0 dist')
  await checkout.reset(tree, { keep })
  expect(await run('ls dist; cat dist/3 build/out build/tool.js')).toBe('2\n3\n3\no\nt\n')
  await run('rm -r dist; mkdir dist; echo 4 > dist/4')
  await checkout.reset(tree, { keep })
  expect(await run('ls dist')).toBe('4\n')
  await checkout.reset(tree)
  expect(isClean()).toBe(true)
})

test('the first reset reads every file again', async () => {
  writeFileSync(join(checkout.path, 'src/deep/c.js'), 'x\n')
  writeFileSync(join(checkout.path, 'src/new'), '')
  await checkout.reset(tree)
  expect(isClean()).toBe(true)
  expect(existsSync(join(checkout.path, 'src/new'))).toBe(false)
})

test('files that another process wrote to the checkout are removed by the next reset', async () => {
  writeFileSync(join(checkout.path, 'a.js'), 'evil\n')
  writeFileSync(join(checkout.path, 'new'), '')
  await checkout.reset(tree, { over: new Map([['src/b.js', null]]) })
  expect(existsSync(join(checkout.path, 'src/b.js'))).toBe(false)
  expect(await run('cat a.js; ls')).toBe('a\na.js\nbuild\nsrc\n')
})
