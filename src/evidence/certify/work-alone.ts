/**
 * The base plus only the work, in another environment: tests, settings and everything else as they were. It runs
 * last, so that it is also a control after the planted failures.
 */

import type { OpenCheck, Overlay } from '../parts.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { Controlling, Lane } from './lanes.ts'
import { type Ran, runChecks } from './run-checks.ts'
import { type ControlRun, isGood, type Seen } from './seen.ts'
import { withComments } from './with-comments.ts'

/** In another environment and at another path; where that fails, once more in the usual one, to tell which of the two it is. */
export async function workAlone(
  all: Controlling,
  elsewhere: Lane,
  compared: ReadonlyMap<string, ComparedTests>,
  programs: readonly string[],
): Promise<{ readonly alone: readonly Ran[]; readonly controls: readonly ControlRun[] }> {
  const { certifying, run, seen, over, classified } = all
  const { tree } = certifying
  const checks = seen.own.map(({ check }) => check).filter(isCommand)
  const commented = await withComments(certifying, over, classified.work, compared, programs)
  const first = await runElsewhere(all, elsewhere, commented.over)
  // What cannot be stated in a compiled language is left out, unless the work may be the reason.
  const isLeftOut = !commented.decides && isUnloaded(first, commented.compiled)
  const plain = async (): Promise<Overlay> =>
    (await withComments(certifying, over, classified.work, compared, programs, 'commented')).over
  const isUnrelated = isOtherFailure(commented.markers)
  const again =
    isLeftOut || first.some(isUnrelated)
      ? await runElsewhere(all, elsewhere, await plain())
      : undefined
  const other = first.map((ran) =>
    isLeftOut || isUnrelated(ran)
      ? (again?.find((one) => one.check.name === ran.check.name) ?? ran)
      : ran,
  )
  if (isAllGood(other, seen)) {
    return {
      alone: other,
      controls: [
        { name: 'base-plus-work', ran: other, held: true },
        { name: 'other-environment', ran: other, held: true },
      ],
    }
  }
  const usual = mayFail(await runChecks({ ...run, tree, over }, checks), seen)
  const held = isAllGood(usual, seen)
  return {
    alone: usual,
    controls: [
      { name: 'base-plus-work', ran: usual, held },
      ...(held ? [{ name: 'other-environment', ran: other, held: false } as const] : []),
    ],
  }
}

async function runElsewhere(
  all: Controlling,
  elsewhere: Lane,
  over: Overlay,
): Promise<readonly Ran[]> {
  const request = { ...elsewhere, tree: all.certifying.tree, over, environment: 'other' } as const
  return mayFail(await runChecks(request, elsewhere.place.checks.filter(isCommand)), all.seen)
}

/** Linters and formatters may refuse the text of what is stated once more. */
const isOtherFailure =
  (markers: readonly string[]) =>
  (ran: Ran): boolean => {
    const { output, whole = output } = ran.result
    const isSilent = ran.observation.tests === undefined
    return isSilent && !isGood(ran) && !markers.some((marker) => whole.includes(marker))
  }

/** One of the files did not compile. */
const isUnloaded = (ran: readonly Ran[], files: readonly string[]): boolean =>
  ran.some(({ observation }) =>
    observation.tests?.some(
      ({ file, titles, status }) =>
        status === 'failed' && titles[0] === '(file)' && files.includes(file),
    ),
  )

const isCommand = ({ kind }: OpenCheck): boolean => kind === 'command'

/** All pass, and no test of the base is missing that ran on the candidate. */
function isAllGood(ran: readonly Ran[], seen: Seen): boolean {
  return ran.every((one) => {
    if (!isGood(one)) return false
    const own = seen.own.find(({ check }) => check.name === one.check.name)?.observation.tests
    const base = seen.bases.get(one.check.name)?.tests
    if (own === undefined || base === undefined) return true
    const now = new Map(one.observation.tests?.map(({ id, status }) => [id, status]))
    const ids = new Map(own.map(({ id, status }) => [id, status]))
    return base.every(({ id }) => ids.get(id) !== 'passed' || now.get(id) === 'passed')
  })
}

/** A check that failed on the candidate as it did on the base may fail here, too. */
function mayFail(ran: readonly Ran[], seen: Seen): readonly Ran[] {
  return ran.map((one) => {
    const isAllowed =
      seen.own.find(({ check }) => check.name === one.check.name)?.result.allowed === true
    return isAllowed && one.result.status === 'not-met'
      ? { ...one, result: { ...one.result, existing: true, allowed: true } }
      : one
  })
}
