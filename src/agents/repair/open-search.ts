/**
 * Prepares a search: tests one by one in long-lived processes, or, where that is impossible, the
 * whole command on copies of the project.
 */

import { type AgentContext, defined } from '../../loop/index.ts'
import { type Candidate, digestCandidates, rankCandidates, toWireEdits } from './candidates.ts'
import { chooseTests, keepReportedTests } from './choose-tests.ts'
import { describeEdit, lineNumberAt } from './edit.ts'
import type { ProjectFiles } from './find-files.ts'
import type { Job, RunLimits, SandboxMessage, TextFile } from './messages.ts'
import type { RepairSettings } from './repair.ts'
import type { Tally } from './report.ts'
import type { CheckRun } from './run-checks.ts'
import { runSandboxed } from './run-sandboxed.ts'
import type { SourceFile } from './source-file.ts'
import { type Survey, type SurveyedTest, surveyTests, toPlainTexts } from './survey.ts'

export interface Batch {
  readonly from: number
  readonly to: number
  readonly deadlineMs: number
  readonly tally: Tally
  readonly say: (text: string) => void
}

export interface Search {
  readonly type: 'search'
  readonly candidates: readonly Candidate[]
  readonly digest: string
  /** The suspected locations, in a few lines. */
  readonly summary: string
  readonly heldBack: number
  /** `next`: the first edit that was not tried, or the one that was found. */
  run(batch: Batch): Promise<{ readonly next: number; readonly found?: number }>
}

export interface OpenSearchOptions {
  readonly options: RepairSettings
  /** The project's path where commands run. */
  readonly root: string
  readonly sources: readonly SourceFile[]
  readonly files: ProjectFiles
  /** Runs the checks themselves. */
  readonly judge: () => Promise<CheckRun>
  readonly context: AgentContext
  readonly deadlineMs: number
}

export type SearchStart =
  | Search
  | { readonly type: 'blocked'; readonly text: string }
  /** There is nothing to search for. `tests`: how many were seen to run. */
  | { readonly type: 'passing'; readonly tests: number }

export async function openSearch(searchOptions: OpenSearchOptions): Promise<SearchStart> {
  const { options, root, sources, files, context } = searchOptions
  const survey = await surveyTests({
    root,
    files,
    sources,
    preload: options.preload,
    commands: options.commands,
    signal: context.signal,
    ...defined({ node: options.node }),
    deadlineMs: searchOptions.deadlineMs / 2,
    checkTimeoutMs: options.checkTimeoutMs,
  })
  // A command with a hanging test reports nothing, and takes long to do so.
  const isHung = survey.tests.some(({ hung }) => hung)
  const before = isHung ? undefined : await searchOptions.judge()
  if (before?.passed === true) {
    const { tests, unstable, unsupported } = survey
    return { type: 'passing', tests: tests.length + unstable + unsupported }
  }
  const named = keepReportedTests(survey.tests, before?.output ?? '')
  if (!named.tests.some(({ ok }) => !ok))
    return openBlackBox(searchOptions, survey, before?.durationMs ?? 0)
  const chosen = chooseTests(named.tests, options)
  const failingFiles = new Set(chosen.failing.map(({ id }) => id.split(' > ')[0]))
  const candidates = rankCandidates({
    sources,
    suspicionAt: survey.suspicionAt,
    failingTests: files.tests.filter(({ path }) => failingFiles.has(path)).map(({ text }) => text),
  })
  const ids = (tests: readonly SurveyedTest[]): string[] => tests.map(({ id }) => id)
  const job = {
    type: 'try',
    root,
    files: toPlainTexts(files, sources).concat(toStrippedTexts(sources)),
    bases: sources.map(({ path, code }) => ({ path, code })),
    preload: options.preload,
    first: ids(chosen.first),
    visible: ids(chosen.visible),
    heldBack: ids(chosen.heldBack),
    firstLimits: toLimits(
      chosen.first.some(({ hung }) => hung) ? named.tests : chosen.first,
      survey.loadMs,
    ),
    allLimits: toLimits(named.tests, survey.loadMs),
    workers: options.workers,
  } as const
  return {
    type: 'search',
    candidates,
    digest: digestCandidates(sources, candidates),
    heldBack: chosen.heldBack.length,
    summary: [
      `${chosen.failing.length} of ${named.tests.length} tests fail, ${chosen.heldBack.length} held back.`,
      leftOut(survey, named.leftOut),
      describeSuspects(sources, candidates),
    ].join(''),
    run: (batch) =>
      runBatch(
        searchOptions,
        batch,
        (some) => ({
          ...job,
          edits: toWireEdits(some, sources, 'code'),
          deadlineMs: batch.deadlineMs,
        }),
        candidates,
      ),
  }
}

/** JavaScript files are read from disk. */
const toStrippedTexts = (sources: readonly SourceFile[]): readonly TextFile[] =>
  sources.filter(({ code, text }) => code !== text).map(({ path, code }) => ({ path, code }))

