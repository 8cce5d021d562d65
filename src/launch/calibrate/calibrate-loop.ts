/**
 * Measures the checks of a loop file, where its work would be certified: in a clean checkout, never in
 * the folder itself. Whatever is made for it goes when it ends, however it ends.
 */

import { type CalibrationReport, createClassify, type OpenCheck } from '../../evidence/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { openCertifyingPlace } from '../certify/open-place.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { createAsking } from './ask-check.ts'
import { keepCalibration } from './calibration-store.ts'
import { chooseTree, type MeasuredTree } from './choose-tree.ts'
import { measureChecks } from './measure-checks.ts'
import { createMoney } from './money.ts'
import { openPlanter } from './open-planter.ts'
import { seededNumbers } from './seeded-numbers.ts'

export interface CalibrateLoopOptions {
  readonly seed: number
  /** How many are planted: 20 unless told. */
  readonly defects?: number
  /** Ten minutes unless told. */
  readonly timeMs?: number
  /** What judges may spend: a dollar unless told. */
  readonly costMicros?: number
  /** What to measure on: what is checked out unless told. */
  readonly base?: string
  readonly attended?: boolean
  readonly signal?: AbortSignal
  readonly onRound?: (done: number, of: number) => void
  readonly onProblem?: (problem: string) => void
}

const defaults = { defects: 20, timeMs: 600_000, costMicros: 1_000_000 } as const

export async function calibrateLoop(
  host: LaunchHost,
  loaded: LoadedLoop,
  options: CalibrateLoopOptions,
): Promise<CalibrationReport> {
  const { signal = new AbortController().signal, attended, seed } = options
  const { defects, timeMs, costMicros } = { ...defaults, ...options }
  const measured = await chooseTree(host, loaded, options.base)
  const { reader, tree, commit, commits, workspace, repository } = measured
  const opened = await loaded.open({
    folder: host.folder,
    workspace,
    models: host.models,
    isForChecks: true,
    signal,
    ...defined({ attended }),
  })
  for (const problem of opened.problems) options.onProblem?.(problem)
  const { certifying } = opened.parts
  if (certifying === undefined) throw nothingToMeasure(loaded)
  const place = await openCertifyingPlace(
    { tree, lockfileOf: tree, signal, ...defined({ commit }) },
    { reader, blobs: host.blobs, stateFolder: host.folder, repository, workspace, certifying },
  )
  try {
    const { checks } = place
    if (checks.length === 0) throw nothingToMeasure(loaded)
    const classify = createClassify(
      { ...certifying.seals, names: certifying.names },
      { has: () => false, loaded: new Map() },
    )
    const money = createMoney(costMicros)
    const calibrated = await measureChecks({
      loop: loaded.loop.name,
      tree,
      ...defined({ commit }),
      place,
      reader,
      planter: await openPlanter(),
      isSealed: (path) => classify(path) !== undefined,
      isTest: (path) => classify(path)?.kind === 'test',
      commits,
      runCheck: createAsking({ measured, place, parts: opened.parts, money, signal }),
      seed,
      random: seededNumbers(seed),
      defects,
      timeMs,
      money,
      now: () => Date.now(),
      signal,
      ...defined({ onRound: options.onRound }),
    })
    if (calibrated.type === 'not-good') throw notGood(measured, calibrated.checks, checks)
    if (calibrated.type === 'nothing-to-plant') throw nothingToPlant(measured)
    await keepCalibration(host.folder, calibrated.report)
    return calibrated.report
  } finally {
    await place.close()
  }
}

function nothingToMeasure({ loop }: LoadedLoop): LoopError {
  const message = `The loop ${loop.name} has no checks, so there is nothing to measure. Add one, such as checks: { test: npm test }.`
  return new LoopError('bad-loop-file', message)
}

function notGood(
  { workspace, commit }: MeasuredTree,
  failing: readonly string[],
  checks: readonly OpenCheck[],
): LoopError {
  const names = failing.map((name) => {
    const describes = checks.find((check) => check.name === name)?.describes.join(' ') ?? ''
    return `${name} (${describes.replace(/^\/bin\/sh -c /, '')})`
  })
  const where = commit === undefined ? workspace : `commit ${commit.slice(0, 8)}`
  const message =
    `There is nothing to measure while checks do not pass on the files as they are: in a clean copy of ` +
    `${where}, ${names.join(', ')} did not. Mend that and commit it, or measure on a commit that passes with --base.`
  return new LoopError('wrong-status', message)
}

function nothingToPlant({ workspace }: MeasuredTree): LoopError {
  const message =
    `There is nothing to plant in ${workspace}: no source of JavaScript, TypeScript, Python, Go, Rust, Java or ` +
    'the like, besides tests and what is sealed. Name another folder (workspace in the loop file).'
  return new LoopError('not-available', message)
}
