/**
 * The phases of the protocol, and what has to be shown before one is left. A proof is data in the journal; a phase without all of
 * its fields cannot be left, whatever its code did.
 */

import { FaultError, type Iteration } from '../../loop/index.ts'

export const proofRole = 'proof'
export const gateRole = 'gate'

/** By phase: the fields of its proof. */
export interface PhaseProofs {
  readonly setup: Proof<'mode' | 'session' | 'manifest' | 'flags' | 'routing'>
  readonly interrogation: Proof<'depthChosen' | 'roundsCompleted' | 'manifestValidated'>
  readonly planning: Proof<
    | 'failureContext'
    | 'hypothesesRanked'
    | 'experimentsDesigned'
    | 'casesSelected'
    | 'successCriteria'
    | 'planWritten'
    | 'approved'
  >
  readonly calibration: Proof<
    'testFixture' | 'pipelineResult' | 'manifestSaved' | 'calibrationLogged'
  >
  readonly baseline: Proof<'casesExecuted' | 'baselineMetrics' | 'baselinePresented' | 'approved'>
  readonly iteration: Proof<'iterationsCompleted' | 'logEntries' | 'exitCondition'>
  readonly synthesis: Proof<'debriefFile' | 'debriefTags'>
}

export type ProvenPhase = keyof PhaseProofs

type Proof<Field extends string> = { readonly [Name in Field]: string }

const phases: {
  readonly [Phase in ProvenPhase]: {
    readonly number: number
    readonly fields: readonly (keyof PhaseProofs[Phase])[]
  }
} = {
  setup: { number: 0, fields: ['mode', 'session', 'manifest', 'flags', 'routing'] },
  interrogation: {
    number: 1,
    fields: ['depthChosen', 'roundsCompleted', 'manifestValidated'],
  },
  planning: {
    number: 2,
    fields: [
      'failureContext',
      'hypothesesRanked',
      'experimentsDesigned',
      'casesSelected',
      'successCriteria',
      'planWritten',
      'approved',
    ],
  },
  calibration: {
    number: 3,
    fields: ['testFixture', 'pipelineResult', 'manifestSaved', 'calibrationLogged'],
  },
  baseline: {
    number: 4,
    fields: ['casesExecuted', 'baselineMetrics', 'baselinePresented', 'approved'],
  },
  iteration: { number: 5, fields: ['iterationsCompleted', 'logEntries', 'exitCondition'] },
  synthesis: { number: 6, fields: ['debriefFile', 'debriefTags'] },
}

/** The first step of a phase: what it is about to do, as `tail` shows it. */
export const openPhase = (it: Iteration, phase: ProvenPhase, intent: string): Promise<string> =>
  it.step(`phase ${phases[phase].number} ${phase}`, () => intent, {
    readOnly: true,
    role: 'intent',
  })

/** Rejects, which ends the run, if a field is missing or blank. */
export async function leavePhase<Phase extends ProvenPhase>(
  it: Iteration,
  phase: Phase,
  proof: PhaseProofs[Phase],
): Promise<void> {
  await it.step(`proof ${phase}`, () => requireProof(phase, proof), {
    readOnly: true,
    role: proofRole,
  })
}

export function requireProof<Phase extends ProvenPhase>(
  phase: Phase,
  proof: PhaseProofs[Phase],
): PhaseProofs[Phase] {
  const missing = phases[phase].fields.filter((field) => {
    const value: unknown = proof[field]
    return typeof value !== 'string' || value.trim() === ''
  })
  if (missing.length === 0) return proof
  throw new FaultError({
    code: 'proof-missing',
    message: `Phase ${phases[phase].number} (${phase}) cannot be left: its proof has no ${missing.join(', ')}.`,
    retryable: false,
    fatal: true,
  })
}
