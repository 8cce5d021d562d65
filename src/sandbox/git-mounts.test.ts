import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gitMounts } from './git-mounts.ts'

let folder: string
let workspace: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-git-')))
  workspace = join(folder, 'ws')
  await mkdir(workspace)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

/** Creates the files that `git worktree add` creates. */
async function linkWorktree(back = `${folder}/ws/.git\n`): Promise<void> {
  await write('repo/.git/HEAD', 'ref: refs/heads/main\n')
  await write('repo/.git/objects/info/packs', '')
  await write('repo/.git/worktrees/ws/gitdir', back)
  await write('ws/.git', `gitdir: ${folder}/repo/.git/worktrees/ws\n`)
}

test('a folder without a repository has nothing to protect', () => {
  expect(gitMounts(workspace)).toEqual({ readOnly: [], hide: [] })
})

test('the repository of a workspace is protected', async () => {
  await write('ws/.git/config', '[core]\n')
  expect(gitMounts(workspace)).toEqual({ readOnly: [`${workspace}/.git`], hide: [] })
})

test('a worktree is protected together with its repository', async () => {
  await linkWorktree()
  expect(gitMounts(workspace).readOnly).toEqual([`${folder}/repo/.git`, `${workspace}/.git`])
})

test('a worktree may point to its repository by a relative path', async () => {
  await linkWorktree('../../../../ws/.git\n')
  await write('ws/.git', 'gitdir: ../repo/.git/worktrees/ws\n')
  expect(gitMounts(workspace).readOnly).toEqual([`${folder}/repo/.git`, `${workspace}/.git`])
})

test.each([
  ['to a folder with keys', 'gitdir: /nonexistent/home/.ssh\n'],
  ['to nothing', 'gitdir: \n'],
  ['to a folder that does not point back', 'gitdir: ../other\n'],
])('a .git file that points %s exposes nothing else', async (_target, text) => {
  await write('other/gitdir', '/nonexistent/elsewhere\n')
  await write('ws/.git', text)
  expect(gitMounts(workspace).readOnly).toEqual([`${workspace}/.git`])
})

test('a .git file that points to another worktree exposes nothing else', async () => {
  await linkWorktree(`${folder}/other/.git\n`)
  await write('other/.git', `gitdir: ${folder}/repo/.git/worktrees/ws\n`)
  expect(gitMounts(workspace).readOnly).toEqual([`${workspace}/.git`])
})

test('a fake repository inside the workspace exposes nothing outside', async () => {
  await write('home/.ssh/worktrees/x/gitdir', `${workspace}/.git\n`)
  await symlink(join(folder, 'home', '.ssh'), join(workspace, 'fake'))
  await write('ws/.git', 'gitdir: fake/worktrees/x\n')
  expect(gitMounts(workspace).readOnly).toEqual([`${workspace}/.git`])
})

test('a symlink is not followed', async () => {
  await mkdir(join(folder, 'secret'))
  await symlink(join(folder, 'secret'), join(workspace, '.git'))
  expect(gitMounts(workspace)).toEqual({ readOnly: [], hide: [] })
})

test.each([
  '[remote "origin"]\n\turl = https://user:token@example.com/x.git\n',
  '[remote "origin"]\n\turl = https://token@example.com/x.git\n',
  '[http "https://example.com"]\n\textraheader = AUTHORIZATION: basic eA==\n',
  '[http "https://example.com"] extraHeader = AUTHORIZATION: basic eA==\n',
  '[github]\n\toauth-token = x\n',
  `[core]\n${'#'.repeat(300_000)}\n`,
])('a config file with a secret is hidden', async (config) => {
  await write('ws/.git/config', config)
  expect(gitMounts(workspace).hide).toEqual([`${workspace}/.git/config`])
})

test('an ordinary remote is not a secret', async () => {
  const remotes =
    'url = git@example.com:x.git\n\turl = https://example.com/x.git\n\turl = ssh://git@example.com/x\n'
  await write('ws/.git/config', `[remote "origin"]\n\t${remotes}`)
  expect(gitMounts(workspace).hide).toEqual([])
})

