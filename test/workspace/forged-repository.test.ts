/**
 * Repositories, or parts of them, that an agent created: nothing outside of them is read, written or removed,
 * whatever they contain.
 */

import { randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  findRepository,
  listUncommitted,
  listWorktrees,
  removeWorktree,
  runGit,
  worktreeFiles,
} from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture()
})
afterEach(() => fixture.remove())

const inGit = (...parts: readonly string[]): string => join(fixture.checkout, '.git', ...parts)
const outside = (...parts: readonly string[]): string => join(fixture.folder, ...parts)

describe('a .git is not trusted', () => {
  const other = (name = 'other'): string => {
    const folder = outside(name)
    cpSync(fixture.checkout, folder, { recursive: true })
    rmSync(join(folder, '.git'), { recursive: true })
    return folder
  }
  const refusal = (folder: string): Promise<unknown> =>
    findRepository(folder).catch((error: unknown) => error)
  const because = (why: string): unknown =>
    expect.objectContaining({ code: 'workspace-failed', message: expect.stringContaining(why) })

  test('that is a symlink', async () => {
    const folder = other()
    symlinkSync(inGit(), join(folder, '.git'))
    expect(await refusal(folder)).toEqual(because('is a symlink'))
  })

  test('that is a folder with a commondir', async () => {
    const folder = other()
    cpSync(inGit(), join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, '.git/commondir'), `${inGit()}\n`)
    expect(await refusal(folder)).toEqual(because('points to another repository'))
    renameSync(join(folder, '.git'), outside('bare.git'))
    expect(await refusal(outside('bare.git'))).toEqual(because('points to another repository'))
  })

  test('that is a file, unless its target points back to it', async () => {
    const folder = other()
    writeFileSync(join(folder, '.git'), `gitdir: ${inGit()}\n`)
    expect(await refusal(folder)).toEqual(because('does not point back'))
    const worktree = await fixture.create()
    writeFileSync(join(folder, '.git'), `gitdir: ${inGit('worktrees', worktree.id)}\n`)
    expect(await refusal(folder)).toEqual(because('does not point back'))
    expect(await findRepository(worktree.path)).toMatchObject({ commonDir: inGit() })
    fixture.git('worktree', 'add', '-q', outside('mine'))
    expect(await findRepository(outside('mine'))).toMatchObject({ checkout: outside('mine') })
    writeFileSync(join(dirname(inGit('worktrees/mine/x')), 'commondir'), `${outside()}\n`)
    expect(await refusal(outside('mine'))).toEqual(because('does not point back'))
  })

  test.each(['HEAD', 'config', 'info', 'logs', 'objects', 'refs', 'refs/heads', 'loopwright'])(
    'whose %s is a symlink',
    async (part) => {
      if (part === 'loopwright') mkdirSync(inGit(part))
      renameSync(inGit(part), outside('moved'))
      symlinkSync(outside('moved'), inGit(part))
      expect(await refusal(fixture.checkout)).toEqual(because(`${inGit(part)} is a symlink`))
    },
  )
})

test('uncommitted changes are found, even without any commit', async () => {
  const repository = await fixture.repository()
  fixture.git('checkout', '-q', '--orphan', 'none')
  expect(await listUncommitted(runGit, worktreeFiles, repository)).toEqual(['a.txt'])
})

describe('no symlink in a repository is followed', () => {
  test('for reading', async () => {
    writeFileSync(outside('secret'), 'HOST-SECRET\n')
    rmSync(inGit('info/exclude'), { force: true })
    mkdirSync(inGit('info'), { recursive: true })
    symlinkSync(outside('secret'), inGit('info/exclude'))
    const worktree = await fixture.create()
    const own = inGit('worktrees', worktree.id, 'loopwright')
    const all = readdirSync(own, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    expect(all.length).toBeGreaterThan(2)
    expect(all.join('\n')).not.toContain('HOST-SECRET')
  })

  test.each([
    ['a private folder', 'loopwright/look', 'folder'],
    ['the records folder', 'loopwright/worktrees', 'folder'],
    ['settings', 'loopwright/look/config', 'file'],
    ['a folder inside a private folder', 'loopwright/look/info', 'folder'],
    ['an index', 'loopwright/look/index', 'file'],
  ])('for writing: %s', async (_case, path, kind) => {
    const theirs = outside('theirs')
    if (kind === 'folder') mkdirSync(theirs)
    const file = kind === 'folder' ? join(theirs, 'config') : theirs
    writeFileSync(file, 'Host mine\n')
    mkdirSync(dirname(inGit(path)), { recursive: true })
    symlinkSync(theirs, inGit(path))
    await expect(fixture.create()).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringContaining(`${inGit(path)} is a symlink`),
    })
    expect(readFileSync(file, 'utf8')).toBe('Host mine\n')
    expect(kind === 'folder' ? readdirSync(theirs) : ['config']).toEqual(['config'])
  })

  test('a private folder that would redirect git is not used', async () => {
    mkdirSync(inGit('loopwright/look'), { recursive: true })
    writeFileSync(inGit('loopwright/look/commondir'), outside())
    await expect(fixture.create()).rejects.toThrow('would redirect git')
  })
})

