/** What all loops did in a period. */

import { findEscalated } from '../../history/rounds/find-escalations.ts'
import { readDigest } from '../../launch/deliver/read-digest.ts'
import {
  digestSchema,
  escalatedRoundsSchema,
  type FailingSchedule,
} from '../../protocol/api/index.ts'
import type { DaemonParts } from '../parts.ts'
import { openBook } from '../schedules/book.ts'
import { viewSchedule, viewUnreadable } from '../schedules/view.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { whole } from './parameter.ts'

const dayMs = 86_400_000

const digest = operation({
  id: 'getDigest',
  method: 'get',
  path: '/digest',
  tag: 'journal',
  summary:
    'Sum up what all loops did: rounds by outcome, open escalations, levels, failing schedules, cost, questions.',
  query: {
    since: whole({
      description: 'From this time on, in milliseconds since 1970. Default: one day ago.',
      example: 1_790_000_000_000,
      max: Number.MAX_SAFE_INTEGER,
    }),
  },
  responses: { 200: json('The digest.', digestSchema) },
  problems: [],
  isLive: true,
  async handle({ host }, { query }) {
    const nowMs = Date.now()
    const found = await readDigest(host, query.since ?? nowMs - dayMs, nowMs)
    return ok({ ...found, schedules: await readFailing(host, nowMs) })
  },
})

const unhealthy: ReadonlySet<string> = new Set(['failing', 'blocked', 'late', 'unreadable'])

async function readFailing(
  { journal }: DaemonParts['host'],
  nowMs: number,
): Promise<readonly FailingSchedule[]> {
  const book = await openBook(journal.schedules)
  const options = { nowMs, settings: book.settings() }
  const all = [
    ...book.entries().map((entry) => viewSchedule(entry, options)),
    ...book.unreadable().map(viewUnreadable),
  ]
  return all
    .filter(({ health, alert }) => unhealthy.has(health) || alert !== undefined)
    .map(({ name, loop, health, failures, alert }) => ({
      name,
      loop,
      health,
      failures,
      ...(alert === undefined ? {} : { alert }),
    }))
}

const escalatedDaysDefault = 7

const escalations = operation({
  id: 'listEscalations',
  method: 'get',
  path: '/escalations',
  tag: 'journal',
  summary: 'List rounds that ended and need a person, though none is asked.',
  description:
    'Such as one whose work cannot be certified. A later round of the same loop in the same repository that ends otherwise replaces it.',
  query: {
    since: whole({
      description: 'From this time on, in milliseconds since 1970. Default: seven days ago.',
      example: 1_790_000_000_000,
      max: Number.MAX_SAFE_INTEGER,
    }),
  },
  responses: { 200: json('The newest first.', escalatedRoundsSchema) },
  problems: [],
  async handle({ host }, { query }) {
    const sinceMs = query.since ?? Date.now() - escalatedDaysDefault * dayMs
    return ok({ items: await findEscalated(host, sinceMs) })
  },
})

export const digestOperations: readonly Operation[] = [digest, escalations]
