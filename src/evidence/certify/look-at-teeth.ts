/** Teeth, tried in the clean place with the checks that run tests. */

import type { ChosenFile } from '../choose-defects.ts'
import { findTeethFiles } from '../find-teeth-files.ts'
import type { Answer } from '../hear-tests.ts'
import type { Planter } from '../planter.ts'
import { createClassify } from '../seals/classify.ts'
import { tryTeeth, unnoticedOf } from '../teeth.ts'
import { signatureOf } from './baseline.ts'
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
    isSealed: (path) => classify(path) !== undefined,
    random,
  })
  const teeth = await tryTeeth({
    ...files,
    planter: await openPlanter(),
    random,
    runChecks: (over, on) =>
      ask({ ...run, tree: on === 'base' ? base : tree, over }, tests, limitMsMin),
  })
  const asking = files.changed.flatMap(asksWhoLooks)
  if (teeth.type === 'not-tried') {
    return asking.length === 0 ? undefined : { planted: 0, noticed: 0, unnoticed: asking }
  }
  const { planted, noticed, toothless } = teeth
  const unnoticed = unnoticedOf(teeth)
    .filter(({ place }) => toothless.includes(place))
    .map(({ file, line, description }) => `${file}:${line} ${description}`)
  return { planted, noticed, unnoticed: [...asking, ...unnoticed] }
}

/** Variables that runners set, and the like: whoever asks for them can answer otherwise to others. */
const signsOfTests =
  /\b(?:NODE_TEST_CONTEXT|VITEST(?:_\w+)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST)\b|["'](?:pytest|_pytest|unittest)["'] in sys\.modules/

/** Lines of the change that ask whether they are being tested. */
function asksWhoLooks({ path, text, lines }: ChosenFile): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const sign = signsOfTests.exec(line)?.[0]
    if (sign === undefined || lines?.has(index + 1) === false) return []
    return [`${path}:${index + 1} asks whether it is being tested (${sign})`]
  })
}

/** A defect may be a loop without end; whatever takes so much longer than it did has noticed. */
const timesLonger = 5
const defaultLimitMsMin = 15_000

async function ask(
  request: RunRequest,
  tests: readonly Ran[],
  limitMsMin: number,
): Promise<Answer> {
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
    const isMet = ran.every(({ result }) => result.status === 'met')
    const failed = failuresOf(ran, tests)
    return {
      notice: isMet ? 'not-noticed' : 'noticed',
      ...(failed === undefined ? { signature: signature(ran) } : { failed }),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (late.signal.aborted) return { notice: 'noticed' }
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const signature = (ran: readonly Ran[]): string =>
  signatureOf(ran.map(({ result }) => result.output).join('\n'))

/** Checks that count as many tests as another count the same ones, as far as we know. */
function failuresOf(ran: readonly Ran[], before: readonly Ran[]): number | undefined {
  const most = new Map<string, number>()
  for (const { check, result } of ran) {
    const known = before.find((one) => one.check === check)?.result.counts
    if (known === undefined) continue
    if (result.counts === undefined) return undefined
    const key = JSON.stringify(known)
    most.set(key, Math.max(most.get(key) ?? 0, result.counts.failed))
  }
  return most.size === 0 ? undefined : [...most.values()].reduce((sum, one) => sum + one, 0)
}
