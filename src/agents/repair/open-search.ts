/**
 * What there is to try, and how: tests one by one in processes that stay, or, where that cannot be done,
 * the command as a whole on copies of the project.
 */

import { type AgentContext, defined } from '../../loop/index.ts'
import { type Candidate, digestOf, rankCandidates, toSent } from './candidates.ts'
import { chooseTests, namedByCommand } from './choose-tests.ts'
import { describeEdit, lineOf } from './edit.ts'
import type { ProjectFiles } from './find-files.ts'
import type { Job, RunLimits, Said, TextFile } from './messages.ts'
import type { RepairSettings } from './repair.ts'
import type { Tally } from './report.ts'
import { runInside } from './run-inside.ts'
import type { SourceFile } from './source-file.ts'
import { plainTexts, type Survey, type SurveyedTest, surveyTests } from './survey.ts'
import type { CheckRun } from './verdict.ts'

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
  /** What is suspected, in a few lines. */
  readonly summary: string
  readonly heldBack: number
  /** `next`: the first that was not tried, or the one that was found. */
  run(batch: Batch): Promise<{ readonly next: number; readonly found?: number }>
}

export interface OpenSearchOptions {
  readonly options: RepairSettings
  /** Where the project is for commands. */
  readonly root: string
  readonly sources: readonly SourceFile[]
  readonly files: ProjectFiles
  /** The checks themselves. */
  readonly judge: () => Promise<CheckRun>
  readonly context: AgentContext
  readonly deadlineMs: number
}

export type Opened =
  | Search
  | { readonly type: 'blocked'; readonly text: string }
  /** There is nothing to search for. `tests`: how many were seen to run. */
  | { readonly type: 'passing'; readonly tests: number }

export async function openSearch(given: OpenSearchOptions): Promise<Opened> {
  const { options, root, sources, files, context } = given
  const survey = await surveyTests({
    root,
    files,
    sources,
    preload: options.preload,
    commands: options.commands,
    signal: context.signal,
    ...defined({ node: options.node }),
    deadlineMs: given.deadlineMs / 2,
  })
  // A command that hangs with one of its tests has nothing to tell, and takes long to tell it.
  const isHung = survey.tests.some(({ hung }) => hung)
  const before = isHung ? undefined : await given.judge()
  if (before?.passed === true) {
    const { tests, unstable, unsupported } = survey
    return { type: 'passing', tests: tests.length + unstable + unsupported }
  }
  const named = namedByCommand(survey.tests, before?.output ?? '')
  if (!named.tests.some(({ ok }) => !ok))
    return openBlackBox(given, survey, before?.durationMs ?? 0)
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
    files: plainTexts(files, sources).concat(strippedTexts(sources)),
    bases: sources.map(({ path, code }) => ({ path, code })),
    preload: options.preload,
    first: ids(chosen.first),
    visible: ids(chosen.visible),
    heldBack: ids(chosen.heldBack),
    firstLimits: limitsOf(
      chosen.first.some(({ hung }) => hung) ? named.tests : chosen.first,
      survey.loadMs,
    ),
    allLimits: limitsOf(named.tests, survey.loadMs),
    workers: options.workers,
  } as const
  return {
    type: 'search',
    candidates,
    digest: digestOf(sources, candidates),
    heldBack: chosen.heldBack.length,
    summary: [
      `${chosen.failing.length} of ${named.tests.length} tests fail; ${chosen.heldBack.length} tests are held back.`,
      leftOut(survey, named.leftOut),
      suspects(sources, candidates),
    ].join(''),
    run: (batch) =>
      runBatch(
        given,
        batch,
        (some) => ({
          ...job,
          edits: toSent(some, sources, 'code'),
          deadlineMs: batch.deadlineMs,
        }),
        candidates,
      ),
  }
}

/** What is JavaScript already is read where it is. */
const strippedTexts = (sources: readonly SourceFile[]): readonly TextFile[] =>
  sources.filter(({ code, text }) => code !== text).map(({ path, code }) => ({ path, code }))

