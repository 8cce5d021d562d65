// The files of a run: written from its journal, beside its work and in the state folder.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followRun, type Host, listArtifacts, writeRunFolder } from '../src/host/index.ts'
import { newFolder, newHost } from './host-fixture.ts'
import { contentOf, loop, start } from './run-folder-fixture.ts'
import { newRepository } from './worktree-fixture.ts'

const rowsOf = (folder: string): readonly (readonly string[])[] =>
  readFileSync(join(folder, 'report.tsv'), 'utf8')
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t'))

test('a run writes the files of document 002 beside its work and in the state folder', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const handle = await start(host, 'two', { workspace })
  const follower = followRun(host, handle.id)
  await handle.done
  await follower.done
  const beside = join(workspace, 'logs', 'loop', `run-${handle.id}`)
  const global = join(host.folder, 'runs', `run-${handle.id}`)
  const names = readdirSync(beside).filter((name) => !name.startsWith('.'))
  expect(names).toEqual([
    'analysis',
    'iter-01-impl.log',
    'iter-01-prompt.txt',
    'iter-01-verify.log',
    'iter-01.tail.txt',
    'iter-02-impl.log',
    'iter-02-prompt.txt',
    'iter-02-verify.log',
    'iter-02.tail.txt',
    'prompt.txt',
    'report.tsv',
    'review-diff.json',
    'run.log',
    'summary.json',
  ])
  expect(contentOf(global)).toEqual(contentOf(beside))
  expect(readFileSync(join(beside, 'iter-02-prompt.txt'), 'utf8')).toContain('iteration 2')
  expect(readFileSync(join(beside, 'iter-01-verify.log'), 'utf8')).toContain('is two: false')
  const tail = readFileSync(join(beside, 'iter-01.tail.txt'), 'utf8').trimEnd().split('\n')
  expect(tail).toHaveLength(200)
  expect(tail.at(-1)).toBe('wrote\tit')

  const [header, ...rows] = rowsOf(beside)
  expect(header?.join(' ')).toBe(
    'timestamp_ms kind iteration duration_ms exit_code output_bytes output_lines output_path message tasks_done tasks_total',
  )
  for (const row of rows) expect(row).toHaveLength(11)
  expect(rows.map(([, kind]) => kind)).toEqual([
    'RUN_START',
    'ITERATION_START',
    'PROMPT_SNAPSHOT',
    'ITERATION_TAIL',
    'VERIFY_START',
    'VERIFY_CMD_START',
    'VERIFY_CMD_END',
    'VERIFY_END',
    'ITERATION_END',
    'ITERATION_START',
    'ITERATION_TAIL',
    'VERIFY_START',
    'VERIFY_CMD_START',
    'VERIFY_CMD_END',
    'VERIFY_END',
    'ITERATION_END',
    'COMPLETE_DETECTED',
    'RUN_END',
    'POSTMORTEM_START',
    'POSTMORTEM_END',
  ])
  expect(readdirSync(join(beside, 'analysis'))).toEqual([
    'git-diff.patch',
    'run-quality-prompt.txt',
    'run-quality.md',
    'spec-compliance-prompt.txt',
    'spec-compliance.md',
    'summary-prompt.txt',
    'summary.md',
  ])
  const found = readFileSync(join(beside, 'analysis', 'summary.md'), 'utf8')
  expect(found).toContain('Root cause: none')
  const summary: Record<string, unknown> = JSON.parse(
    readFileSync(join(beside, 'summary.json'), 'utf8'),
  )
  expect(Object.keys(summary)).toEqual([
    'run_id',
    'start_ms',
    'end_ms',
    'total_duration_ms',
    'iterations_run',
    'completed_iteration',
    'avg_duration_ms',
    'last_exit_code',
    'completion_mode',
    'model',
    'exit_reason',
    'run_log',
    'run_report',
    'prompt_snapshot',
    'last_iteration_tail',
    'last_iteration_log',
  ])
  expect(summary).toMatchObject({
    run_id: handle.id,
    iterations_run: 2,
    completed_iteration: 2,
    exit_reason: 'complete_plan',
    last_iteration_tail: join(beside, 'iter-02.tail.txt'),
    last_iteration_log: join(beside, 'iter-02-impl.log'),
  })
  const diff = JSON.parse(readFileSync(join(beside, 'review-diff.json'), 'utf8'))
  expect(diff).toMatchObject({
    commits: [],
    files: [{ path: 'number.txt', status: 'added', additions: 1, deletions: 0 }],
    stats: { filesChanged: 1, additions: 1, deletions: 0 },
  })
})

