/** What programs that ask their models through the gateway have in common, whatever they speak. */

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
import { passOn } from './pass-on.ts'

/** Whatever a loop file hands on, these are keys of providers, which stay here. */
const keyNames: readonly string[] = [
  ...Object.keys(publicProviders).flatMap(keyVariables),
  'ANTHROPIC_AUTH_TOKEN',
]

const sessionNames: readonly string[] = Object.keys(agentEnvironment('', ''))

export interface ProgramVariables {
  /** Values that must not be on record. */
  readonly secrets: readonly string[]
  /** Whoever asks for a key gets the token of a session. */
  given(token: string): Readonly<Record<string, string>>
}

export function programVariables(
  names: readonly string[],
  { environment, problems }: Pick<AgentParts, 'environment' | 'problems'>,
): ProgramVariables {
  const plain = names.filter((name) => !keyNames.includes(name) && !sessionNames.includes(name))
  const asKeys = names.filter((name) => keyNames.includes(name))
  const values = passOn('the agent', plain, environment, problems)
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

/** What it was told then names files of the run on record, which are still there. */
export function requireWalledReplay(
  name: string,
  { place, walls }: Pick<AgentParts, 'place' | 'walls'>,
): void {
  if (place.replay === undefined || walls.walls.tier !== 'none') return
  throw new LoopError(
    'not-available',
    `Without a sandbox ${name} would work on the files of the run that it does again, since the ` +
      'answers on record name them. See what is missing with: loopctl doctor',
  )
}

/** Said before there is a run, where it can be known by then. */
export function requireHidable(
  { hides }: Pick<AgentProgram, 'hides'>,
  { place: { workspace }, walls }: Pick<AgentParts, 'place' | 'walls'>,
): void {
  if (workspace !== undefined && walls.walls.tier !== 'none') requireNoLinks(workspace, hides)
}

/** How long after a model's last word a program may go on without one. */
const lingerMs = 120_000

/** Its model has had its last word, a while ago. */
export function isOver({ activity }: Pick<Session, 'activity'>): boolean {
  const { underWay, lastAnswer, lastAtMs } = activity
  return underWay === 0 && lastAnswer === 'final' && Date.now() - lastAtMs > lingerMs
}

/** Longer than those who watch look away. */
const momentMs = 6000

/** A model works for it, or did a moment ago. One that asks again and again for nothing is not busy. */
export const isBusy = ({ activity, totals }: Pick<Session, 'activity' | 'totals'>): boolean =>
  totals.trouble === undefined &&
  (activity.underWay > 0 || Date.now() - activity.lastAtMs < momentMs)
