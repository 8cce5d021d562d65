/**
 * Shows that tests can fail. Product code runs in the same process as its tests and could make any of them pass, so a
 * test counts only if failures planted in it are reported: a throw after its last statement, and another expected
 * value, or a throw before that statement if no value is expected.
 *
 * 1. Failures are planted only in tests; the code under test stays as it is.
 * 2. One run plants failures in all tests of a check.
 * 3. A planted test that passes, is skipped or is missing was not shown able to fail. A failure without the marker
 *    of the plant is another failure.
 */

import type { TreeReader } from '../../engine/index.ts'
import { selectKeyLines, type TreeId } from '../../loop/index.ts'
import type { ObservedTest } from '../observe/observation.ts'
import type { OpenCheck, Overlay, OverlayFile } from '../parts.ts'
import { type FailureKind, plantFailures } from '../planting/index.ts'
import { disableLintRules, findLintRules } from './lint-rules.ts'
import { type CheckRun, type RunRequest, runChecks } from './run-checks.ts'
import { findTestLocation } from './test-location.ts'

export interface AbleToFail {
  /** By id: how it was shown. */
  readonly shown: ReadonlyMap<string, readonly FailureKind[]>
  /** By id: what happened to the failure planted in it. */
  readonly unnoticed: ReadonlyMap<string, string>
  /** By id: why no failure could be planted in it. */
  readonly unplanted: ReadonlyMap<string, string>
}

export interface PlantingRequest {
  readonly reader: TreeReader
  /** Checkouts that can be used in parallel; at least one. */
  readonly lanes: readonly Omit<RunRequest, 'tree'>[]
  readonly tree: TreeId
  /** The overlay that the planted files are added to: the test files of the base. */
  readonly over: Overlay
  /** The check and the checks whose outputs it needs. */
  readonly checks: readonly OpenCheck[]
  readonly check: OpenCheck
  readonly tests: readonly ObservedTest[]
  /** Changed paths that are the work: only their own tests are searched in them. */
  readonly work: readonly string[]
  /** Per run: the kind to plant, or the next one if that is not possible. */
  readonly rounds: readonly (readonly FailureKind[])[]
  /** New for each certification, and hard to guess. */
  readonly marker: string
}

const fileBytesMax = 4 * 1024 * 1024
const lineCharsMax = 120

export async function showAbleToFail(request: PlantingRequest): Promise<AbleToFail> {
  const shown = new Map<string, FailureKind[]>()
  const unnoticed = new Map<string, string>()
  const unplanted = new Map<string, string>()
  const rounds = [...request.rounds]
  const runRounds = async (lane: Omit<RunRequest, 'tree'>): Promise<void> => {
    for (let kinds = rounds.shift(); kinds !== undefined; kinds = rounds.shift()) {
      const { over, planted, files } = await plant(request, kinds, unplanted)
      if (planted.size === 0) continue
      const tests = request.tests.filter(({ id }) => planted.has(id))
      let ran = await runPlanted(request, lane, over, tests)
      const rules = findRefusingRules(ran)
      if (rules.length > 0) {
        ran = await runPlanted(request, lane, withoutRules(over, files, rules), tests)
      }
      for (const [id, kind] of planted) {
        const why = whyNotShown(ran, id, kind, request.marker)
        if (why === undefined) shown.set(id, [...(shown.get(id) ?? []), kind])
        else unnoticed.set(id, why)
      }
    }
  }
  await Promise.all(request.lanes.map(runRounds))
  for (const { id } of request.tests) {
    const isKnown = shown.has(id) || unnoticed.has(id) || unplanted.has(id)
    if (!isKnown) unplanted.set(id, 'no failure could be planted in it')
  }
  return { shown, unnoticed, unplanted }
}

interface PlantedFiles {
  readonly over: Overlay
  /** By id of the test. */
  readonly planted: ReadonlyMap<string, FailureKind>
  /** The changed ones of `over`. */
  readonly files: readonly string[]
}

/** Of a linter that runs before the tests, which therefore did not run. */
const findRefusingRules = (ran: CheckRun | undefined): readonly string[] =>
  ran === undefined || ran.result.status === 'met' || (ran.observation.tests ?? []).length > 0
    ? []
    : findLintRules(ran.result.whole ?? ran.result.output)

