/** Everything that is looked at in the clean place, before anybody is asked. */

import type { CheckContext } from '../../engine/index.ts'
import type { CheckStatus, TestCounts } from '../../loop/index.ts'
import type { CertifyingPlace, OpenCheck } from '../parts.ts'
import { describeSealed } from '../seals/describe-sealed.ts'
import type { SealedChanges } from '../seals/sealed-change.ts'
import { type Baseline, baselineOf, isNoWorse } from './baseline.ts'
import type { Certifying } from './certifier.ts'
import { type Concern, concernsOf, isGood, type Seen } from './concerns.ts'
import { type Consultation, consultAll, differing } from './consult.ts'
import { withKnown } from './known-answers.ts'
import { lookAtTeeth, type Toothed } from './look-at-teeth.ts'
import { rehearse } from './rehearse.ts'
import { type Ran, type RunRequest, runChecks } from './run-checks.ts'

export interface Looked {
  readonly layer: CertifyingPlace['layer']
  readonly walls?: CertifyingPlace['walls']
  readonly own: readonly Ran[]
  readonly sealed: readonly Ran[]
  readonly concerns: readonly Concern[]
  readonly consultations: readonly Consultation[]
  readonly teeth?: Toothed
}

/** `isApproved`: of the changes to sealed things a person has approved. */
export async function look(
  certifying: Certifying,
  place: CertifyingPlace,
  changed: SealedChanges,
  isApproved: boolean,
): Promise<Looked> {
  const { parts, subject, tree, base } = certifying
  const run = runRequest(certifying, place)
  const isDoubtful = doubts(subject.evidence)
  const asked = await runChecks({ ...run, tree, isDoubtful, findsWritten: true })
  const own = await withKnown(asked, tree, place.layer, parts.answers)
  const baselines = await baselinesOf(certifying, place, run, own)
  const allowed = own.map((ran) => allowedAs(ran, baselines.get(ran.check.name)))
  const { layer, walls } = place
  const found = {
    layer,
    ...(walls === undefined ? {} : { walls }),
    own: allowed,
    sealed: [],
    consultations: [],
  }
  const seen: Seen = {
    own: allowed,
    sealedChanges: [],
    baseCounts: countsOf(baselines),
    baseMet: new Set(
      [...baselines].flatMap(([name, { status }]) => (status === 'met' ? [name] : [])),
    ),
    baseWritten: new Map([...baselines].map(([name, { written = [] }]) => [name, written])),
    evidence: subject.evidence,
  }
  // Whatever else there is to say can wait until they pass.
  const failed = concernsOf(seen)
  if (!allowed.every(isGood)) return { ...found, concerns: failed }
  const asks = changed.changes.length > 0 && !isApproved
  const tests = testsOf(allowed)
  const isNew = changed.freshTests.length > 0 || parts.teeth !== undefined
  // After an approval there is no base to judge by: what was approved of takes its place.
  const rehearsed = isApproved || base === tree || !isNew ? [] : tests.map(({ check }) => check)
  const again = asks ? place.checks : rehearsed
  const sealed = await rehearse(certifying, run, changed, again)
  const commandInstead = await parts.commandInstead(base)
  const all: Seen = {
    ...seen,
    ...(again.length > 0 ? { sealed, freshTests: changed.freshTests } : {}),
    ...(asks ? { sealedChanges: describeSealed(changed.changes), unlaid: changed.unlaid } : {}),
    ...(commandInstead === undefined ? {} : { commandInstead }),
  }
  // Where nobody is asked, one reason is enough: the others can wait until it is mended.
  const isRefused = parts.changes === 'refuse' && concernsOf(all).length > 0
  const teeth =
    parts.teeth === undefined || isRefused
      ? undefined
      : await lookAtTeeth(certifying, parts.teeth, run, tests)
  const concerns = concernsOf({
    ...all,
    ...(teeth === undefined ? {} : { unnoticed: teeth.unnoticed }),
  })
  const consulted = await consultAll(certifying, place, concerns)
  return {
    ...found,
    sealed,
    concerns: [...concerns, ...consulted.concerns],
    consultations: consulted.consultations,
    ...(teeth === undefined ? {} : { teeth }),
  }
}

const patchBytesMax = 60_000

function runRequest(
  { parts, context, subject, tree, base }: Certifying,
  place: CertifyingPlace,
): Omit<RunRequest, 'tree'> {
  const { agents, checkout } = place
  const checkContext: CheckContext = {
    ...context,
    iteration: subject.iteration,
    workspace: checkout.path,
    work(role, task) {
      if (agents === undefined) throw new Error(`There is no agent for the role ${role}.`)
      return context.work(agents, role, task, checkout.path)
    },
    callTool: (name, args) => context.callTool(name, args),
    async changes() {
      const paths = await differing(parts.reader, base, tree)
      return parts.reader.patch(base, tree, paths, patchBytesMax)
    },
  }
  return { place, context: checkContext, now: () => parts.now() }
}

/** It was seen to answer otherwise, or answers otherwise now. */
const doubts =
  (evidence: Certifying['subject']['evidence']) =>
  (check: OpenCheck, first: CheckStatus): boolean => {
    const before = Object.hasOwn(evidence, check.name) ? evidence[check.name] : undefined
    if (before?.flaky === true) return true
    return before?.status === 'met' && first === 'not-met'
  }

/** Of those that can be compared with: what counted its tests, and what failed before, too. */
async function baselinesOf(
  { parts, base, tree }: Certifying,
  place: CertifyingPlace,
  run: Omit<RunRequest, 'tree'>,
  own: readonly Ran[],
): Promise<ReadonlyMap<string, Baseline>> {
  const found = new Map<string, Baseline>()
  if (base === tree) return found
  for (const { check, result } of own) {
    if (result.status !== 'met' && result.status !== 'not-met') continue
    const baseline = await baselineOf(base, check, place, run, parts.baselines)
    if (baseline !== undefined) found.set(check.name, baseline)
  }
  return found
}

function allowedAs(ran: Ran, baseline: Baseline | undefined): Ran {
  const { check, result } = ran
  if (baseline?.status !== 'not-met') return ran
  const existing = { ...result, existing: true } as const
  if (result.status !== 'not-met') return ran
  const isAllowed = check.existing === 'allow' && isNoWorse(result, baseline)
  return { ...ran, result: isAllowed ? { ...existing, allowed: true } : existing }
}

function countsOf(baselines: ReadonlyMap<string, Baseline>): ReadonlyMap<string, TestCounts> {
  const counts = new Map<string, TestCounts>()
  for (const [name, baseline] of baselines) {
    if (baseline.counts !== undefined) counts.set(name, baseline.counts)
  }
  return counts
}

/** What runs tests, by what it prints, and what makes something for it; where nothing does, all commands. */
function testsOf(own: readonly Ran[]): readonly Ran[] {
  const met = own.filter(({ check, result }) => check.kind === 'command' && result.status === 'met')
  if (!met.some(({ result }) => result.counts !== undefined)) return met
  const last = met.findLastIndex(({ result }) => result.counts !== undefined)
  return met.filter(
    ({ check, result }, at) =>
      result.counts !== undefined || (at < last && check.outputs.length > 0),
  )
}
