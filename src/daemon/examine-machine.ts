/** What runs depend on: sandbox, agents, disk, journal. The self-test of the sandbox is repeated rarely. */

import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Host } from '../host/host.ts'
import { findAgents } from '../launch/agents/find-agents.ts'
import { defined } from '../loop/index.ts'
import type { Machine } from '../protocol/api/index.ts'
import { openSandbox } from '../sandbox/index.ts'

/** How long the result of the self-test is used: it starts processes. */
const testedForMs = 600_000

type Tested = Machine['sandbox'] & { readonly atMs: number }

let tested: { readonly atMs: number; readonly result: Promise<Tested> } | undefined

export async function examineMachine(
  host: Pick<Host, 'folder' | 'journal'>,
  nowMs: number = Date.now(),
): Promise<Machine> {
  const { folder } = host
  if (tested === undefined || nowMs - tested.atMs > testedForMs) {
    tested = { atMs: nowMs, result: testSandbox(nowMs) }
  }
  const [sandbox, agents, disk, store] = await Promise.all([
    tested.result.catch(() => undefined),
    findAgents(folder),
    statfs(folder),
    sizeOf(folder),
  ])
  return {
    sandbox: sandbox ?? {
      tier: 'none',
      reason: 'Its self-test failed.',
      limits: 'none',
      atMs: nowMs,
    },
    agents: agents.map(({ kind: _kind, ...seen }) => seen),
    disk: { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize },
    store: { folder, bytes: store, position: await host.journal.lastPosition() },
  }
}

async function testSandbox(atMs: number): Promise<Tested> {
  const { report } = await openSandbox()
  const { tier, reason, fix, limits } = report
  return { tier, reason, limits, atMs, ...defined({ fix }) }
}

/** Of the journal and its log. */
async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    ['journal.db', 'journal.db-wal'].map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
