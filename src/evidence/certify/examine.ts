/**
 * Everything that is determined in the clean checkout before a person is asked.
 *
 *   candidate     every check, observed; must pass
 *   base          the results of the checks before the run; cached
 *   classify      work, new tests, not read, other
 *   plants        every red-to-green test is shown able to fail
 *   reverted      the candidate without the work: what failed fails again
 *   work alone    the base plus the work, in another environment: must pass; runs last, so that it is also a control
 *                 run after the planted failures
 */

import { type CheckStatus, defined } from '../../loop/index.ts'
import type { CertificationCheckout, OpenCheck } from '../parts.ts'
import { type BaseResult, findBaseResult, isNoWorse } from './base-answers.ts'
import type { CertificationContext, Examination, ExaminationContext } from './certification.ts'
import { classify } from './classify-work.ts'
import { findConcerns } from './concerns.ts'
import { consultAll } from './consult.ts'
import { runControls } from './controls.ts'
import { createCheckContext } from './create-check-context.ts'
import { count, isAcceptable, type Observations } from './observations.ts'
import { type CheckRun, type RunRequest, runChecks } from './run-checks.ts'
import { assessStrength } from './strength.ts'

export async function examine(
  certifying: ExaminationContext,
  place: CertificationCheckout,
  approved: ReadonlySet<string>,
): Promise<Examination> {
  const { parts, subject, tree, base } = certifying
  const run: Omit<RunRequest, 'tree'> = {
    place,
    context: createCheckContext(certifying, place),
    now: () => parts.now(),
  }
  const isDoubtful = createDoubts(subject.evidence)
  certifying.context.note?.(`running ${count(place.checks.length, 'check')} on the candidate`)
  const results = await runChecks({ ...run, tree, isDoubtful })
  const bases = await runBases(certifying, place, run, results)
  const own = results.map((ran) => markExisting(ran, bases.get(ran.check.name)))
  const { layer, sandbox } = place
  const found = {
    layer,
    ...defined({ sandbox }),
    own,
    sealed: [],
    controls: [],
    changes: [],
    compared: new Map(),
    able: new Map(),
    commands: new Map(),
    consultations: [],
  }
  const observations: Observations = { own, bases, evidence: subject.evidence, approved }
  const required = parts.required
  if (!own.every(isAcceptable)) {
    const strength = assessStrength({
      ...observations,
      required,
      isChanged: base !== tree,
      concerns: [],
    })
    return { ...found, concerns: findConcerns(observations), strength }
  }
  const alternativeCommand = await parts.findAlternativeCommand(base)
  const all: Observations = {
    ...observations,
    ...defined({ alternativeCommand }),
    ...(base === tree ? {} : await runControlled(certifying, run, observations)),
  }
  const concerns = findConcerns(all)
  const consulted = await consultAll(certifying, place, concerns)
  const strength = assessStrength({
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

async function runControlled(
  certifying: ExaminationContext,
  run: Omit<RunRequest, 'tree'>,
  observations: Observations,
): Promise<Partial<Observations>> {
  const classified = await classify(certifying, observations)
  const controls = await runControls(certifying, run, observations, classified)
  return { ...classified.observations, ...controls }
}

/** The check gave different results before, or does so now. */
const createDoubts =
  (evidence: CertificationContext['subject']['evidence']) =>
  (check: OpenCheck, first: CheckStatus): boolean => {
    const before = Object.hasOwn(evidence, check.name) ? evidence[check.name] : undefined
    if (before?.flaky === true) return true
    return before?.status === 'met' && first === 'not-met'
  }

async function runBases(
  { parts, base, tree }: CertificationContext,
  place: CertificationCheckout,
  run: Omit<RunRequest, 'tree'>,
  own: readonly CheckRun[],
): Promise<ReadonlyMap<string, BaseResult>> {
  const found = new Map<string, BaseResult>()
  if (base === tree) return found
  for (const { check, result } of own) {
    if (result.status !== 'met' && result.status !== 'not-met') continue
    const answer = await findBaseResult(base, check, place, run, parts.bases)
    if (answer !== undefined) found.set(check.name, answer)
  }
  return found
}

function markExisting(ran: CheckRun, base: BaseResult | undefined): CheckRun {
  const { check, result, observation } = ran
  if (base?.status !== 'not-met' || result.status !== 'not-met') return ran
  const existing = { ...result, existing: true } as const
  const now = { ...observation, output: result.output }
  const isAllowed = check.existing === 'allow' && isNoWorse(now, base)
  return { ...ran, result: isAllowed ? { ...existing, allowed: true } : existing }
}
