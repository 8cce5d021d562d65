/** Teeth, tried in the clean place with the checks that run tests. */

import { findTeethFiles } from '../find-teeth-files.ts'
import type { Planter } from '../planter.ts'
import { createClassify } from '../seals/classify.ts'
import { type Notice, tryTeeth, unnoticedOf } from '../teeth.ts'
import type { Certifying } from './certifier.ts'
import { digestOf } from './digest.ts'
import { type Ran, type RunRequest, runChecks } from './run-checks.ts'

export interface TeethSettings {
  /** Asked for when there is something to plant in. */
  openPlanter(): Promise<Planter>
  /** Numbers in [0, 1): the same for the same seed, so that the same work meets the same defects. */
  readonly randomFrom: (seed: number) => () => number
  /** How long checks may take at least before they are taken to have noticed; 15 s unless told. */
  readonly limitMsMin?: number
}

export interface Toothed {
  readonly planted: number
  readonly noticed: number
  /** What nobody noticed where somebody should have, a line each. */
  readonly unnoticed: readonly string[]
}

/** Undefined: there was nothing to plant in, or nothing that could notice. */
export async function lookAtTeeth(
  { parts, base, tree }: Certifying,
  { openPlanter, randomFrom, limitMsMin = defaultLimitMsMin }: TeethSettings,
  run: Omit<RunRequest, 'tree'>,
  tests: readonly Ran[],
): Promise<Toothed | undefined> {
  if (tests.length === 0 || base === tree) return undefined
  const random = randomFrom(Number.parseInt(digestOf(tree).slice(0, 8), 16))
  const classify = createClassify(parts.seals, { has: () => false, loaded: new Map() })
  const files = await findTeethFiles({
    reader: parts.reader,
    base,
    tree,
    isTest: (path) => classify(path)?.kind === 'test',
    random,
  })
  const teeth = await tryTeeth({
    ...files,
    planter: await openPlanter(),
    random,
    runChecks: (over) => ask({ ...run, tree, over }, tests, limitMsMin),
  })
  if (teeth.type === 'not-tried') return undefined
  const { planted, noticed, toothless } = teeth
  const unnoticed = unnoticedOf(teeth)
    .filter(({ place }) => toothless.includes(place))
    .map(({ file, line, description }) => `${file}:${line} ${description}`)
  return { planted, noticed, unnoticed }
}

/** A defect may be a loop without end; whatever takes so much longer than it did has noticed. */
const timesLonger = 5
const defaultLimitMsMin = 15_000

async function ask(
  request: RunRequest,
  tests: readonly Ran[],
  limitMsMin: number,
): Promise<Notice> {
  const tookMs = tests.reduce((sum, { startedAtMs, endedAtMs }) => sum + endedAtMs - startedAtMs, 0)
  const { signal } = request.context
  const late = new AbortController()
  const stop = (): void => late.abort(signal.reason)
  const timer = setTimeout(stop, Math.max(limitMsMin, timesLonger * tookMs))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const context = { ...request.context, signal: late.signal }
    const checks = tests.map(({ check }) => check)
    const ran = await runChecks({ ...request, context }, checks)
    return ran.some(({ result }) => result.status !== 'met') ? 'noticed' : 'not-noticed'
  } catch (error) {
    signal.throwIfAborted()
    if (late.signal.aborted) return 'noticed'
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