describe('a forged record', () => {
  const forge = (more: Readonly<Record<string, unknown>>): void => {
    mkdirSync(inGit('loopwright/worktrees'), { recursive: true })
    const record = {
      version: 1,
      key: 'forged',
      state: 'removing',
      provider: 'git',
      branch: 'none',
      base: { name: 'main', commit: fixture.git('rev-parse', 'HEAD').trim() },
      path: outside('nowhere'),
      carried: [],
      createdAtMs: 1,
      ...more,
    }
    writeFileSync(inGit('loopwright/worktrees/forged.json'), JSON.stringify(record))
  }
  const clean = async (path?: string) =>
    removeWorktree({
      repository: await fixture.repository(),
      key: 'forged',
      ...(path === undefined ? {} : { path }),
    })

  test.each([
    ['another folder', () => outside('victim')],
    ['a folder in another', () => outside('victim', `.nowhere.removed-${randomUUID()}`)],
    ['a name that Loopwright does not use', () => outside('.nowhere.removed-x')],
    ['a path with ..', () => outside('nowhere/../victim')],
  ])('with the trash folder %s does not remove it', async (_case, trash) => {
    const at = trash()
    mkdirSync(at, { recursive: true })
    writeFileSync(join(at, 'doc'), 'precious')
    forge({ trash: at })
    expect(await clean()).toMatchObject({
      status: 'kept',
      why: expect.stringContaining('which Loopwright does not use'),
    })
    await expect(fixture.create({ key: 'forged' })).rejects.toThrow('is not removed')
    expect(readFileSync(join(at, 'doc'), 'utf8')).toBe('precious')
  })

  test('with a name outside the records folder is ignored', async () => {
    forge({ id: '..' })
    await expect(clean()).rejects.toMatchObject({ code: 'store-damaged' })
  })

  test.each([
    ['an empty folder', undefined],
    ['a folder with its own .git file', 'gitdir: /nonexistent/x\n'],
  ])('of an interrupted creation does not touch %s', async (_case, pointer) => {
    const path = outside('theirs')
    mkdirSync(path)
    if (pointer !== undefined) writeFileSync(join(path, '.git'), pointer)
    mkdirSync(inGit('worktrees/x'), { recursive: true })
    writeFileSync(inGit('worktrees/x/gitdir'), `${join(path, '.git')}\n`)
    forge({ state: 'creating', path })
    await clean()
    expect(existsSync(path)).toBe(true)
    expect(existsSync(join(path, '.git'))).toBe(pointer !== undefined)
  })

  test('of a pruned worktree is trusted only if the journal has it', async () => {
    const path = outside('mine')
    fixture.git('worktree', 'add', '-q', '-b', 'mine', path)
    rmSync(inGit('worktrees/mine'), { recursive: true })
    forge({ state: 'removing', path, id: 'mine', branch: 'mine' })
    expect(await clean()).toMatchObject({
      status: 'kept',
      why: expect.stringContaining('git has pruned it'),
    })
    expect(await clean(outside('another'))).toMatchObject({ status: 'kept' })
    expect(existsSync(join(path, 'a.txt'))).toBe(true)
  })

  test('is not followed if it is a symlink', async () => {
    forge({})
    renameSync(inGit('loopwright/worktrees/forged.json'), outside('record.json'))
    symlinkSync(outside('record.json'), inGit('loopwright/worktrees/forged.json'))
    expect(await listWorktrees(await fixture.repository())).toEqual([])
    expect(await clean()).toEqual({ status: 'unknown' })
  })
})
