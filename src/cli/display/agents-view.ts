/** The agents of this machine, and the result of `agents test`, as text that fits a terminal. */

import type { AgentList, AgentStatus } from '../../launch/agents/list-agents.ts'
import type { Finding as TrialFinding } from '../../launch/agents/trial-findings.ts'
import type { AgentTrial } from '../../launch/agents/try-agent.ts'
import { type Finding, type Mark, renderSection, type SectionOptions } from './findings.ts'
import { visible } from './render.ts'

export function renderAgents({ sandbox, agents }: AgentList, options: SectionOptions): string {
  const tier = `${sandbox.tier} sandbox`
  const headWidth = Math.max(...agents.map(({ name }) => name.length)) + 2
  return agents
    .map((agent) => renderSection(agent.name, [findingOf(agent, tier)], { ...options, headWidth }))
    .join('\n')
}

const marks: Readonly<Record<AgentStatus['state'], Mark>> = {
  ready: 'good',
  'no-key': 'warning',
  missing: 'none',
}

function findingOf(agent: AgentStatus, tier: string): Finding {
  return {
    mark: marks[agent.state],
    text: headOf(agent),
    more: [
      [...protocolsOf(agent), describeWhereItRuns(agent, tier), ...keyOf(agent)].join('; '),
      agent.can.join(', '),
      ...otherProtocols(agent),
      ...(agent.next === undefined ? [] : [agent.next]),
    ],
  }
}

function headOf({ kind, state, version, tested, path, from }: AgentStatus): string {
  if (kind === 'built-in') return 'built in'
  if (kind === 'models') return state === 'ready' ? 'models with our tools' : 'no key'
  if (path === undefined) return `not found; tested with ${tested ?? 'no version'}`
  const other = version === tested ? '' : ` (tested with ${tested ?? 'no version'})`
  const fetched = from === 'fetched' ? ', installed by loopctl' : ''
  return `${version ?? 'version unknown'}${other}  ${path}${fetched}`
}

const protocolsOf = ({ protocols }: AgentStatus): readonly string[] =>
  protocols.length === 0
    ? []
    : [
        protocols
          .map(({ name, next }) => (next === undefined ? name : `${name} (not available)`))
          .join(', '),
      ]

/** How to enable a protocol that is not available here, if the agent needs no other step. */
const otherProtocols = ({ protocols, next: own }: AgentStatus): readonly string[] =>
  protocols.flatMap(({ name, next }) =>
    next === undefined || next === own ? [] : [`${name}: ${next}`],
  )

function describeWhereItRuns({ isolation }: AgentStatus, tier: string): string {
  if (isolation === 'sandbox') return `in a ${tier}`
  return isolation === 'none' ? 'without a sandbox: none is available here' : 'in our own process'
}

function keyOf({ key }: AgentStatus): readonly string[] {
  if (key === undefined) return []
  return [key.found ? `key for ${key.provider}: yes` : `key for ${key.provider}: none`]
}

export function renderFinding({ name, ok, text }: TrialFinding, options: SectionOptions): string {
  const mark = ok === undefined ? 'none' : ok ? 'good' : 'bad'
  return renderSection(name, [{ mark, text }], options)
}

export const renderTrialEnd = ({ next, workspace }: AgentTrial): string =>
  [
    visible(next),
    ...(workspace === undefined ? [] : [visible(`Its files are in ${workspace}`)]),
  ].join('\n')