/** Generous, since machines are busy; what hangs is interrupted, not awaited. */
function toLimits(tests: readonly SurveyedTest[], loadMs: number): RunLimits {
  // A hanging test does not show how long it should take.
  const known = tests.filter(({ hung }) => !hung)
  const longest = Math.max(loadMs, ...known.map(({ ms }) => ms))
  const all = known.reduce((sum, { ms }) => sum + ms, 0) + (tests.length - known.length) * longest
  const testMs = Math.round(250 + 6 * longest)
  return { testMs, totalMs: Math.round(2000 + 2 * testMs + 5 * (all + loadMs * 4)) }
}

function leftOut({ unstable, unsupported }: Survey, unnamed: number): string {
  const count = unstable + unsupported + unnamed
  return count === 0 ? '' : ` Unreliable here, left to the checks: ${count}.`
}

/** The locations of the first few edits. */
function describeSuspects(
  sources: readonly SourceFile[],
  candidates: readonly Candidate[],
): string {
  const places = new Set<string>()
  for (const { file, start } of candidates.slice(0, 40)) {
    const text = sources.find(({ path }) => path === file)?.text ?? ''
    if (places.size < 3) places.add(`${file}:${lineNumberAt(text, start)}`)
  }
  return `\nSuspected first: ${[...places].join(', ')}. ${candidates.length} edits to try.`
}

async function runBatch(
  { options, context, sources }: OpenSearchOptions,
  { from, to, tally, say }: Batch,
  makeJob: (some: readonly Candidate[]) => Job,
  candidates: readonly Candidate[],
): Promise<{ readonly next: number; readonly found?: number }> {
  const some = candidates.slice(from, to)
  let next = from
  let found: number | undefined
  let saidMs = performance.now()
  const hungBefore = tally.hung
  await runSandboxed(makeJob(some), {
    commands: options.commands,
    signal: context.signal,
    ...defined({ node: options.node }),
    onMessage(message: SandboxMessage) {
      if (message.type === 'tried') {
        tally.hung = hungBefore + message.hung
        if (performance.now() - saidMs < 2000) return
        saidMs = performance.now()
        say(
          `${from + message.upTo} of ${candidates.length} edits tried. Now: ${now(from + message.upTo)}`,
        )
      } else if (message.type === 'overfit') tally.overfit++
      else if (message.type === 'found' && message.edit < some.length) found = from + message.edit
      else if (message.type === 'end') {
        next = from + Math.min(message.next, some.length)
        tally.hung = hungBefore + message.hung
      }
    },
  })
  function now(index: number): string {
    const edit = candidates[index]
    const file = sources.find(({ path }) => path === edit?.file)
    return edit === undefined || file === undefined
      ? 'the last ones.'
      : describeEdit(file.text, edit)
  }
  return found === undefined ? { next } : { next: found, found }
}

/** All code that ran is equally suspected. */
async function openBlackBox(
  searchOptions: OpenSearchOptions,
  survey: Survey,
  checkMs: number,
): Promise<SearchStart> {
  const { options, root, sources, context } = searchOptions
  const covered = new Map<string, (readonly [number, number, number])[]>()
  const command = options.checks[0] ?? []
  const timeoutMs = Math.round(3 * checkMs + 3000)
  const base = { type: 'command', root, command, timeoutMs, workers: options.workers } as const
  await runSandboxed(
    { ...base, edits: [], bases: [], deadlineMs: timeoutMs },
    {
      commands: options.commands,
      signal: context.signal,
      ...defined({ node: options.node }),
      onMessage(message) {
        if (message.type === 'covered')
          covered.set(message.file, [...(covered.get(message.file) ?? []), ...message.ranges])
      },
    },
  )
  const candidates = rankCandidates({
    sources,
    suspicionAt: (file, offset) => coverageAt(covered, file, offset),
    failingTests: [],
  })
  if (candidates.length === 0) {
    return { type: 'blocked', text: 'The checks run no source file of the project.' }
  }
  const bases = sources.map(({ path, text }) => ({ path, code: text }))
  const why =
    survey.tests.length === 0
      ? 'Its tests cannot be run one by one here'
      : 'Its tests pass here one by one'
  return {
    type: 'search',
    candidates,
    digest: digestCandidates(sources, candidates),
    heldBack: 0,
    summary: `${why}: the whole command is run for each edit, which is slow, and no tests can be held back.${describeSuspects(sources, candidates)}`,
    run: (batch) =>
      runBatch(
        searchOptions,
        batch,
        (some) => ({
          ...base,
          bases,
          edits: toWireEdits(some, sources, 'text'),
          deadlineMs: batch.deadlineMs,
        }),
        candidates,
      ),
  }
}

/** By the innermost range around an offset. */
function coverageAt(
  covered: ReadonlyMap<string, readonly (readonly [number, number, number])[]>,
  file: string,
  offset: number,
): number {
  // Without coverage, everything is possible.
  if (covered.size === 0) return 0.5
  let best: readonly [number, number, number] | undefined
  for (const range of covered.get(file) ?? []) {
    if (offset < range[0] || offset >= range[1]) continue
    if (best === undefined || range[1] - range[0] <= best[1] - best[0]) best = range
  }
  return best !== undefined && best[2] > 0 ? 1 : 0
}
