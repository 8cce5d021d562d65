/** Operations on the levels of loops: what they have and why, and what people decide about them. */

import { systemClock } from '../../engine/index.ts'
import { decideLevel } from '../../launch/levels/decide-level.ts'
import { toEntry } from '../../launch/levels/read-levels.ts'
import { updateLevels } from '../../launch/levels/update-levels.ts'
import { defined } from '../../loop/index.ts'
import {
  levelEntrySchema,
  levelListSchema,
  levelRequestSchema,
  levelStandingSchema,
  pageSchema,
} from '../../protocol/api/index.ts'
import { toDecider } from '../decider.ts'
import type { RequestBindings } from '../principal.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { text } from './parameter.ts'
import { numberIn, paged } from './run-parameters.ts'

const tag = 'levels'

const loop = text({
  description: 'Only loops with this name.',
  example: 'dependency-sweeper',
  max: 256,
})

const list = operation({
  id: 'listLevels',
  method: 'get',
  path: '/levels',
  tag,
  summary: 'List the levels of loops: with evidence, what is missing for more, and their history.',
  description:
    'Looks for work that was reverted. A level that has to fall falls now, as it would when the loop runs the next time.',
  query: { loop },
  responses: { 200: json('The levels.', levelListSchema) },
  problems: [],
  isLive: true,
  async handle({ host, log }, { query }) {
    const onProblem = (problem: string): void => log.warn({}, problem)
    const search = { ...defined({ loop: query.loop }), onProblem }
    // A read leaves nothing behind.
    const how = { remember: false }
    return ok(await updateLevels({ ...host, clock: systemClock }, search, how))
  },
})

const changes = operation({
  id: 'listLevelChanges',
  method: 'get',
  path: '/levels/changes',
  tag,
  summary: 'List the changes of levels, the newest first.',
  query: { loop, ...paged },
  responses: { 200: json('A page of them.', pageSchema(levelEntrySchema)) },
  problems: [],
  async handle({ host }, { query: { loop: name, limit, cursor } }) {
    const before = numberIn(cursor)
    const found = await host.journal.trust.changes({
      limit: limit + 1,
      ...defined({ loop: name, before }),
    })
    const items = found.slice(0, limit).map(toEntry)
    const next = found.length > limit ? items.at(-1)?.id : undefined
    return ok({ items, ...(next === undefined ? {} : { next: String(next) }) })
  },
})

const decide = operation({
  id: 'decideLevel',
  method: 'post',
  path: '/levels',
  tag,
  summary: 'Set the level of a loop, accept the proposed one, or change what is required.',
  body: {
    schema: levelRequestSchema,
    example: {
      loop: 'dependency-sweeper',
      kind: 'open-pr',
      level: 3,
      reason: 'a month without faults',
    },
  },
  responses: { 200: json('The level.', levelStandingSchema) },
  problems: [409],
  async handle({ host }, { body, context }) {
    const { env } = context as { readonly env?: RequestBindings }
    const { name, claimed } = toDecider(env?.principal, body.by)
    const by = claimed === undefined ? name : `${name} (as ${claimed})`
    return ok(await decideLevel({ ...host, clock: systemClock }, body, by))
  },
})

export const levelOperations: readonly Operation[] = [list, changes, decide]
