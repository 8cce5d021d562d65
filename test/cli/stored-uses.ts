/** Uses of the commands about what loops remember and about their levels, which tests store directly. */

import { memoryLimits } from '../../src/engine/index.ts'
import { openHost } from '../../src/host/index.ts'
import type { Place } from '../e2e/loop-fixture.ts'

type Use = (args: readonly string[]) => Promise<unknown>

export async function storeAndUse(at: Place, use: Use): Promise<void> {
  await tellOfMemory(at, use)
  await tellOfLevels(at, use)
  await use(['report', '--since', '7d'])
}

async function tellOfMemory(at: Place, use: Use): Promise<void> {
  const host = await openHost({ folder: at.state })
  const fact = { loop: 'triage', key: 'k', text: 'Nothing new.', tags: ['triage'], atMs: 1 }
  const later = Date.now() + 600_000
  const stored = { ...fact, source: 'loop:triage', expiresAtMs: later, repository: at.work }
  const { id } = await host.journal.memory.add(stored, memoryLimits)
  await host.close()
  await use(['memory', 'list'])
  await use(['memory', 'show', id])
  await use(['memory', 'forget', id, '--yes'])
}

/** One that is proposed is accepted. */
async function tellOfLevels(at: Place, use: Use): Promise<void> {
  const host = await openHost({ folder: at.state })
  const scope = { loop: 'triage', repository: at.work, kind: 'comment' }
  const change = { cause: 'proposed', key: 'p', by: 'evidence', reason: 'ten', atMs: 1 } as const
  await host.journal.trust.record({ ...scope, ...change, starting: 1, details: { to: 2 } })
  await host.close()
  await use(['levels', 'accept', 'triage'])
  await use(['levels', 'bars', 'triage', '--confidence', '0.99', '--reason', 'careful'])
  await use(['levels', 'set', 'triage', '1', '--reason', 'a test'])
  await use(['levels'])
}
