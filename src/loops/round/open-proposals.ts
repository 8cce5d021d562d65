/**
 * Proposals of earlier rounds that wait for a person. A new one about the same replaces them; others count against a cap,
 * so that a loop cannot fill the inbox.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import type { Action } from '../../loop/index.ts'
import type { OpenProposal } from '../loop-ports.ts'
import { proposalsDefault } from './round-keys.ts'
import type { RoundSession } from './round-session.ts'

/** What a proposal is about. Undefined: only the maker will know. */
export function aboutOf({ kind, details }: Omit<Action, 'summary'>): string | undefined {
  if (kind !== 'comment') return kind
  const on =
    typeof details === 'object' && details !== null && 'on' in details ? details['on'] : undefined
  return typeof on === 'number' ? `comment on ${on}` : undefined
}

/** Why the round must not begin to work: it could only add to what waits. Undefined: it may. */
export async function findCap(session: RoundSession): Promise<string | undefined> {
  const { settings, begun } = session
  const { propose = { kind: 'report' }, proposals: max = proposalsDefault, name } = settings
  if (begun.level === 1) return undefined
  const about = aboutOf(propose)
  // One about the same would be replaced.
  const waiting = (await listOpen(session)).filter((one) => one.about !== about)
  if (waiting.length < max) return undefined
  const runs = waiting.map(({ run }) => run).slice(0, max)
  return `${plural(waiting.length, 'proposal')} of ${name} ${waiting.length === 1 ? 'waits' : 'wait'} for a decision (${runs.join(', ')}), so it makes no new one. Answer them: loopctl inbox`
}

const listOpen = async ({ it, settings }: RoundSession): Promise<readonly OpenProposal[]> => {
  const { proposals } = settings.ports ?? {}
  if (proposals === undefined) return []
  return it.step('proposals', () => proposals.list(), { readOnly: true, role: 'proposals' })
}

/** Before a person is asked about this one: the others would be about files that it has changed as well. */
export async function supersede({ it, settings }: RoundSession, about: string): Promise<void> {
  const { proposals } = settings.ports ?? {}
  if (proposals === undefined) return
  await it.step(
    'supersede',
    async () => {
      const open = (await proposals.list()).filter((one) => one.about === about)
      const ended: string[] = []
      for (const one of open) if (await proposals.supersede(one)) ended.push(one.run)
      return ended
    },
    { readOnly: true, role: 'supersede' },
  )
}
