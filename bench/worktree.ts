/**
 * What worktrees cost beside plain git, in turns: one that is ready beside `git worktree add`, and a
 * snapshot and a restore of 20,000 files of which 10 changed beside `git status`.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createWorktree,
  findRepository,
  openWorktree,
  removeWorktree,
} from '#src/workspace/index.ts'
import { atMost, median, type Suite } from './report.ts'
import { withFolder } from './workload.ts'

const changedFiles = 10
const rounds = 15

export const worktreeReady: Suite = {
  area: 'workspace',
  title: 'a worktree that is ready beside git worktree add',
  run: ({ scale }) =>
    withRepository(2000, async (checkout) => {
      const repository = await findRepository(checkout)
      const ours: number[] = []
      const plain: number[] = []
      for (let round = -1; round < Math.max(3, Math.round(rounds * scale)); round++) {
        const path = `${checkout}.plain-${round}`
        const add = ['worktree', 'add', '-q', '--no-track', '-b', `plain-${round}`, path]
        const key = `ready-${round}`
        const options = { repository, key, name: key, carry: [] }
        let plainMs = 0
        let oursMs = 0
        // In turns also in who comes first: the second finds the disk busy.
        for (const isOurs of round % 2 === 0 ? [true, false] : [false, true]) {
          if (isOurs) oursMs = await wallMs(() => createWorktree(options))
          else plainMs = await wallMs(() => git(checkout, ...add))
        }
        await removeWorktree({ repository, key })
        await git(checkout, 'worktree', 'remove', '--force', path)
        if (round < 0) continue
        ours.push(oursMs)
        plain.push(plainMs)
      }
      const detail = `${shown(ours)} beside ${shown(plain)}, 2,000 files`
      return [atMost('workspace.worktree-ready', median(ours) / median(plain), 2, 'x', detail)]
    }),
}

export const worktreeTrees: Suite = {
  area: 'workspace',
  title: 'snapshot and restore of 20,000 files, 10 of them changed, beside git status',
  run: ({ scale, note }) =>
    withRepository(20_000, async (checkout) => {
      const repository = await findRepository(checkout)
      const { worktree } = await createWorktree({
        repository,
        key: 'trees',
        name: 'trees',
        carry: [],
      })
      const workspace = await openWorktree({ repository, worktree })
      const before = await workspace.snapshot()
      note('  the worktree is there')
      const status: number[] = []
      const snapshot: number[] = []
      const restore: number[] = []
      for (let round = -2; round < Math.max(5, Math.round(rounds * scale)); round++) {
        change(worktree.path, round)
        const statusMs = await wallMs(() => git(worktree.path, 'status'))
        const snapshotMs = await wallMs(() => workspace.snapshot())
        const restoreMs = await wallMs(() => workspace.restore(before))
        if (round < 0) continue
        status.push(statusMs)
        snapshot.push(snapshotMs)
        restore.push(restoreMs)
      }
      if ((await workspace.snapshot()) !== before) throw new Error('It was not restored.')
      const beside = `beside ${shown(status)} of git status`
      const times = (values: readonly number[]): number => median(values) / median(status)
      return [
        atMost('workspace.git-snapshot', times(snapshot), 3, 'x', `${shown(snapshot)} ${beside}`),
        atMost('workspace.git-restore', times(restore), 3, 'x', `${shown(restore)} ${beside}`),
      ]
    }),
}

const shown = (values: readonly number[]): string => `${median(values).toFixed(0)} ms`

function change(path: string, round: number): void {
  for (let file = 0; file < changedFiles; file++) {
    writeFileSync(join(path, nameOf(file * 37)), `changed in round ${round}, ${Math.random()}\n`)
  }
}

const nameOf = (file: number): string => `d${file % 200}/e${file % 7}/f${file}.txt`

export async function withRepository<T>(
  files: number,
  work: (checkout: string) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const checkout = join(folder, 'project')
    for (let file = 0; file < files; file++) {
      const path = join(checkout, nameOf(file))
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, `file ${file}\n`.repeat(20))
    }
    await git(checkout, 'init', '-q')
    await git(checkout, 'add', '-A')
    await git(checkout, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x')
    return work(checkout)
  })
}

export async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const child = spawn('git', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`)
}

export async function wallMs(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}
