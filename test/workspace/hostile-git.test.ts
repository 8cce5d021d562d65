// S12, S13: whatever a repository, a work tree or a name contains, none of it runs on the host.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hostileNames } from '../../build/proof/hostile-names.js'
import type { TreeId } from '../../src/loop/index.ts'
import { fromText } from '../../src/workspace/bytes.ts'
import { objectFolders } from '../../src/workspace/checkout/checkout-git.ts'
import { isReserved } from '../../src/workspace/git/reserved-names.ts'
import type { KnownWorktree } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'
import {
  hostileAttributes,
  makeContentHostile,
  makeSettingsHostile,
  put,
  trap,
} from './hostile-repository.ts'
import { liveThrough } from './whole-life.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture({ 'a.txt': 'a\n', 'b.p': 'b\n', '.gitignore': '.env\n' })
})
afterEach(() => fixture.remove())

const wholeLife = (change: (worktree: KnownWorktree) => void): Promise<void> =>
  liveThrough(fixture, change)

describe('no program is started', () => {
  test('by settings of the repository, although plain git would start it', async () => {
    put(join(fixture.checkout, '.gitattributes'), hostileAttributes)
    fixture.commitAll('attributes')
    fixture.write('.env', 'KEY')
    makeSettingsHostile(fixture)
    await wholeLife(({ path }) => {
      writeFileSync(join(path, 'a.txt'), 'changed')
      writeFileSync(join(path, 'b.p'), 'changed')
    })
    expect(fixture.wasRun()).toBe(false)
    fixture.write('a.txt', 'changed')
    fixture.git('-c', 'core.alternateRefsCommand=', 'add', 'a.txt')
    expect(fixture.wasRun()).toBe(true)
  })

  test('by files of an agent, although plain git would start it', async () => {
    let workTree = ''
    await wholeLife(({ path }) => {
      workTree = path
      makeContentHostile(fixture, path)
      expect(fixture.wasRun()).toBe(false)
    })
    expect(fixture.wasRun()).toBe(false)
    const again = await fixture.create({ key: 'plain', name: 'plain' })
    makeContentHostile(fixture, again.path)
    fixture.gitIn(join(again.path, 'nested'), 'status')
    expect(fixture.wasRun()).toBe(true)
    expect(existsSync(workTree)).toBe(false)
  })

  test('by both together, with a hostile environment', async () => {
    makeSettingsHostile(fixture)
    const names = [
      'GIT_SSH_COMMAND',
      'GIT_EXTERNAL_DIFF',
      'GIT_PROXY_COMMAND',
      'GIT_EDITOR',
      'GIT_PAGER',
      'GIT_ASKPASS',
    ]
    const set: Record<string, string> = Object.fromEntries(
      names.map((name) => [name, trap(fixture, name)]),
    )
    Object.assign(set, {
      GIT_DIR: '/nonexistent/loopwright',
      GIT_WORK_TREE: '/nonexistent/loopwright',
      GIT_INDEX_FILE: '/nonexistent/loopwright',
      GIT_TEMPLATE_DIR: '/nonexistent/loopwright',
      GIT_TRACE: `${fixture.marker}-trace`,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: trap(fixture, 'environment'),
    })
    const were = Object.fromEntries(Object.keys(set).map((name) => [name, process.env[name]]))
    Object.assign(process.env, set)
    try {
      await wholeLife(({ path }) => makeContentHostile(fixture, path))
    } finally {
      for (const [name, value] of Object.entries(were)) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
    expect(fixture.wasRun()).toBe(false)
  })

  test('by a submodule, which is neither entered nor lost from the tree', async () => {
    const other = createGitFixture({ 'in.txt': 'in\n' })
    try {
      fixture.git(
        '-c',
        'protocol.file.allow=always',
        'submodule',
        '--quiet',
        'add',
        other.checkout,
        's',
      )
      fixture.commitAll('submodule')
      fixture.git(
        'config',
        '--file',
        join(fixture.checkout, '.git/modules/s/config'),
        'core.fsmonitor',
        trap(fixture, 'in-submodule'),
      )
      fixture.git('config', 'submodule.s.update', `!${trap(fixture, 'update')}`)
      await wholeLife(({ path }) => {
        writeFileSync(join(path, 'a.txt'), 'changed')
        // As an agent could do it.
        fixture.gitIn(path, 'clone', '-q', other.checkout, join(path, 's'))
        fixture.gitIn(join(path, 's'), 'config', 'core.fsmonitor', trap(fixture, 'in-clone'))
      })
      expect(fixture.wasRun()).toBe(false)
      const [hostile] = fixture.git('log', '--all', '--format=%H', '--grep=^hostile$').split('\n')
      expect(fixture.git('ls-tree', hostile ?? '', 's')).toMatch(/^160000 commit/)
    } finally {
      other.remove()
    }
  })
})

test('a folder that a repository names for objects is visible to checks only if it has nothing else', async () => {
  const other = join(fixture.folder, 'other')
  fixture.gitIn(fixture.folder, 'clone', '-q', '--bare', fixture.checkout, other)
  const home = join(fixture.folder, 'home')
  mkdirSync(join(home, '.ssh'), { recursive: true })
  const named = [join(other, 'objects'), home, fixture.folder, '/']
  fixture.write('.git/objects/info/alternates', named.map((path) => `${path}\n`).join(''))
  const own = join(fixture.checkout, '.git/objects')
  expect(await objectFolders(await fixture.repository())).toEqual([own, join(other, 'objects')])
})

test('attributes cannot hide changes from a patch', async () => {
  const worktree = await fixture.create()
  const workspace = await fixture.open(worktree)
  const before = await workspace.snapshot()
  put(join(worktree.path, '.gitattributes'), '* -diff binary\n')
  writeFileSync(join(worktree.path, 'a.txt'), 'backdoor\n')
  expect(await workspace.patch(before, await workspace.snapshot())).toContain('+backdoor')
})

test('a replaced object does not change a tree', async () => {
  const worktree = await fixture.create()
  const workspace = await fixture.open(worktree)
  const tree = await workspace.snapshot()
  const blob = fixture.git('hash-object', 'a.txt').trim()
  fixture.write('evil', 'evil\n')
  const evil = fixture.git('hash-object', '-w', 'evil').trim()
  fixture.git('replace', blob, evil)
  rmSync(join(worktree.path, 'a.txt'))
  await workspace.restore(tree)
  expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n')
})

test('names that git reserves, on any system, are skipped and do not stop a snapshot', async () => {
  const worktree = await fixture.create()
  const workspace = await fixture.open(worktree)
  const before = await workspace.snapshot()
  const names = [
    '.GIT',
    '.Git',
    'git~1',
    'GIT~1',
    '.git ',
    '.git.',
    '.git . .',
    '.git::$INDEX',
    'x\\.git',
    '.g\u200cit',
  ]
  for (const name of names) {
    for (const folder of ['', 'deep']) put(join(worktree.path, folder, name, 'config'), 'x')
  }
  for (const name of ['.gitmodules', '.GITMODULES', 'gitmod~1', 'gi7eba~1', '.gitmodules .']) {
    symlinkSync('/etc/passwd', join(worktree.path, name))
  }
  expect(await workspace.snapshot()).toBe(before)
  await workspace.restore(before)
  expect(readdirSync(worktree.path).toSorted()).toEqual(['.git', '.gitignore', 'a.txt', 'b.p'])
})

test('no name of a file, folder or symlink stops a snapshot', async () => {
  const worktree = await fixture.create()
  const workspace = await fixture.open(worktree)
  const pieces = [
    '.git',
    'git',
    '~1',
    '.',
    ' ',
    ':',
    '\\',
    'modules',
    'attributes',
    'G',
    '\u200d',
    '\ufeff',
    '0',
    '.lock',
    '-',
  ]
  const names = fc.sample(
    fc.string({ unit: fc.constantFrom(...pieces), minLength: 1, maxLength: 6 }),
    { numRuns: 1500, seed: 5 },
  )
  for (const [index, name] of [...new Set(names)].filter((one) => !/^\.\.?$/.test(one)).entries()) {
    const folder = join(worktree.path, `d${index % 3}`)
    if (index % 3 === 0) put(join(folder, name), 'file')
    else if (index % 3 === 1) put(join(folder, name, 'in'), 'file')
    else {
      mkdirSync(folder, { recursive: true })
      symlinkSync('/nonexistent/x', join(folder, name))
    }
  }
  const tree = await workspace.snapshot()
  await workspace.restore(tree)
  expect(await workspace.snapshot()).toBe(tree)
})

describe('200 hostile names', () => {
  test('are 200', () => expect(new Set(hostileNames).size).toBeGreaterThanOrEqual(200))

  test('as run names create worktrees beside the checkout, and nothing else', async () => {
    const before = fixture.fingerprint()
    for (const [index, name] of hostileNames.filter((_, at) => at % 12 === 0).entries()) {
      const { path, branch } = await fixture.create({ key: `hostile-${index}`, name })
      expect(path.startsWith(`${fixture.folder}/project.run-`)).toBe(true)
      expect(branch).toMatch(/^run\/[a-z0-9-]+$/)
    }
    expect(fixture.fingerprint()).toBe(before)
    expect(fixture.wasRun()).toBe(false)
  })

  test('as bases and prefixes are rejected, or mean what git takes them for', async () => {
    const before = fixture.fingerprint()
    const taken: string[] = []
    for (const [index, base] of hostileNames.entries()) {
      await fixture.create({ key: `base-${index}`, base }).then(
        () => taken.push(base),
        (error: unknown) => expect(error).toMatchObject({ code: expect.stringMatching(/^bad-/) }),
      )
    }
    // Two other names for the commit that is checked out.
    expect(taken.toSorted()).toEqual(['@', 'HEAD'])
    await expect(fixture.create({ branchPrefix: '--upload-pack=x/' })).rejects.toMatchObject({
      code: 'bad-name',
    })
    expect(fixture.git('branch', '--list', 'run/*').trim().split('\n')).toHaveLength(2)
    expect(fixture.fingerprint()).toBe(before)
  })

  test('as run keys stay distinct', async () => {
    const one = await fixture.create({ key: '../../../x' })
    const two = await fixture.create({ key: '--all\n' })
    expect(one.branch).not.toBe(two.branch)
    expect(await fixture.create({ key: '../../../x' })).toEqual(one)
  })

  test('as files are stored byte by byte, and so are symlinks to outside', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    const before = await workspace.snapshot()
    const usable = hostileNames.filter(
      (name) =>
        Buffer.byteLength(name) <= 255 &&
        !/[\0/]|^\.{0,2}$/.test(name) &&
        !isReserved(fromText(name)),
    )
    expect(usable.length).toBeGreaterThan(150)
    mkdirSync(join(worktree.path, 'deep'))
    for (const name of usable) {
      writeFileSync(join(worktree.path, 'deep', name), name)
      symlinkSync('/etc/passwd', join(worktree.path, `link ${name}`.slice(0, 80)))
    }
    const tree: TreeId = await workspace.snapshot()
    await workspace.restore(before)
    expect(await workspace.snapshot()).toBe(before)
    await workspace.restore(tree)
    for (const name of usable)
      expect(readFileSync(join(worktree.path, 'deep', name), 'utf8')).toBe(name)
    expect(await workspace.snapshot()).toBe(tree)
  })
})
