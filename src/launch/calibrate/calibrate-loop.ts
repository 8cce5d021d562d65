/**
 * Measures the checks of a loop file in a clean checkout, as for certification, never in the folder itself.
 * Removes everything that it created, however it ends.
 */

import { type CalibrationReport, createClassify, type OpenCheck } from '../../evidence/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import { openCertifyingCheckout } from '../certify/open-certifying-checkout.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { type OpenedLoop, openLoop } from '../open-loop.ts'
import { storeCalibration } from './calibration-store.ts'
import { chooseTree, type MeasuredTree } from './choose-tree.ts'
import { createCheckRunner } from './create-check-runner.ts'
import { findJudgingAgent, type JudgingAgent, judgesDigest, storeJudges } from './judges.ts'
import { measureChecks } from './measure-checks.ts'
import { createJudgeBudget } from './money.ts'
import { openPlanter } from './open-planter.ts'
import { createSeededRandom } from './seeded-numbers.ts'

export interface CalibrateLoopOptions {
  readonly seed: number
  /** The number of planted defects; default: 20. */
  readonly defects?: number
  /** Default: ten minutes. */
  readonly timeMs?: number
  /** What judges may spend; default: one dollar. */
  readonly costMicros?: number
  /** The commit to measure on; default: the one that is checked out. */
  readonly base?: string
  readonly attended?: boolean
  readonly signal?: AbortSignal
  readonly onRound?: (done: number, of: number) => void
  readonly onProblem?: (problem: string) => void
}

const defaults = { defects: 20, timeMs: 600_000, costMicros: 1_000_000 } as const

export async function calibrateLoop(
  host: LaunchHost,
  given: LoadedLoop,
  options: CalibrateLoopOptions,
): Promise<CalibrationReport> {
  const agent = findJudgingAgent(given, host.loopTypes)
  const loaded = agent === undefined ? given : withCheck(given, agent)
  const { signal = new AbortController().signal, attended } = options
  const measured = await chooseTree(host, loaded, options.base)
  const opened = await openLoop(loaded, {
    folder: host.folder,
    workspace: measured.workspace,
    models: host.models,
    isForChecks: true,
    signal,
    ...defined({ attended, types: host.loopTypes }),
  })
  try {
    const calibrated = { measured, signal, loop: loaded.name }
    const report = await calibrateOpened(host, opened, calibrated, options)
    const judges = judgesDigest(given, host.loopTypes)
    await storeJudges(host.folder, { judges, agent: agent?.name }, report)
    return report
  } finally {
    await opened.close()
  }
}

/** The agent that judges the work is measured like a judge. */
function withCheck(loaded: LoadedLoop, { name, check }: JudgingAgent): LoadedLoop {
  const { definition } = loaded
  const { file } = definition
  const checks = { ...file.checks, [name]: check }
  return { ...loaded, definition: { ...definition, file: { ...file, checks } } }
}

interface Calibrated {
  readonly measured: MeasuredTree
  readonly signal: AbortSignal
  readonly loop: string
}

async function calibrateOpened(
  host: LaunchHost,
  { parts, problems }: OpenedLoop,
  { measured, signal, loop }: Calibrated,
  options: CalibrateLoopOptions,
): Promise<CalibrationReport> {
  const { seed, defects, timeMs, costMicros } = { ...defaults, ...options }
  const { reader, tree, commit, commits, workspace, repository } = measured
  for (const problem of problems) options.onProblem?.(problem)
  const { certifying } = parts
  if (certifying === undefined) throw createNoChecksError(loop)
  const place = await openCertifyingCheckout(
    { tree, lockfileTree: tree, signal, ...defined({ commit }) },
    { reader, blobs: host.blobs, stateFolder: host.folder, repository, workspace, certifying },
  )
  try {
    const { checks } = place
    if (checks.length === 0) throw createNoChecksError(loop)
    const classify = createClassify(
      { ...certifying.seals, names: certifying.sealedFiles },
      { has: () => false, loaded: new Map() },
    )
    const money = createJudgeBudget(costMicros)
    const measurement = await measureChecks({
      loop,
      tree,
      ...defined({ commit }),
      place,
      reader,
      planter: await openPlanter(),
      isSealed: (path) => classify(path) !== undefined,
      isTest: (path) => classify(path)?.kind === 'test',
      commits,
      runCheck: createCheckRunner({ measured, place, parts, money, signal }),
      seed,
      random: createSeededRandom(seed),
      defects,
      timeMs,
      money,
      now: () => Date.now(),
      signal,
      ...defined({ onRound: options.onRound }),
    })
    if (measurement.type === 'not-good')
      throw createFailingChecksError(measured, measurement.checks, checks)
    if (measurement.type === 'nothing-to-plant') throw createNothingToPlantError(measured)
    await storeCalibration(host.folder, measurement.report)
    return measurement.report
  } finally {
    await place.close()
  }
}

function createNoChecksError(loop: string): LoopError {
  const message = `Cannot calibrate the loop ${loop}: it has no checks. Add one, such as checks: { test: npm test }.`
  return new LoopError('bad-loop-file', message)
}

function createFailingChecksError(
  { workspace, commit }: MeasuredTree,
  failing: readonly string[],
  checks: readonly OpenCheck[],
): LoopError {
  const names = failing.map((name) => {
    const command = checks.find((check) => check.name === name)?.command.join(' ') ?? ''
    return `${name} (${command.replace(/^\/bin\/sh -c /, '')})`
  })
  const where = commit === undefined ? workspace : `commit ${commit.slice(0, 8)}`
  const message =
    `Cannot calibrate: in a clean checkout of ${where}, these checks do not pass: ${names.join(', ')}. ` +
    'Fix them and commit, or measure on a commit where they pass with --base.'
  return new LoopError('wrong-status', message)
}

function createNothingToPlantError({ workspace }: MeasuredTree): LoopError {
  const message =
    `Cannot plant defects in ${workspace}: it has no JavaScript, TypeScript, Python, Go, Rust, Java or similar ` +
    'sources besides tests and sealed files. Use another folder (workspace in the loop file).'
  return new LoopError('not-available', message)
}
