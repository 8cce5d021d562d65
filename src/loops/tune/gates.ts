/**
 * The gates between phases, as values. A phase is left forward with its proof; going back or skipping is a person's decision. What a
 * gate decided is a step of the journal, and `findTransitionProblem` compares it with where the loop really went.
 *
 *   setup ─▶ interrogation ─▶ planning ─▶ calibration ─▶ baseline ─▶ iteration ─▶ synthesis ─▶ ended
 */

import { gateRole } from './phase-proofs.ts'
import { decideWhich } from './questions.ts'
import type { GateDecision, Shown } from './shown.ts'
import type { TuneSession } from './tune-session.ts'
import type { TunePhase, TuneState } from './tune-state.ts'

export interface GateChoice {
  readonly label: string
  readonly to: TunePhase
}

const order: readonly TunePhase[] = [
  'setup',
  'interrogation',
  'planning',
  'calibration',
  'baseline',
  'iteration',
  'synthesis',
  'ended',
]

export const nextPhase = (phase: TunePhase): TunePhase => order[order.indexOf(phase) + 1] ?? 'ended'

export interface Gate {
  readonly from: TunePhase
  /** The question without "How to proceed?". */
  readonly text: string
  /** The first one goes forward: the default, and what the policy does. */
  readonly choices: readonly [GateChoice, ...GateChoice[]]
  readonly happened?: readonly string[]
  /** The name of the question. Default: `gate <phase>`. */
  readonly name?: string
}

/** Asks, and journals what was decided. */
export async function passGate(session: TuneSession, gate: Gate): Promise<GateDecision> {
  const { from, text, choices, happened = [], name = `gate ${from}` } = gate
  const [forward] = choices
  const { answer, by } = await decideWhich(session, name, {
    text,
    options: choices.map(({ label }) => label),
    default: forward.label,
    policy: forward.label,
    happened,
  })
  const chosen = choices.find(({ label }) => label === answer) ?? forward
  const decision: GateDecision = { from, to: chosen.to, by, choice: chosen.label }
  return session.it.step(name, () => decision, { readOnly: true, role: gateRole })
}

/** Why a loop must not go from one state to the next. Undefined: it may. */
export function findTransitionProblem(
  before: TuneState,
  after: TuneState,
  { proofs, gates }: Pick<Shown, 'proofs' | 'gates'>,
): string | undefined {
  const from = before.phase
  const to = after.phase
  if (to === 'aborted' || from === 'ended' || from === 'aborted') return undefined
  const uncalibrated = findUncalibrated(after)
  if (uncalibrated !== undefined) return uncalibrated
  if (from === to) return undefined
  const steps = order.indexOf(to) - order.indexOf(from)
  if (steps < 0) {
    return gates.some((gate) => gate.from === from && gate.to === to && gate.by === 'person')
      ? undefined
      : `going back from ${from} to ${to} needs a person`
  }
  if (!proofs.includes(from)) return `${from} was left without its proof`
  if (steps === 1 || from === 'setup') return undefined
  return gates.some((gate) => gate.from === from && gate.to === to && gate.by === 'person')
    ? undefined
    : `skipping from ${from} to ${to} needs a person`
}

/** Nothing is measured with a manifest that did not pass the calibration: one case, through the whole pipeline. */
function findUncalibrated(after: TuneState): string | undefined {
  if (!('calibration' in after)) return undefined
  const { manifestDigest, passes } = after
  return passes.includes(manifestDigest)
    ? undefined
    : 'the manifest as it is now did not pass the calibration'
}
