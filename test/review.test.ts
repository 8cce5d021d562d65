// What people do with the work of a finished run: review it, discard it, share it.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { renderInspection } from '../src/cli/display/runs-view.ts'
import { createPullRequest, resetRun, reviewDiff, scrapRun } from '../src/host/index.ts'
import { removeRunWorktree, reviewOf } from '../src/host/review/index.ts'
import { afterStory } from './after.ts'
import { newFolder, newHost, slow } from './host-fixture.ts'
import { newRepository, startIn } from './worktree-fixture.ts'

const hasBranch = (repository: ReturnType<typeof newRepository>, branch: string): boolean =>
  repository.git('branch', '--list', branch).trim() !== ''

test('the changes of a run are shown by commits, and by files with their patches', async () => {
  const host = await newHost()
  const repository = newRepository({ 'a.txt': 'a\n' })
  await startIn(host, repository)
  const diff = await reviewDiff(host, 'work')
  expect(diff.baseRef).toBe(repository.git('rev-parse', 'main').trim())
  expect(diff.headRef).toBe(repository.git('rev-parse', 'run/work').trim())
  expect(diff.commits).toHaveLength(4)
  expect(diff.commits[0]).toMatchObject({
    sha: diff.headRef,
    files: ['lines.txt'],
    stats: { filesChanged: 1, additions: 1, deletions: 0 },
  })
  expect(diff.files).toMatchObject([
    { path: 'lines.txt', status: 'added', additions: 4, deletions: 0 },
  ])
  expect(diff.files[0]?.patch).toContain('+line 4')
  expect(diff.stats).toEqual({ filesChanged: 1, additions: 4, deletions: 0 })
})

test('scrapping deletes worktree and branch, reports what was deleted, and keeps the journal', async () => {
  const host = await newHost()
  const repository = newRepository()
  const workspace = await startIn(host, repository)
  writeFileSync(join(workspace, 'left.txt'), 'nowhere else')
  expect(await reviewOf(host, 'work')).toEqual({ status: 'pending' })
  const scrapped = await scrapRun(host, 'work', { by: 'me' })
  expect(scrapped).toMatchObject({
    worktree: workspace,
    branch: 'run/work',
    commits: 4,
    uncommitted: ['left.txt'],
    review: { status: 'scrapped', by: 'me' },
  })
  expect(existsSync(workspace)).toBe(false)
  expect(hasBranch(repository, 'run/work')).toBe(false)
  expect((await host.inspect('work')).run.status).toBe('completed')
  expect(await reviewOf(host, 'work')).toMatchObject({ status: 'scrapped', by: 'me' })
  const plain = { live: false, width: () => 80 }
  expect(renderInspection(await host.inspect('work'), plain)).toMatch(/^work +scrapped by me$/m)
  const folder = join(host.folder, 'runs', `run-${scrapped.run.id}`)
  expect(readFileSync(join(folder, 'review-diff.json'), 'utf8')).toContain('+line 4')
  // The second time there is nothing left to delete.
  expect(await scrapRun(host, 'work', { by: 'me' })).toMatchObject({ commits: 0, uncommitted: [] })
})

test('a run that has not ended is not scrapped; a reset ends it first', async () => {
  const host = await newHost()
  const repository = newRepository()
  const handle = await host.start(slow, {
    input: null,
    name: 'slow',
    workspace: repository.checkout,
    worktree: true,
  })
  await expect(scrapRun(host, 'slow', { by: 'me' })).rejects.toMatchObject({ code: 'wrong-status' })
  const { run } = await host.inspect('slow')
  const reset = await resetRun(host, 'slow', { by: 'me' })
  expect(await handle.done).toMatchObject({ outcome: { type: 'cancelled', by: 'me' } })
  expect(reset).toMatchObject({ run: { status: 'cancelled' }, branch: 'run/slow' })
  expect(existsSync(run.workspace ?? '')).toBe(false)
  expect(hasBranch(repository, 'run/slow')).toBe(false)
})

test('one worktree is removed by its path; with work in it only by force', async () => {
  const host = await newHost()
  const repository = newRepository()
  const workspace = await startIn(host, repository)
  writeFileSync(join(workspace, 'left.txt'), 'nowhere else')
  expect(await removeRunWorktree(host, { worktree: workspace })).toMatchObject({ status: 'kept' })
  const removed = await removeRunWorktree(host, { worktree: 'work', force: true })
  expect(removed).toMatchObject({ status: 'removed', path: workspace })
  expect(existsSync(workspace)).toBe(false)
  await expect(removeRunWorktree(host, { worktree: workspace })).rejects.toMatchObject({
    code: 'unknown-file',
  })
})

test('merged work is recognized as merged', async () => {
  const host = await newHost()
  await startIn(host, newRepository())
  expect(await host.merge('work', { by: 'me' })).toMatchObject({ status: 'merged' })
  expect(await reviewOf(host, 'work')).toMatchObject({ status: 'merged', by: 'me' })
})

/** A fake that records its arguments. */
function standInGh(): { readonly told: () => string } {
  const folder = newFolder()
  const told = join(folder, 'told')
  writeFileSync(
    join(folder, 'gh'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${told}\ncat >> ${told}\necho https://git.test/owner/name/pull/7\n`,
  )
  chmodSync(join(folder, 'gh'), 0o755)
  vi.stubEnv('PATH', `${process.env['PATH']}:${folder}`)
  afterStory(() => vi.unstubAllEnvs())
  return { told: () => readFileSync(told, 'utf8') }
}

test('a pull request is created from the certified branch (a fake gh, a folder as remote)', async () => {
  const host = await newHost()
  const repository = newRepository()
  await startIn(host, repository)
  await expect(createPullRequest(host, 'work', { by: 'me' })).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('git remote add'),
  })
  const remote = join(newFolder(), 'owner', 'name.git')
  execFileSync('git', ['init', '--quiet', '--bare', remote])
  repository.git('remote', 'add', 'origin', `file://${remote}`)
  const hook = join(repository.checkout, '.git', 'hooks', 'pre-push')
  writeFileSync(hook, '#!/bin/sh\nexit 1\n')
  chmodSync(hook, 0o755)
  repository.git('config', 'credential.helper', '!touch /tmp/loopwright-never')

  vi.stubEnv('PATH', '/nonexistent')
  afterStory(() => vi.unstubAllEnvs())
  await expect(createPullRequest(host, 'work', { by: 'me' })).rejects.toMatchObject({
    code: 'missing-program',
    message: expect.stringContaining('cli.github.com'),
  })
  vi.unstubAllEnvs()

  const gh = standInGh()
  const made = await createPullRequest(host, 'work', { by: 'me', title: '--web', draft: true })
  const tip = repository.git('rev-parse', 'run/work').trim()
  expect(made).toMatchObject({
    url: 'https://git.test/owner/name/pull/7',
    remote: 'origin',
    branch: 'run/work',
    base: 'main',
    commit: tip,
    review: { status: 'pr-created', by: 'me' },
  })
  expect(gh.told()).toContain('--repo=owner/name\n--head=run/work\n--base=main\n--title=--web\n')
  expect(gh.told()).toContain('Certified:')
  const pushed = execFileSync('git', ['--git-dir', remote, 'rev-parse', 'run/work'])
  expect(pushed.toString().trim()).toBe(tip)

  repository.git('remote', 'set-url', 'origin', 'ext::sh -c touch% /tmp/loopwright-never')
  await expect(createPullRequest(host, 'work', { by: 'me' })).rejects.toMatchObject({
    code: 'bad-request',
  })
  expect(existsSync('/tmp/loopwright-never')).toBe(false)
})
