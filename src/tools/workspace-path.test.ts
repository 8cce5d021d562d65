import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replaceFile } from './replace-file.ts'
import { type Location, type WalkOptions, withLocation } from './workspace-path.ts'

let base: string
let workspace: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'loopwright-paths-'))
  workspace = join(base, 'workspace')
  mkdirSync(join(workspace, 'sub/deep'), { recursive: true })
  mkdirSync(join(base, 'outside'))
  writeFileSync(join(base, 'outside/secret.txt'), 'secret')
  writeFileSync(join(workspace, 'sub/file.txt'), 'inside')
  symlinkSync('sub', join(workspace, 'link'))
  symlinkSync('../outside', join(workspace, 'out'))
  symlinkSync(join(workspace, 'sub/file.txt'), join(workspace, 'absolute'))
  symlinkSync('loop', join(workspace, 'loop'))
  symlinkSync('workspace', join(base, 'alias'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const pathOf = (path: string, options: WalkOptions, root = workspace): Promise<string> =>
  withLocation({ workspace: root }, path, options, async (place) => place.path)

// With paths through handles, and as on systems without them.
describe.each([{ byPath: false }, { byPath: true }])('the walk (%o)', (mode) => {
  test.each([
    ['.', '.'],
    ['sub', 'sub'],
    ['sub/', 'sub'],
    ['./sub//file.txt', 'sub/file.txt'],
    ['link/file.txt', 'sub/file.txt'],
    ['link/../sub/file.txt', 'sub/file.txt'],
    ['link/deep/..', 'sub'],
    ['absolute', 'sub/file.txt'],
    ['sub/new.txt', 'sub/new.txt'],
  ])('from %s reaches %s', async (path, expected) => {
    expect(await pathOf(path, mode)).toBe(expected)
  })

  test.each([
    ['..', 'outside-workspace'],
    ['out', 'outside-workspace'],
    ['out/secret.txt', 'outside-workspace'],
    ['sub/../../outside/secret.txt', 'outside-workspace'],
    ['link/../../outside', 'outside-workspace'],
    ['/nonexistent', 'outside-workspace'],
    ['loop', 'bad-path'],
    ['missing/file.txt', 'not-found'],
    ['sub/file.txt/x', 'not-a-folder'],
  ])('from %s is refused as %s', async (path, code) => {
    await expect(pathOf(path, mode)).rejects.toMatchObject({ code })
  })

  test('creates folders only if requested', async () => {
    await expect(pathOf('a/b/c.txt', { ...mode, writing: true })).rejects.toMatchObject({
      code: 'not-found',
    })
    const createFolders = { ...mode, writing: true, createFolders: true }
    expect(await pathOf('a/b/c.txt', createFolders)).toBe('a/b/c.txt')
    expect(await pathOf('a/b', mode)).toBe('a/b')
  })

  test('recognizes the workspace by a link to it', async () => {
    const alias = join(base, 'alias')
    expect(await pathOf(join(alias, 'sub/file.txt'), mode, alias)).toBe('sub/file.txt')
    expect(await pathOf(join(workspace, 'sub/file.txt'), mode, alias)).toBe('sub/file.txt')
    expect(await pathOf('absolute', mode, alias)).toBe('sub/file.txt')
  })

  test('is not diverted by a folder that is swapped for a link behind it', async () => {
    const swap = (): void => {
      renameSync(join(workspace, 'sub'), join(workspace, 'moved'))
      symlinkSync('../outside', join(workspace, 'sub'))
    }
    const writing = { ...mode, writing: true }
    const write = withLocation(
      { workspace },
      'sub/secret.txt',
      writing,
      async (place: Location) => {
        swap()
        await replaceFile(place, 'secret.txt', Buffer.from('changed'))
      },
    )
    const end = await write.then(
      () => 'written where it was',
      (error: { code: string }) => error.code,
    )
    expect(end).toBe(mode.byPath ? 'changed' : 'written where it was')
    expect(readFileSync(join(base, 'outside/secret.txt'), 'utf8')).toBe('secret')
  })
})

test('no folder stays open, whatever happens', async () => {
  const next = async (): Promise<number> => {
    const handle = await open(workspace)
    await handle.close()
    return handle.fd
  }
  const before = await next()
  for (let round = 0; round < 20; round++) {
    await pathOf('link/deep/../file.txt', {})
    await pathOf('sub/deep/../../..', {}).catch(() => {})
    await pathOf('sub/deep/missing/x', {}).catch(() => {})
    await pathOf('absolute', {})
  }
  expect(await next()).toBe(before)
})
