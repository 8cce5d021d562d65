/**
 * The whole life of a worktree: made, worked in, committed, restored, removed. Kills itself where it
 * was told to, and says on standard output what it was told is done. Started by git-kills.ts.
 */

import { readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  createWorktree,
  findRepository,
  openWorktree,
  type RunGit,
  removeWorktree,
  runGit,
  type WorktreeFiles,
} from '#src/workspace/index.ts'
import { createCounter, type Watch, watchFiles } from './failpoints.ts'
import type { GitJob, GitKill, Word } from './git-job.ts'

async function main({ checkout, key, kill, counts }: GitJob): Promise<void> {
  const counter = createCounter()
  const changing = new Map<string, number>()
  const watch: Watch = {
    reach(call, phase) {
      if (call.changes) changing.set(call.site, call.occurrence)
      if (call.site !== kill?.site || call.occurrence !== kill.occurrence) return
      if (phase === kill.phase) process.kill(process.pid, 'SIGKILL')
    },
  }
  const git: RunGit = async (call) => {
    const site = `git.${[call.command, ...(call.command === 'worktree' ? (call.options ?? []).slice(0, 1) : [])].join('-')}`
    const made = counter.next(site, true)
    watch.reach(made, 'before')
    const ended = runGit(call)
    const isIt = made.site === kill?.site && made.occurrence === kill.occurrence
    if (isIt && (kill.phase === 'during' || kill.phase === 'half')) killSoon(kill.phase)
    const result = await ended
    watch.reach(made, 'after')
    return result
  }
  const files = watchFiles('files', counter, watch) as WorktreeFiles
  await live({ checkout, key }, { git, files })
  if (counts !== undefined) writeFileSync(counts, JSON.stringify([...changing]))
}

async function live(
  { checkout, key }: Pick<GitJob, 'checkout' | 'key'>,
  tools: { readonly git: RunGit; readonly files: WorktreeFiles },
): Promise<void> {
  const repository = await findRepository(checkout, {
    ...tools,
    ignoreFile: '/nonexistent/loopwright',
  })
  const { worktree } = await createWorktree({ repository, key, name: 'victim', ...tools })
  say({ type: 'created', branch: worktree.branch })
  const workspace = await openWorktree({ repository, worktree, ...tools })
  const write = (name: string, content: string): void =>
    writeFileSync(join(worktree.path, name), content)
  const first = await workspace.snapshot()
  say({ type: 'kept', tree: first })
  write('a.txt', 'changed')
  write('new.txt', 'new')
  const { commit } = await workspace.commit({ message: 'Iteration 1' })
  say({ type: 'committed', commit })
  write('left.txt', 'half of a step')
  say({ type: 'kept', tree: await workspace.snapshot() })
  await workspace.restore(first)
  const again = await workspace.snapshot()
  if (again !== first) throw new Error(`restored ${first}, found ${again}`)
  // Back to what is committed, and away with it.
  const { tree } = await workspace.commit({ message: 'as it was' })
  say({ type: 'kept', tree: `git:${tree}` })
  const removal = await removeWorktree({ repository, key, ...tools })
  if (removal.status !== 'removed')
    throw new Error(`it was not removed: ${JSON.stringify(removal)}`)
  say({ type: 'removed' })
}

/** At once: what follows may never come. */
function say(word: Word): void {
  writeSync(1, `${JSON.stringify(word)}\n`)
}

/** Once git is running. It is looked for, since nobody else can tell. */
function killSoon(phase: GitKill['phase']): void {
  const look = setInterval(() => {
    const children = childrenOf(process.pid)
    if (children.length === 0) return
    clearInterval(look)
    for (const child of phase === 'half' ? children : []) process.kill(-child, 'SIGKILL')
    process.kill(process.pid, 'SIGKILL')
  }, 0)
  // It may have been too quick, and the last one: then nobody is killed.
  look.unref()
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return state !== 'Z' && Number(ppid) === parent
      } catch {
        return false
      }
    })
}

const job: GitJob = JSON.parse(process.argv[2] ?? '{}')
await main(job)
