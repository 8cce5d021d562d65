/** Measures checks on one tree, with defects planted in it and fixes reverted from its history. */

import { type TreeReader } from '../../engine/index.ts'
import {
  type BadWork,
  type CalibrationOutcome,
  type CertificationCheckout,
  type CheckAnswer,
  calibrate,
  checkDigest,
  chooseDefects,
  findLanguageFamily,
  harmlessChanges,
  type OpenCheck,
  type Overlay,
  type PastCommit,
  type Planter,
  revertedFixes,
  type SourceText,
  shuffle,
  toOverlay,
} from '../../evidence/index.ts'
import { type CheckResult, defined, type TreeId } from '../../loop/index.ts'
import type { JudgeBudget } from './money.ts'

export interface MeasureRequest {
  readonly loop: string
  readonly tree: TreeId
  readonly commit?: string
  readonly place: Pick<CertificationCheckout, 'checkout' | 'checks'>
  readonly reader: TreeReader
  readonly planter: Planter
  /** No defects are planted in sealed files. */
  readonly isSealed: (path: string) => boolean
  readonly isTest: (path: string) => boolean
  /** The history of the tree, newest first. */
  readonly commits: readonly PastCommit[]
  /** A check that exceeds the limit is stopped, as a timeout. */
  readonly runCheck: (
    check: OpenCheck,
    over: Overlay,
    limitMs?: number,
  ) => Promise<Pick<CheckResult, 'status'>>
  readonly seed: number
  readonly random: () => number
  readonly defects: number
  readonly timeMs: number
  readonly money: Pick<JudgeBudget, 'spentMicros' | 'isOver'>
  readonly now: () => number
  readonly signal: AbortSignal
  readonly onRound?: (done: number, of: number) => void
}

/** At most this many files are read and planted in (E9). */
const filesMax = 60
const harmlessMax = 5
const bytesMax = 256 * 1024
/** The maximum share of reverted fixes among the defects. */
const fixesShare = 0.5

const generatedFiles =
  /(?:^|\/)(?:node_modules|vendor|dist|build|target|coverage|__pycache__|\.[^/]+)\/|\.min\.js$|\.d\.[cm]?ts$/

export async function measureChecks(request: MeasureRequest): Promise<CalibrationOutcome> {
  const { loop, tree, commit, place, reader, isTest, random, seed, commits, now } = request
  const sources = await readSources(request)
  const fixes = await revertedFixes({
    reader,
    tree,
    commits,
    isTest,
    random,
    max: Math.floor(request.defects * fixesShare),
  })
  const startedAtMs = now()
  let longestMs = 0
  const limits = new Map<string, number>()
  return calibrate({
    loop,
    tree,
    ...defined({ commit }),
    seed,
    checks: place.checks.map((check) => ({
      name: check.name,
      kind: check.kind,
      digest: checkDigest(check),
    })),
    async ask(overlay) {
      const beganAtMs = now()
      const answers = await runAll(request, overlay, limits)
      longestMs = Math.max(longestMs, now() - beganAtMs)
      return answers
    },
    harmless: harmlessChanges(sources, random, harmlessMax),
    defects: generateDefects(request, fixes, sources),
    defectsMax: request.defects,
    isOver() {
      // A round that would end too late is not started.
      if (now() - startedAtMs + longestMs > request.timeMs) return 'time'
      return request.money.isOver() ? 'cost' : undefined
    },
    now,
    spent: () => request.money.spentMicros(),
    ...defined({ onRound: request.onRound }),
  })
}

async function readSources(request: MeasureRequest): Promise<readonly SourceText[]> {
  const { reader, tree, isSealed, isTest, random } = request
  const code = [...(await reader.list(tree))].filter(
    ([path, { kind }]) =>
      (kind === 'file' || kind === 'executable') &&
      findLanguageFamily(path) !== undefined &&
      !generatedFiles.test(path) &&
      !isTest(path),
  )
  const free = code.filter(([path]) => !isSealed(path))
  // A command that names the sources, such as a linter, seals all of them; then seals are ignored.
  const files = free.length > 0 ? free : code
  const sources: SourceText[] = []
  for (const [path, { kind }] of shuffle(files, random).slice(0, filesMax)) {
    const bytes = await reader.read(tree, path, bytesMax)
    if (bytes === undefined) continue
    const text = Buffer.from(bytes).toString('utf8')
    // A file that is not valid UTF-8 could not be restored exactly.
    if (!Buffer.from(text).equals(bytes)) continue
    sources.push({ path, text, kind: kind === 'executable' ? kind : 'file' })
  }
  return sources
}

function* generateDefects(
  { planter, random }: MeasureRequest,
  fixes: readonly BadWork[],
  sources: readonly SourceText[],
): Generator<BadWork, void, undefined> {
  yield* fixes
  const kinds = new Map(sources.map(({ path, kind }) => [path, kind]))
  for (const defect of chooseDefects(sources, planter, random)) {
    const { file, line, description } = defect
    const overlay = toOverlay(defect, kinds.get(file))
    yield { source: 'planted', file, line, description, overlay }
  }
}

const limitMsMin = 15_000
const timesLonger = 5

/** A defect may cause an endless loop: a check is stopped after a multiple of its normal time. */
const limitAfter = (tookMs: number): number => Math.max(limitMsMin, timesLonger * tookMs)

/** In order; outputs of a check stay for the next one. */
async function runAll(
  { place, tree, runCheck, signal, now }: MeasureRequest,
  over: Overlay,
  limits: Map<string, number>,
): Promise<ReadonlyMap<string, CheckAnswer>> {
  const answers = new Map<string, CheckAnswer>()
  const keep: string[] = []
  for (const check of place.checks) {
    signal.throwIfAborted()
    await place.checkout.reset(tree, { over, keep })
    const beganAtMs = now()
    const { status } = await runCheck(check, over, limits.get(check.name))
    signal.throwIfAborted()
    if (!limits.has(check.name)) limits.set(check.name, limitAfter(now() - beganAtMs))
    answers.set(check.name, toAnswer(check, status))
    keep.push(...check.outputs)
  }
  return answers
}

/** A timeout is never a pass; a judge that failed and a skipped check have no answer. */
function toAnswer({ kind }: OpenCheck, status: CheckResult['status']): CheckAnswer {
  if (status === 'met') return 'accepts'
  if (status === 'skipped' || (kind === 'judge' && status === 'error')) return 'unknown'
  return 'rejects'
}
