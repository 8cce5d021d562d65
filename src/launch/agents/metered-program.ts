/** What all programs have in common that use models through the gateway, whatever their protocol. */

import type { Agent, AgentProgram } from '../../agents/index.ts'
import {
  agentEnvironment,
  keyVariables,
  publicProviders,
  type Session,
} from '../../gateway/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { requireNoLinks } from '../../system/index.ts'
import type { AgentParts } from './agent-parts.ts'
import { meteredAgent } from './metered-agent.ts'
import { pickVariables } from './pick-variables.ts'

/** Keys of providers: never passed on, even if a loop file names them. */
const keyNames: readonly string[] = [
  ...Object.keys(publicProviders).flatMap(keyVariables),
  'ANTHROPIC_AUTH_TOKEN',
]

const sessionNames: readonly string[] = Object.keys(agentEnvironment('', ''))

export interface ProgramVariables {
  /** Values that must not be recorded. */
  readonly secrets: readonly string[]
  /** Variables of keys get the token of the session. */
  given(token: string): Readonly<Record<string, string>>
}

export function programVariables(
  names: readonly string[],
  { environment, problems }: Pick<AgentParts, 'environment' | 'problems'>,
): ProgramVariables {
  const plain = names.filter((name) => !keyNames.includes(name) && !sessionNames.includes(name))
  const asKeys = names.filter((name) => keyNames.includes(name))
  const values = pickVariables('the agent', plain, environment, problems)
  return {
    secrets: Object.values(values),
    given: (token) => ({ ...values, ...Object.fromEntries(asKeys.map((name) => [name, token])) }),
  }
}

export function meteredProgram(
  { secrets }: Pick<ProgramVariables, 'secrets'>,
  {
    place: { replay },
    models,
    secrets: others = [],
  }: Pick<AgentParts, 'place' | 'models' | 'secrets'>,
  make: (session: Session) => Promise<Agent>,
): Agent {
  return meteredAgent({
    gateway: () => models.gateway(),
    keyVariable: (provider) => keyVariables(provider)[0] ?? provider,
    secrets: [...secrets, ...others],
    make,
    ...defined({ replay }),
  })
}

/** Recorded answers name files of the original run, which still exist. */
export function requireSandboxedReplay(
  name: string,
  { place, sandbox }: Pick<AgentParts, 'place' | 'sandbox'>,
): void {
  if (place.replay === undefined || sandbox.summary.tier !== 'none') return
  throw new LoopError(
    'not-available',
    `Cannot replay ${name} without a sandbox: it would change the files of the original run, because the ` +
      'recorded answers name them. See what is missing with: loopctl doctor',
  )
}

/** Checked before the run starts, if the workspace is known. */
export function requireHidable(
  { hides }: Pick<AgentProgram, 'hides'>,
  { place: { workspace }, sandbox }: Pick<AgentParts, 'place' | 'sandbox'>,
): void {
  if (workspace !== undefined && sandbox.summary.tier !== 'none') requireNoLinks(workspace, hides)
}

/** How long a program may continue after the last answer of its model. */
const lingerMs = 120_000

/** True if its model gave its final answer a while ago. */
export function isOver({ activity }: Pick<Session, 'activity'>): boolean {
  const { inProgress: underWay, lastTurnEnd: lastAnswer, lastAtMs } = activity
  return underWay === 0 && lastAnswer === 'final' && Date.now() - lastAtMs > lingerMs
}

/** Longer than the interval of the watch. */
const momentMs = 6000

/** True if a model works for it, or did a moment ago. A program whose requests fail is not busy. */
export const isBusy = ({ activity, totals }: Pick<Session, 'activity' | 'totals'>): boolean =>
  totals.trouble === undefined &&
  (activity.inProgress > 0 || Date.now() - activity.lastAtMs < momentMs)
