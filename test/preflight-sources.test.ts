// What a loop needs outside of its files is missing: the preflight says so before anything is spent.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checkSources, type OutsideUse } from '../src/launch/preflight/check-sources.ts'
import { afterStory } from './after.ts'
import { openGithub } from './github/github.ts'
import { newRepository } from './worktree-fixture.ts'

const issues = { type: 'issues', state: 'open', limit: 30, remote: 'origin' } as const
const use: OutsideUse = {
  sources: [{ type: 'git-log', commits: 5 }, issues, { type: 'file', path: 'CHANGELOG.md' }],
  actions: [{ kind: 'comment' }, { kind: 'draft' }],
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-sources-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const withRemote = (url: string): string => {
  const { git, checkout } = newRepository({ 'a.txt': 'one\n' })
  git('remote', 'add', 'origin', url)
  return checkout
}

function withGh() {
  const github = openGithub(newFolder())
  vi.stubEnv('PATH', github.path)
  afterStory(() => vi.unstubAllEnvs())
  return github
}

const github = 'https://github.com/acme/shop.git'
const problemOf = async (workspace: string, used = use): Promise<string> => {
  const [found] = await checkSources(used, workspace)
  return found?.status === 'problem' ? found.detail : `no problem: ${JSON.stringify(found)}`
}

test('what can be read is listed with its repository; gh is asked only for its login', async () => {
  const { calls } = withGh()
  expect(await checkSources(use, withRemote(github))).toEqual([
    {
      what: 'sources',
      status: 'ok',
      detail: 'git-log, issues, file, comment (github.com/acme/shop)',
    },
  ])
  expect(calls()).toEqual([['auth', 'token', '--hostname=github.com']])
})

test('a loop that uses nothing outside of its files has no finding, and needs no repository', async () => {
  const folder = newFolder()
  expect(await checkSources({ sources: [], actions: [{ kind: 'draft' }] }, folder)).toEqual([])
  const file = { type: 'file', path: 'a.txt' } as const
  expect(await checkSources({ sources: [file], actions: [] }, folder)).toMatchObject([
    { status: 'ok', detail: 'file' },
  ])
})

test('each thing that is missing is named, with what to do', async () => {
  vi.stubEnv('PATH', newFolder())
  afterStory(() => vi.unstubAllEnvs())
  const checkout = withRemote(github)
  expect(await problemOf(checkout)).toMatch(
    /^The loop uses issues, comment: gh is not installed; .* gh auth login$/,
  )
  const { logOut } = withGh()
  logOut()
  expect(await problemOf(checkout)).toContain(
    'gh has no login for github.com. Log in: gh auth login --hostname github.com',
  )
  expect(await problemOf(withRemote('https://git.acme.test/team/shop.git'))).toContain(
    'gh has no login for git.acme.test.',
  )
  const { checkout: alone } = newRepository({ 'a.txt': 'one\n' })
  expect(await problemOf(alone)).toContain('has no remote "origin". Add it: git remote add origin')
  const { git, checkout: unborn } = newRepository({ 'a.txt': 'one\n' })
  git('symbolic-ref', 'HEAD', 'refs/heads/unborn')
  expect(await problemOf(unborn)).toContain('has no commit yet')
  const folder = newFolder()
  expect(await problemOf(folder)).toContain('The loop uses issues, comment, git-log: ')
  expect(readdirSync(folder)).toEqual([])
})
