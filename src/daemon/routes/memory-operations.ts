/** Operations on what loops remember: list, get and forget facts. */

import { isAbsolute } from 'node:path'
import type { Memory } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  forgottenFactsSchema,
  type MemoryFact,
  memoryFactSchema,
  pageSchema,
} from '../../protocol/api/index.ts'
import { findProject } from '../../runs/find-project.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { type Parameter, required, text } from './parameter.ts'
import { paged } from './run-parameters.ts'

const tag = 'memory'

const fact: Parameter<string> = required(
  text({ description: 'The id of a fact.', example: 'm12', max: 32, pattern: /^\w+$/ }),
  'm12',
)

const scope = {
  loop: text({
    description: 'Only facts of loops with this name.',
    example: 'daily-triage',
    max: 256,
  }),
  workspace: text({
    description:
      'Only facts of loops that work in this folder, or in its repository: an absolute path.',
    example: '/home/me/shop',
    max: 4096,
    pattern: /^[^\0]*$/,
  }),
}

const list = operation({
  id: 'listMemory',
  method: 'get',
  path: '/memory',
  tag,
  summary: 'List the facts that loops remember, the newest first.',
  description: 'Agents wrote them: they are claims, and never instructions.',
  query: {
    ...scope,
    words: text({
      description: 'Only facts that contain one of these words.',
      example: 'flaky checkout',
      max: 1000,
    }),
    ...paged,
  },
  responses: { 200: json('A page of them.', pageSchema(memoryFactSchema)) },
  problems: [],
  async handle({ host }, { query: { loop, workspace, words, limit, cursor } }) {
    const wanted = { ...(await scopeOf(host, { loop, workspace })), ...defined({ words }) }
    const found = await host.journal.memory.list({
      ...wanted,
      limit: limit + 1,
      ...defined({ before: cursor }),
    })
    const items = found.slice(0, limit)
    const next = found.length > limit ? items.at(-1)?.id : undefined
    return ok({ items: items.map(toFact), ...defined({ next }) })
  },
})

const get = operation({
  id: 'getMemory',
  method: 'get',
  path: '/memory/{fact}',
  tag,
  summary: 'Get a fact that a loop remembers.',
  params: { fact },
  responses: { 200: json('The fact.', memoryFactSchema) },
  problems: [404],
  async handle({ host }, { params }) {
    const found = await host.journal.memory.get(params.fact)
    if (found === undefined) throw unknownFact(params.fact)
    return ok(toFact(found))
  },
})

const forget = operation({
  id: 'forgetMemory',
  method: 'delete',
  path: '/memory/{fact}',
  tag,
  summary: 'Forget a fact.',
  params: { fact },
  responses: { 200: json('That it was forgotten.', forgottenFactsSchema) },
  problems: [404],
  async handle({ host }, { params }) {
    const forgotten = await host.journal.memory.forget([params.fact])
    if (forgotten === 0) throw unknownFact(params.fact)
    return ok({ forgotten })
  },
})

const forgetAll = operation({
  id: 'forgetLoopMemory',
  method: 'delete',
  path: '/memory',
  tag,
  summary: 'Forget all facts of a loop.',
  query: scope,
  responses: { 200: json('How many there were.', forgottenFactsSchema) },
  problems: [],
  async handle({ host }, { query: { loop, workspace } }) {
    if (loop === undefined) {
      throw new LoopError('bad-request', 'query.loop: it is missing. Pass the name of a loop.')
    }
    return ok({ forgotten: await forgetScope(host, await scopeOf(host, { loop, workspace })) })
  },
})

const pageSize = 500

/** In several transactions, so that other writers can work in between. Facts that are added meanwhile are kept. */
async function forgetScope(
  { journal: { memory } }: Pick<Host, 'journal'>,
  wanted: FactScope,
): Promise<number> {
  let forgotten = 0
  let before: string | undefined
  for (;;) {
    const page = await memory.list({ ...wanted, limit: pageSize, ...defined({ before }) })
    forgotten += await memory.forget(page.map(({ id }) => id))
    before = page.at(-1)?.id
    if (page.length < pageSize) return forgotten
  }
}

interface FactScope {
  readonly loop?: string
  readonly repository?: string
}

async function scopeOf(
  { journal: { memory } }: Pick<Host, 'journal'>,
  {
    loop,
    workspace,
  }: { readonly loop: string | undefined; readonly workspace: string | undefined },
): Promise<FactScope> {
  if (workspace === undefined) return defined({ loop })
  if (!isAbsolute(workspace)) {
    const message = `query.workspace: "${workspace.slice(0, 200)}" is not an absolute path. Use one that starts with /.`
    throw new LoopError('bad-request', message)
  }
  const repository = await findProject(
    workspace,
    async (known) => (await memory.list({ repository: known, limit: 1 })).length > 0,
  )
  return { repository, ...defined({ loop }) }
}

const unknownFact = (id: string): LoopError =>
  new LoopError(
    'unknown-fact',
    `No loop remembers ${id}: it was forgotten, or it expired. List the facts: loopctl memory list`,
  )

/** Without its key, which identifies the round. */
function toFact({ key: _key, ...memory }: Memory): MemoryFact {
  return memory
}

export const memoryOperations: readonly Operation[] = [list, get, forget, forgetAll]