/** Generous, since machines are busy; what hangs is broken off, not waited for. */
function limitsOf(tests: readonly SurveyedTest[], loadMs: number): RunLimits {
  // What hangs now says nothing of how long it should take.
  const known = tests.filter(({ hung }) => !hung)
  const longest = Math.max(loadMs, ...known.map(({ ms }) => ms))
  const all = known.reduce((sum, { ms }) => sum + ms, 0) + (tests.length - known.length) * longest
  const testMs = Math.round(250 + 6 * longest)
  return { testMs, totalMs: Math.round(2000 + 2 * testMs + 5 * (all + loadMs * 4)) }
}

function leftOut({ unstable, unsupported }: Survey, unnamed: number): string {
  const count = unstable + unsupported + unnamed
  return count === 0 ? '' : ` ${count} more cannot be relied on here and are left to the checks.`
}

/** The places of the first few edits. */
function suspects(sources: readonly SourceFile[], candidates: readonly Candidate[]): string {
  const places = new Set<string>()
  for (const { file, start } of candidates.slice(0, 40)) {
    const text = sources.find(({ path }) => path === file)?.text ?? ''
    if (places.size < 3) places.add(`${file}:${lineOf(text, start)}`)
  }
  return `\nSuspected first: ${[...places].join(', ')}. ${candidates.length} edits are worth a try.`
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
  await runInside(makeJob(some), {
    commands: options.commands,
    signal: context.signal,
    ...defined({ node: options.node }),
    onSaid(said: Said) {
      if (said.type === 'tried') {
        tally.hung = hungBefore + said.hung
        if (performance.now() - saidMs < 2000) return
        saidMs = performance.now()
        say(
          `${from + said.upTo} of ${candidates.length} edits tried. Now: ${now(from + said.upTo)}`,
        )
      } else if (said.type === 'overfit') tally.overfit++
      else if (said.type === 'found' && said.edit < some.length) found = from + said.edit
      else if (said.type === 'end') {
        next = from + Math.min(said.next, some.length)
        tally.hung = hungBefore + said.hung
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

/** Code that ran at all is suspected alike. */
async function openBlackBox(
  given: OpenSearchOptions,
  survey: Survey,
  checkMs: number,
): Promise<Opened> {
  const { options, root, sources, context } = given
  const covered = new Map<string, (readonly [number, number, number])[]>()
  const command = options.checks[0] ?? []
  const timeoutMs = Math.round(3 * checkMs + 3000)
  const base = { type: 'command', root, command, timeoutMs, workers: options.workers } as const
  await runInside(
    { ...base, edits: [], bases: [], deadlineMs: timeoutMs },
    {
      commands: options.commands,
      signal: context.signal,
      ...defined({ node: options.node }),
      onSaid(said) {
        if (said.type === 'covered')
          covered.set(said.file, [...(covered.get(said.file) ?? []), ...said.ranges])
      },
    },
  )
  const candidates = rankCandidates({
    sources,
    suspicionAt: (file, offset) => coveredAt(covered, file, offset),
    failingTests: [],
  })
  if (candidates.length === 0) {
    return { type: 'blocked', text: 'No source file of the project runs when its checks run.' }
  }
  const bases = sources.map(({ path, text }) => ({ path, code: text }))
  const why =
    survey.tests.length === 0
      ? 'Its tests cannot be run one by one here'
      : 'Its tests pass here one by one'
  return {
    type: 'search',
    candidates,
    digest: digestOf(sources, candidates),
    heldBack: 0,
    summary: `${why}: the whole command is run for each edit, which is slow, and nothing can be held back.${suspects(sources, candidates)}`,
    run: (batch) =>
      runBatch(
        given,
        batch,
        (some) => ({
          ...base,
          bases,
          edits: toSent(some, sources, 'text'),
          deadlineMs: batch.deadlineMs,
        }),
        candidates,
      ),
  }
}

/** By the innermost range around a place. */
function coveredAt(
  covered: ReadonlyMap<string, readonly (readonly [number, number, number])[]>,
  file: string,
  offset: number,
): number {
  // Where nothing is known, everything is possible.
  if (covered.size === 0) return 0.5
  let best: readonly [number, number, number] | undefined
  for (const range of covered.get(file) ?? []) {
    if (offset < range[0] || offset >= range[1]) continue
    if (best === undefined || range[1] - range[0] <= best[1] - best[0]) best = range
  }
  return best !== undefined && best[2] > 0 ? 1 : 0
}