test('secrets of submodules and in credential files are hidden too', async () => {
  await write('ws/.git/config', '[core]\n')
  await write('ws/.git/credentials', 'https://me:x@example.com')
  await write('ws/.git/config.worktree', '[x]\n\tpassword = y\n')
  for (const name of ['a', 'deep/b', 'a/modules/c']) {
    await write(`ws/.git/modules/${name}/HEAD`, '')
    await write(`ws/.git/modules/${name}/config`, 'url = https://me:x@example.com/y\n')
  }
  await write('ws/.git/modules/fine/HEAD', '')
  await write('ws/.git/modules/fine/config', '[core]\n')
  expect(gitMounts(workspace).hide.toSorted()).toEqual(
    [
      'config.worktree',
      'credentials',
      'modules/a/config',
      'modules/a/modules/c/config',
      'modules/deep/b/config',
    ].map((name) => join(workspace, '.git', name)),
  )
})

test('a continued line is read as one line', async () => {
  await write('ws/.git/config', '[remote "a"]\n\turl = https://user:to\\\nken@example.com/x.git\n')
  expect(gitMounts(workspace).hide).toEqual([`${workspace}/.git/config`])
})

test('symlinks among submodules are not followed, so there is no cycle', async () => {
  await write('ws/.git/config', '[core]\n')
  for (const name of ['a', 'b', 'c']) {
    await write(`ws/.git/modules/${name}/HEAD`, '')
    await write(`ws/.git/modules/${name}/config`, '[x]\n\ttoken = y\n')
    await symlink('..', join(workspace, `.git/modules/${name}/modules`))
  }
  expect(gitMounts(workspace).hide.toSorted()).toEqual(
    ['a', 'b', 'c'].map((name) => `${workspace}/.git/modules/${name}/config`),
  )
  await rm(join(workspace, '.git/modules'), { recursive: true })
  await write('other/x/HEAD', '')
  await write('other/x/config', '[x]\n\ttoken = y\n')
  await symlink(join(folder, 'other'), join(workspace, '.git/modules'))
  expect(gitMounts(workspace).hide).toEqual([])
})

test('nested submodules share one limit, and exceeding it is an error', async () => {
  const wide = Array.from({ length: 50 }, (_, index) => `${index}`)
  for (const outer of wide) {
    await write(`ws/.git/modules/${outer}/HEAD`, '')
    for (const inner of wide) {
      await mkdir(join(workspace, `.git/modules/${outer}/modules/${inner}`), { recursive: true })
    }
  }
  expect(() => gitMounts(workspace)).toThrow(expect.objectContaining({ code: 'bad-request' }))
})

test('config files beyond the total size limit are hidden', async () => {
  const long = `[core]\n${'#'.repeat(250_000)}\n`
  const names = Array.from({ length: 80 }, (_, index) => `${index}`)
  for (const name of names) {
    await write(`ws/.git/modules/${name}/HEAD`, '')
    await write(`ws/.git/modules/${name}/config`, long)
  }
  const hidden = gitMounts(workspace).hide.length
  expect(hidden).toBeGreaterThan(0)
  expect(hidden).toBeLessThan(names.length)
})

test.each([
  ['lines', '\n'],
  ['carriage returns', '\r'],
  ['spaces', ' '],
  ['brackets', ']'],
  ['words', 'header'],
  ['addresses', 'http://'],
])('a config file of nothing but %s is scanned in linear time', async (_content, part) => {
  // With quadratic backtracking the scan would not end before the test times out.
  await write('ws/.git/config', part.repeat(Math.floor(250_000 / part.length)))
  expect(gitMounts(workspace).hide).toEqual([])
})

test('pipes and huge files neither block the scan nor fill memory', async () => {
  const fifo = (path: string): void => {
    execFileSync('mkfifo', [join(folder, path)])
  }
  await mkdir(join(workspace, 'evil'))
  fifo('ws/evil/gitdir')
  await write('ws/.git', 'gitdir: evil\n')
  expect(gitMounts(workspace).readOnly).toEqual([`${workspace}/.git`])
  await rm(join(workspace, '.git'))
  fifo('ws/.git')
  expect(gitMounts(workspace).readOnly).toEqual([])
  await rm(join(workspace, '.git'))
  await write('ws/.git', 'gitdir: evil\n')
  await truncate(join(workspace, '.git'), 1e12)
  expect(gitMounts(workspace).readOnly).toEqual([`${workspace}/.git`])
  await rm(join(workspace, '.git'))
  await mkdir(join(workspace, '.git'))
  fifo('ws/.git/config')
  expect(gitMounts(workspace).hide).toEqual([])
})
