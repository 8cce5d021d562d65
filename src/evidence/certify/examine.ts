/**
 * Everything that is found out in the clean checkout before a person is asked.
 *
 *   candidate     every check, observed; it must pass
 *   base          what the checks answered before the run began; kept
 *   classify      work, new tests, not read, other
 *   plants        every red-to-green test is shown able to fail
 *   taken back    the candidate without the work: what failed fails again
 *   work alone    the base plus the work, in another environment: passes; last, so that it is also a control
 *                 after the planted failures
 */

import { type CheckStatus, defined } from '../../loop/index.ts'
import type { Strength } from '../../protocol/index.ts'
import type { CertifyingPlace, OpenCheck } from '../parts.ts'
import type { ClassifiedChange } from '../scope/index.ts'
import { type BaseAnswer, baseAnswerOf, isNoWorse } from './base-answers.ts'
import type { Certifying, Examining } from './certifier.ts'
import { checkContextOf } from './check-context.ts'
import { classify } from './classify-work.ts'
import type { ComparedTests } from './compare-tests.ts'
import { concernsOf } from './concerns.ts'
import { type Consultation, consultAll } from './consult.ts'
import { runControls } from './controls.ts'
import type { PlantedCommand } from './plant-in-commands.ts'
import { type Ran, type RunRequest, runChecks } from './run-checks.ts'
import { type Concern, type ControlRun, count, isGood, type Seen } from './seen.ts'
import type { AbleToFail } from './show-able-to-fail.ts'
import { strengthOf } from './strength.ts'

export interface Examined {
  readonly layer: CertifyingPlace['layer']
  readonly walls?: CertifyingPlace['walls']
  /** The checks on the candidate. */
  readonly own: readonly Ran[]
  /** The checks on the base plus the work. */
  readonly sealed: readonly Ran[]
  readonly controls: readonly ControlRun[]
  readonly changes: readonly ClassifiedChange[]
  readonly compared: ReadonlyMap<string, ComparedTests>
  readonly able: ReadonlyMap<string, AbleToFail>
  readonly commands: ReadonlyMap<string, PlantedCommand>
  readonly concerns: readonly Concern[]
  readonly consultations: readonly Consultation[]
  readonly strength: Strength
}

export async function examine(
  certifying: Examining,
  place: CertifyingPlace,
  approved: ReadonlySet<string>,
): Promise<Examined> {
  const { parts, subject, tree, base } = certifying
  const run: Omit<RunRequest, 'tree'> = {
    place,
    context: checkContextOf(certifying, place),
    now: () => parts.now(),
  }
  const isDoubtful = doubts(subject.evidence)
  certifying.context.note?.(`running ${count(place.checks.length, 'check')} on the candidate`)
  const asked = await runChecks({ ...run, tree, isDoubtful })
  const bases = await basesOf(certifying, place, run, asked)
  const own = asked.map((ran) => allowedAs(ran, bases.get(ran.check.name)))
  const { layer, walls } = place
  const found = {
    layer,
    ...defined({ walls }),
    own,
    sealed: [],
    controls: [],
    changes: [],
    compared: new Map(),
    able: new Map(),
    commands: new Map(),
    consultations: [],
  }
  const seen: Seen = { own, bases, evidence: subject.evidence, approved }
  const required = parts.required
  if (!own.every(isGood)) {
    const strength = strengthOf({ ...seen, required, isChanged: base !== tree, concerns: [] })
    return { ...found, concerns: concernsOf(seen), strength }
  }
  const commandInstead = await parts.commandInstead(base)
  const all: Seen = {
    ...seen,
    ...defined({ commandInstead }),
    ...(base === tree ? {} : await tried(certifying, run, seen)),
  }
  const concerns = concernsOf(all)
  const consulted = await consultAll(certifying, place, concerns)
  const strength = strengthOf({
    ...all,
    required,
    isChanged: base !== tree,
    concerns: concerns.map(({ code }) => code),
  })
  return {
    ...found,
    sealed: all.alone ?? [],
    controls: all.controls ?? [],
    changes: all.changes ?? [],
    compared: all.compared ?? new Map(),
    able: all.able ?? new Map(),
    commands: all.commands ?? new Map(),
    concerns: [...concerns, ...consulted.concerns],
    consultations: consulted.consultations,
    strength,
  }
}

async function tried(
  certifying: Examining,
  run: Omit<RunRequest, 'tree'>,
  seen: Seen,
): Promise<Partial<Seen>> {
  const classified = await classify(certifying, seen)
  const controls = await runControls(certifying, run, seen, classified)
  return { ...classified.seen, ...controls }
}

/** It was seen to answer differently, or does so now. */
const doubts =
  (evidence: Certifying['subject']['evidence']) =>
  (check: OpenCheck, first: CheckStatus): boolean => {
    const before = Object.hasOwn(evidence, check.name) ? evidence[check.name] : undefined
    if (before?.flaky === true) return true
    return before?.status === 'met' && first === 'not-met'
  }

async function basesOf(
  { parts, base, tree }: Certifying,
  place: CertifyingPlace,
  run: Omit<RunRequest, 'tree'>,
  own: readonly Ran[],
): Promise<ReadonlyMap<string, BaseAnswer>> {
  const found = new Map<string, BaseAnswer>()
  if (base === tree) return found
  for (const { check, result } of own) {
    if (result.status !== 'met' && result.status !== 'not-met') continue
    const answer = await baseAnswerOf(base, check, place, run, parts.bases)
    if (answer !== undefined) found.set(check.name, answer)
  }
  return found
}

function allowedAs(ran: Ran, base: BaseAnswer | undefined): Ran {
  const { check, result, observation } = ran
  if (base?.status !== 'not-met' || result.status !== 'not-met') return ran
  const existing = { ...result, existing: true } as const
  const now = { ...observation, output: result.output }
  const isAllowed = check.existing === 'allow' && isNoWorse(now, base)
  return { ...ran, result: isAllowed ? { ...existing, allowed: true } : existing }
}
