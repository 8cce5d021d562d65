/** Runs as commands see them, through a client: of a daemon, or of this process. */

import { type Query, runPath } from '../../client/client.ts'
import type { Client } from '../../client/index.ts'
import { LoopError } from '../../loop/index.ts'
import type {
  ActionEntry,
  ActionFacts,
  ActionList,
  Discarded,
  LoopAttentions,
  PolicyDecisions,
  Postmortem,
  PullRequest,
} from '../../protocol/api/index.ts'
import { readAllPages } from './read-all-pages.ts'
import type { ListFilter, PolicyExplanation, Runs } from './runs.ts'

/** The largest page that is requested. */
const pageItems = 500

export function clientRuns(client: Client): Runs {
  return {
    answer: client.answer,
    sendDecision: client.sendDecision,
    inspect: client.inspect,
    events: client.events,
    output: client.output,
    diff: (run, options = {}) => client.diff(run, { ...options }),
    merge: client.merge,
    land: client.land,
    remove: client.remove,
    report: client.report,
    digest: client.digest,
    escalations: client.escalations,
    levels: client.levels,
    levelChanges: client.levelChanges,
    decideLevel: client.decideLevel,
    memory: client.memory,
    forgetMemory: client.forgetMemory,
    forgetMemories: client.forgetMemories,
    memories: ({ limit, ...filter } = {}) =>
      readAllPages(
        (cursor) =>
          client.memories({ ...filter, ...cursor, limit: Math.min(limit ?? pageItems, pageItems) }),
        limit,
      ),
    list: (filter) => listed(client, filter),
    queue: client.queue,
    inbox: () => readAllPages((cursor) => client.questions({ ...cursor, limit: pageItems })),
    worktrees: (options = {}) =>
      readAllPages((cursor) =>
        client.worktrees({ ...cursor, limit: pageItems, workspace: options.repository }),
      ),
    cleanWorktrees: ({ repository, dryRun } = {}) =>
      cleaned(client, { workspace: repository, dryRun }),
    removeWorktree: (path, { force } = {}) => cleaned(client, { path, force }),
    scrap: async (run, by) => (await client.post(runPath(run, 'scrap'), { by })) as Discarded,
    reset: async (run, by) => (await client.post(runPath(run, 'reset'), { by })) as Discarded,
    analyze: async (run, choice = {}) =>
      (await client.post(runPath(run, 'postmortem'), choice)) as Postmortem,
    explainPolicy: (run) => explainPolicy(client, run),
    attention: async (filter = {}) =>
      ((await client.get('/attention', { ...filter })) as LoopAttentions).items,
    actions: async (run) => ((await client.get(runPath(run, 'actions'))) as ActionList).items,
    actionFacts: async () => ((await client.get('/actions')) as ActionFacts).items,
    recordEscape: async (run, request) =>
      (await client.post(runPath(run, 'actions'), request)) as ActionEntry,
    createPullRequest: async (run, options) =>
      (await client.post(runPath(run, 'create-pr'), options)) as PullRequest,
  }
}

async function explainPolicy(client: Client, idOrName: string): Promise<PolicyExplanation> {
  const { id, name, status } = (await client.inspect(idOrName)).run
  const read = async (query: Query): Promise<PolicyDecisions> =>
    (await client.get(runPath(id, 'policy'), { ...query, limit: pageItems })) as PolicyDecisions
  const first = await read({})
  const rest =
    first.next === undefined
      ? []
      : await readAllPages(({ cursor = first.next }) => read({ cursor }))
  return {
    run: { id, name, status },
    ...(first.policy === undefined ? {} : { policy: first.policy }),
    rulings: [...first.items, ...rest],
    allowedCalls: first.allowedCalls ?? [],
  }
}

type Cleaned = Awaited<ReturnType<Runs['cleanWorktrees']>>

async function cleaned(client: Client, query: Parameters<Client['delete']>[1]): Promise<Cleaned> {
  const answer = (await client.delete('/worktrees', query)) as { readonly items?: Cleaned }
  if (Array.isArray(answer.items)) return answer.items
  throw new LoopError(
    'not-available',
    `${client.where} did not report what it removed. See: loopctl worktrees`,
  )
}

const listed = (client: Client, { limit, ...filter }: ListFilter = {}): ReturnType<Runs['list']> =>
  readAllPages(
    (cursor) =>
      client.runs({
        ...filter,
        limit: Math.min(limit ?? pageItems, pageItems),
        ...cursor,
      }),
    limit,
  )