test('lost or changed files are restored from the journal, identically', async () => {
  const host = await newHost()
  const workspace = newFolder()
  const { id, done } = await start(host, 'two', { workspace })
  await done
  const [global] = await writeRunFolder(host, id, { mode: 'global' })
  const folder = global?.path ?? ''
  const before = contentOf(folder)
  rmSync(folder, { recursive: true })
  await writeRunFolder(host, id)
  expect(contentOf(folder)).toEqual(before)
  writeFileSync(join(folder, '.folder.json'), '{"version":1,"seq":"many"}')
  writeFileSync(join(folder, 'run.log'), '')
  await writeRunFolder(host, id)
  expect(contentOf(folder)).toEqual(before)
  expect(existsSync(join(workspace, 'logs'))).toBe(false)
})

test('files that are written incrementally equal those that are written at once', async () => {
  const host = await newHost()
  const { id, done } = await start(host, 'two', { workspace: newFolder() })
  await done
  const all = await host.journal.read(id)
  const folders = ['bits', 'whole'].map((name) => join(host.folder, name))
  const written = async (folder: string, upTo: number): Promise<void> => {
    const journal = {
      ...host.journal,
      findRun: async (name: string) => {
        const run = await host.journal.findRun(name)
        return upTo === all.length ? run : { ...run, lastSeq: upTo, status: 'running' as const }
      },
      read: async (...given: Parameters<Host['journal']['read']>) =>
        (await host.journal.read(...given)).filter(({ seq }) => seq <= upTo),
    }
    await writeRunFolder({ ...host, journal, folder }, id, { mode: 'global' })
  }
  for (const folder of folders) mkdirSync(folder)
  for (let upTo = 1; upTo <= all.length; upTo += 7) await written(folders[0] ?? '', upTo)
  for (const folder of folders) await written(folder, all.length)
  const [bits, whole] = folders.map((folder) => contentOf(join(folder, 'runs', `run-${id}`)))
  expect(bits).toEqual(whole)
})

test('in a checkout git ignores them, and the worktree of the run has none', async () => {
  const host = await newHost()
  const repository = newRepository({ 'number.txt': '0' })
  const handle = await start(host, 'two', { workspace: repository.checkout, worktree: true })
  const follower = followRun(host, handle.id, { mode: 'workspace' })
  await handle.done
  await follower.done
  const beside = join(repository.checkout, 'logs', 'loop', `run-${handle.id}`)
  expect(existsSync(join(beside, 'summary.json'))).toBe(true)
  expect(existsSync(join(host.folder, 'runs'))).toBe(false)
  expect(repository.git('status', '--porcelain')).toBe('')
  expect(repository.git('check-ignore', `logs/loop/run-${handle.id}/run.log`)).toContain('run.log')
  const { run } = await host.inspect('two')
  expect(existsSync(join(run.workspace ?? '', 'logs'))).toBe(false)
  // Not dirty: the next run may start.
  const next = await host.start(loop, {
    input: {},
    name: 'next',
    workspace: repository.checkout,
    worktree: true,
    again: true,
  })
  await next.done
  const exclude = readFileSync(join(repository.checkout, '.git', 'info', 'exclude'), 'utf8')
  expect(exclude.split('\n').filter((line) => line === '/logs/loop/')).toHaveLength(1)
})

test('files that were unfinished when their writer was killed are completed on request', async () => {
  const host = await newHost()
  const { id, done } = await start(host, 'two', { workspace: newFolder() })
  await done
  const [written] = await writeRunFolder(host, id, { mode: 'global' })
  const folder = written?.path ?? ''
  const before = contentOf(folder)
  rmSync(join(folder, 'summary.json'))
  const marker: object = JSON.parse(readFileSync(join(folder, '.folder.json'), 'utf8'))
  writeFileSync(join(folder, '.folder.json'), JSON.stringify({ ...marker, finished: undefined }))
  const listed = (await listArtifacts(host, id)).map(({ path }) => path)
  expect(listed).toContain('summary.json')
  expect(contentOf(folder)).toEqual(before)
  await host.remove('two')
  expect(existsSync(folder)).toBe(false)
})
