/** The runs of the record in this process. What only some commands need is loaded when they do. */

import type { Host } from '../host/index.ts'
import { isEnd, statusAliases } from '../loop/index.ts'
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
    async list(filter = {}) {
      return filtered(await host.list(), filter)
    },
    events: (run, options) => host.events(run, streamed(options)),
    async *output() {},
    async inbox() {
      const open = (await host.list()).filter(({ status }) => !isEnd(status))
      const found = await Promise.all(
        open.map(async ({ id, name }) => {
          const { questions } = await host.inspect(id)
          return questions.map((question) => ({ ...question, run: { id, name } }))
        }),
      )
      return found.flat().toSorted((one, other) => one.deadlineAtMs - other.deadlineAtMs)
    },
    queue: () => Promise.resolve([]),
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
      return (await import('../host/postmortem/analyze-run.ts')).analyzeRun(host, run, choice)
    },
    async createPullRequest(run, options) {
      const { createPullRequest } = await import('../host/review/create-pull-request.ts')
      return createPullRequest(host, run, options)
    },
  }
}

type HostRange = NonNullable<Parameters<Host['events']>[1]>

function streamed({ afterSeq, follow, signal }: Parameters<Runs['events']>[1] = {}): HostRange {
  return {
    ...(afterSeq === undefined ? {} : { afterSeq }),
    ...(follow === undefined ? {} : { follow }),
    ...(signal === undefined ? {} : { signal }),
  }
}

function filtered(
  runs: Awaited<ReturnType<Host['list']>>,
  { status, workspace, limit = Number.POSITIVE_INFINITY }: ListFilter,
): Awaited<ReturnType<Host['list']>> {
  const named = status === undefined ? undefined : (statusAliases[status] ?? status)
  return runs
    .filter((run) => named === undefined || run.status === named)
    .filter((run) => workspace === undefined || run.workspace === workspace)
    .slice(0, limit)
}
