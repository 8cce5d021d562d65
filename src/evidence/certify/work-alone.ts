/**
 * Runs the base plus only the work, in another environment: tests, settings and everything else as they were. It runs
 * last, so that it is also a control run after the planted failures.
 */

import type { OpenCheck, Overlay } from '../parts.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { ControlContext, Lane } from './lanes.ts'
import { type ControlRun, isAcceptable, type Observations } from './observations.ts'
import { type CheckRun, runChecks } from './run-checks.ts'
import { withComments } from './with-comments.ts'

/** In another environment and at another path; if that fails, once more in the usual one, to tell which is the cause. */
export async function workAlone(
  all: ControlContext,
  elsewhere: Lane,
  compared: ReadonlyMap<string, ComparedTests>,
  programs: readonly string[],
): Promise<{ readonly alone: readonly CheckRun[]; readonly controls: readonly ControlRun[] }> {
  const { certifying, run, observations, over, classified } = all
  const { tree } = certifying
  const checks = observations.own.map(({ check }) => check).filter(isCommand)
  const commented = await withComments(certifying, over, classified.work, compared, programs)
  const first = await runElsewhere(all, elsewhere, commented.over)
  // Restated expectations that do not compile are dropped, unless the work may be the reason.
  const isDropped = !commented.decides && isUnloaded(first, commented.compiled)
  const plain = async (): Promise<Overlay> =>
    (await withComments(certifying, over, classified.work, compared, programs, 'commented')).over
  const isUnrelated = isOtherFailure(commented.markers)
  const again =
    isDropped || first.some(isUnrelated)
      ? await runElsewhere(all, elsewhere, await plain())
      : undefined
  const other = first.map((ran) =>
    isDropped || isUnrelated(ran)
      ? (again?.find((one) => one.check.name === ran.check.name) ?? ran)
      : ran,
  )
  if (isAllGood(other, observations)) {
    return {
      alone: other,
      controls: [
        { name: 'base-plus-work', ran: other, held: true },
        { name: 'other-environment', ran: other, held: true },
      ],
    }
  }
  const usual = mayFail(await runChecks({ ...run, tree, over }, checks), observations)
  const held = isAllGood(usual, observations)
  return {
    alone: usual,
    controls: [
      { name: 'base-plus-work', ran: usual, held },
      ...(held ? [{ name: 'other-environment', ran: other, held: false } as const] : []),
    ],
  }
}

async function runElsewhere(
  all: ControlContext,
  elsewhere: Lane,
  over: Overlay,
): Promise<readonly CheckRun[]> {
  const request = { ...elsewhere, tree: all.certifying.tree, over, environment: 'other' } as const
  return mayFail(
    await runChecks(request, elsewhere.place.checks.filter(isCommand)),
    all.observations,
  )
}

/** Linters and formatters may reject restated expectations. */
const isOtherFailure =
  (markers: readonly string[]) =>
  (ran: CheckRun): boolean => {
    const { output, whole = output } = ran.result
    const isSilent = ran.observation.tests === undefined
    return isSilent && !isAcceptable(ran) && !markers.some((marker) => whole.includes(marker))
  }

/** Whether one of the files did not compile. */
const isUnloaded = (ran: readonly CheckRun[], files: readonly string[]): boolean =>
  ran.some(({ observation }) =>
    observation.tests?.some(
      ({ file, titles, status }) =>
        status === 'failed' && titles[0] === '(file)' && files.includes(file),
    ),
  )

const isCommand = ({ kind }: OpenCheck): boolean => kind === 'command'

/** Whether all pass, and every test of the base that passed on the candidate passes. */
function isAllGood(ran: readonly CheckRun[], observations: Observations): boolean {
  return ran.every((one) => {
    if (!isAcceptable(one)) return false
    const own = observations.own.find(({ check }) => check.name === one.check.name)?.observation
      .tests
    const base = observations.bases.get(one.check.name)?.tests
    if (own === undefined || base === undefined) return true
    const now = new Map(one.observation.tests?.map(({ id, status }) => [id, status]))
    const ids = new Map(own.map(({ id, status }) => [id, status]))
    return base.every(({ id }) => ids.get(id) !== 'passed' || now.get(id) === 'passed')
  })
}

/** A check that failed on the candidate as it did on the base may fail here as well. */
function mayFail(ran: readonly CheckRun[], observations: Observations): readonly CheckRun[] {
  return ran.map((one) => {
    const isAllowed =
      observations.own.find(({ check }) => check.name === one.check.name)?.result.allowed === true
    return isAllowed && one.result.status === 'not-met'
      ? { ...one, result: { ...one.result, existing: true, allowed: true } }
      : one
  })
}