function withoutRules(over: Overlay, files: readonly string[], rules: readonly string[]): Overlay {
  const changed = new Map(over)
  for (const file of files) {
    const put = over.get(file)
    if (put === undefined || put === null) continue
    const text = disableLintRules(file, new TextDecoder().decode(put.content), rules)
    changed.set(file, { ...put, content: new TextEncoder().encode(text) })
  }
  return changed
}

async function plant(
  request: PlantingRequest,
  kinds: readonly FailureKind[],
  unplanted: Map<string, string>,
): Promise<PlantedFiles> {
  const over = new Map<string, OverlayFile | null>(request.over)
  const planted = new Map<string, FailureKind>()
  const files: string[] = []
  for (const [file, tests] of groupByFile(request)) {
    const put = await readFile(request, file)
    if (put === undefined) {
      for (const { id } of tests) unplanted.set(id, 'its file is unknown')
      continue
    }
    let text = new TextDecoder().decode(put.content)
    let remaining = tests
    for (const kind of kinds) {
      const result = await plantFailures({
        file,
        text,
        tests: remaining,
        kind,
        marker: request.marker,
      })
      text = result.text
      for (const id of result.planted) planted.set(id, kind)
      remaining = remaining.filter(({ id }) => !planted.has(id))
      if (kind === kinds.at(-1)) for (const { id, why } of result.not) unplanted.set(id, why)
    }
    if (remaining.length === tests.length) continue
    over.set(file, { ...put, content: new TextEncoder().encode(text) })
    files.push(file)
  }
  return { over, planted, files }
}

type Plantable = Pick<ObservedTest, 'id' | 'titles'>

/** By the file that contains their functions. */
function groupByFile({ tests, work }: PlantingRequest): ReadonlyMap<string, readonly Plantable[]> {
  const files = new Map<string, Plantable[]>()
  for (const test of tests) {
    const { file, titles } = findTestLocation(test, work)
    files.set(file, [...(files.get(file) ?? []), { id: test.id, titles }])
  }
  return files
}

async function readFile(
  { reader, tree, over }: PlantingRequest,
  file: string,
): Promise<OverlayFile | undefined> {
  const put = over.get(file)
  if (put !== undefined) return put ?? undefined
  const kind = (await reader.list(tree)).get(file)?.kind
  if (kind !== 'file' && kind !== 'executable') return undefined
  const content = await reader.read(tree, file, fileBytesMax)
  return content === undefined ? undefined : { content, kind }
}

async function runPlanted(
  { tree, checks, check }: PlantingRequest,
  lane: Omit<RunRequest, 'tree'>,
  over: Overlay,
  tests: readonly ObservedTest[],
): Promise<CheckRun | undefined> {
  const only = new Map([[check.name, tests]])
  const names = new Set(checks.map(({ name }) => name))
  const here = lane.place.checks.filter(({ name }) => names.has(name))
  const ran = await runChecks({ ...lane, tree, over, only }, here)
  return ran.find((one) => one.check.name === check.name)
}

const plantTexts: Readonly<Record<FailureKind, string>> = {
  before: 'a throw planted before its last statement',
  after: 'a throw planted after its last statement',
  value: 'another expected value',
}

/** A linter that runs before the tests may refuse the planted text. */
function whyNotReported({ result, observation }: CheckRun, kind: FailureKind): string {
  if ((observation.tests ?? []).length > 0)
    return `with ${plantTexts[kind]} the runner does not report it`
  const [line = ''] = selectKeyLines(result.output, 1)
  const printed = line === '' ? '' : ` ("${line.trim().slice(0, lineCharsMax)}")`
  return `with ${plantTexts[kind]} the check fails before it runs any test${printed}. If it starts with a linter, make that a separate check`
}

/** Undefined: the failure was reported, and it is the planted one. */
function whyNotShown(
  ran: CheckRun | undefined,
  id: string,
  kind: FailureKind,
  marker: string,
): string | undefined {
  if (ran === undefined) return 'the check did not run'
  if (ran.result.status === 'met') return `the check passes with ${plantTexts[kind]}`
  const test = ran.observation.tests?.find((one) => one.id === id)
  if (test === undefined) return whyNotReported(ran, kind)
  if (test.status !== 'failed') return `it is reported as ${test.status} with ${plantTexts[kind]}`
  const isOther = kind !== 'value' && test.message !== undefined && !test.message.includes(marker)
  return isOther ? `it fails, but not because of ${plantTexts[kind]}` : undefined
}
