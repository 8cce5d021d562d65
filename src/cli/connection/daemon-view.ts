/** Where the agents and keys that the daemon sees differ from those of this shell. */

import type { Command } from 'commander'
import type { AgentStatus } from '../../client/index.ts'
import type { Finding } from '../display/findings.ts'
import { readStateFolder } from '../session.ts'
import { reach } from './reach.ts'

export interface DaemonView {
  readonly pid: number
  readonly agents: readonly AgentStatus[]
  /** Those whose state differs in this shell. */
  readonly differs: readonly AgentStatus[]
}

/** Undefined: no daemon runs, or it is too old to report this. Starts none. */
export async function daemonView(program: Command): Promise<DaemonView | undefined> {
  try {
    const way = await reach(program, 'look')
    if (way.type === 'in-process') return undefined
    const { pid, agents } = await way.client.daemon()
    if (agents === undefined) return undefined
    const { findAgents } = await import('../../launch/agents/find-agents.ts')
    const here = new Map(
      (await findAgents(await readStateFolder(program))).map(({ name, state }) => [name, state]),
    )
    return { pid, agents, differs: agents.filter(({ name, state }) => here.get(name) !== state) }
  } catch {
    // `loopctl daemon status` reports a daemon that does not answer.
    return undefined
  }
}

export const daemonFindings = ({ pid, differs }: DaemonView): readonly Finding[] =>
  differs.length === 0
    ? [{ mark: 'good', text: `process ${pid} sees the same agents and keys as this shell` }]
    : [
        {
          mark: 'warning',
          text: `process ${pid} does not see the same agents and keys as this shell`,
          more: [
            ...differs.map(
              ({ name, state, keyVariable }) => `${name}: ${words(state, keyVariable)}`,
            ),
            'Runs that you start here get your PATH and keys. After a daemon restart, runs have only what the daemon sees: put keys in the key file, or restart the daemon from this shell.',
          ],
        },
      ]

function words(state: AgentStatus['state'], keyVariable: string | undefined): string {
  if (state === 'missing') return 'the daemon cannot find it'
  return state === 'ready'
    ? 'ready for the daemon only'
    : `the daemon has no ${keyVariable ?? 'key'}`
}
