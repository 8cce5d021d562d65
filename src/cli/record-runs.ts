/** The runs of the record in this process. What only some commands need is loaded when they do. */

import type { Host } from '../host/host.ts'
import { defined, isEnd, statusesNamed } from '../loop/index.ts'
import { everything } from './everything.ts'
import type { ListFilter, Runs } from './runs.ts'

export function recordRuns(host: Host): Runs {
  return {
    answer: host.answer,
    cleanWorktrees: host.cleanWorktrees,
    diff: host.diff,
    merge: host.merge,
    remove: host.remove,
    tell: host.tell,
    worktrees: host.worktrees,
    inspect: host.inspect,
    list: (filter) => listed(host, filter),
    events: (run, options) => host.events(run, streamed(options)),
    output: (run, options) => outputOf(host, run, options),
    async inbox() {
      const { viewInbox } = await import('../history/views/view-inbox.ts')
      return everything((cursor) => viewInbox(host, { limit: pageItems, ...cursor }))
    },
    queue: () => queueOf(host),
    async removeWorktree(worktree, { force = false } = {}) {
      const { removeRunWorktree } = await import('../host/review/remove-run-worktree.ts')
      return [await removeRunWorktree(host, { worktree, force })]
    },
    async scrap(run, by) {
      return (await import('../host/review/scrap-run.ts')).scrapRun(host, run, { by })
    },
    async reset(run, by) {
      return (await import('../host/review/reset-run.ts')).resetRun(host, run, { by })
    },
    async analyze(run, choice) {
      return (await import('../host/analyze-run.ts')).analyzeRun(host, run, choice)
    },
    async createPullRequest(run, options) {
      const { createPullRequest } = await import('../host/review/create-pull-request.ts')
      return createPullRequest(host, run, options)
    },
  }
}

/** As it is on disk. Who is next is the business of whoever drives them. */
async function queueOf({ journal }: Host): ReturnType<Runs['queue']> {
  const all = await journal.queue.list()
  const rows = all.filter(({ status }) => !isEnd(status) && status !== 'paused')
  return Promise.all(
    rows.map(async ({ run, name, workspace, priority, queuedAtMs, retryAtMs }) => ({
      run,
      name,
      ...((await journal.findRun(run)).held
        ? { state: 'driven' as const }
        : { state: 'queued' as const, why: 'waits for a daemon: loopctl daemon start' }),
      priority,
      queuedAtMs,
      ...defined({ workspace, retryAtMs }),
    })),
  )
}

type HostRange = NonNullable<Parameters<Host['events']>[1]>

function streamed({ afterSeq, follow, signal }: Parameters<Runs['events']>[1] = {}): HostRange {
  return defined({ afterSeq, follow, signal })
}

const pageItems = 500

async function listed(
  host: Host,
  { status, limit = Number.POSITIVE_INFINITY, ...filter }: ListFilter = {},
): ReturnType<Runs['list']> {
  const statuses = status === undefined ? undefined : statusesNamed(status)
  const { viewRuns } = await import('../history/views/view-runs.ts')
  const chosen = { ...filter, ...defined({ status: statuses }) }
  return everything(
    (cursor) => viewRuns(host, { ...chosen, limit: Math.min(limit, pageItems), ...cursor }),
    limit,
  )
}

async function* outputOf(
  host: Host,
  idOrName: string,
  { afterSeq = 0, follow = true, signal }: Parameters<Runs['output']>[1] = {},
): ReturnType<Runs['output']> {
  const { readOutput } = await import('../history/views/read-output.ts')
  const { id } = await host.journal.findRun(idOrName)
  let place = { afterSeq }
  for (;;) {
    const page = await readOutput(host, id, place)
    yield* page.items
    if (page.isEnd) return
    if (page.afterSeq > place.afterSeq) place = page
    else if (!follow || !(await hasMore(host, id, place.afterSeq, signal))) return
  }
}

/** Waits for the next event; false when there will be none. */
async function hasMore(
  host: Host,
  run: string,
  afterSeq: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for await (const recorded of host.events(run, streamed({ afterSeq, signal }))) {
    if (recorded.seq > afterSeq) return true
  }
  return false
}
