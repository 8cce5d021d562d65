/**
 * E2 for every example: a run resumed from any beginning of its record ends as if it had not been
 * interrupted. What a unit wrote together is never split: a crash cannot do that either.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Check, RecordedEvent, RunEvent, RunParts, RunState } from 'loopwright'
import { driveRun } from '#src/engine/drive-run.ts'
import { createRun, loadRun, systemClock, type Workspace } from '#src/engine/index.ts'
import { createBlobStore } from '#src/journal/index.ts'
import { createOwnerId } from '#src/system/index.ts'
import { createFakeCertifier } from '#src/testing/fake-certifier.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { createDirectoryWorkspace } from '#src/workspace/index.ts'
import { atLeast, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type Example, examples } from '../examples/index.ts'
import { eventsOf, leaveAsACrashWould, stateAfter } from './crash-files.ts'
import { hashOf, placeKey } from './effects.ts'
import { makeFastFolder } from './fast-folder.ts'
import { inTime } from './in-time.ts'
import { observe } from './observe-loop.ts'
import { type Entry, recordingActions, recordingJournal, writeRecord } from './recording.ts'
import { type Sabotage, sabotagedJournal, sabotagedWorkspace } from './sabotage.ts'
import { spentBy } from './spent.ts'
import { victimExample } from './victim-example.ts'
import { asRunId, treeOf, writeAll } from './victim-world.ts'
import { withoutSpending } from './without-spending.ts'

/** One example, in a folder of its own. */
interface Stage {
  readonly example: Example
  readonly base: string
  readonly work: string
}

/** How a run ended, and what was done to get there. */
interface Ending {
  readonly state: RunState
  /** Hash of the result of each finished step, without what depends on time. */
  readonly results: ReadonlyMap<string, string>
  /** Steps whose code ran. */
  readonly executed: readonly string[]
  readonly entries: readonly Entry[]
  readonly tree: string
}

const hangMs = 60_000
const run = asRunId('01890000-0000-7000-8000-000000000002')

export const prefixResume: Suite = {
  area: 'engine',
  title: 'resume from every prefix of the record of every example',
  share: 0.2,
  async run(options) {
    const { held, all, problems } = await resumeAll(options)
    return [atLeast('engine.prefix-resume', held, all, 'prefixes', problems[0])]
  },
}

export interface PrefixReport {
  readonly held: number
  readonly all: number
  readonly problems: readonly string[]
}

export interface PrefixOptions extends Pick<SuiteOptions, 'scale' | 'note'> {
  /** Resumes with broken parts, to show that the proof would notice. */
  readonly sabotage?: Sabotage
}

export async function resumeAll(options: PrefixOptions): Promise<PrefixReport> {
  const problems: string[] = []
  let all = 0
  let held = 0
  for (const name of [...Object.keys(examples), 'victim']) {
    const base = makeFastFolder('prefix')
    const example = examples[name] ?? victimExample(base)
    try {
      const cuts = await resumeExample({ example, base, work: join(base, 'work') }, options)
      const broken = cuts.filter((cut) => cut.problems.length > 0)
      all += cuts.length
      held += cuts.length - broken.length
      options.note(`  ${name}: ${cuts.length - broken.length} of ${cuts.length}`)
      for (const cut of broken) {
        problems.push(`${name}, prefix of ${cut.entries}: ${cut.problems.join('; ')}`)
        options.note(`  ${problems.at(-1)}`)
      }
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  }
  return { held, all, problems }
}

interface Cut {
  readonly entries: number
  readonly problems: readonly string[]
}

async function resumeExample(
  stage: Stage,
  { scale, sabotage }: PrefixOptions,
): Promise<readonly Cut[]> {
  mkdirSync(stage.work, { recursive: true })
  writeAll(stage.work, stage.example.files ?? {})
  const original = await drive(stage, join(stage.base, 'original.db'), [])
  const cuts: Cut[] = []
  for (const count of cutsOf(original.entries.length, scale)) {
    const prefix = original.entries.slice(0, count)
    const path = join(stage.base, `prefix-${count}.db`)
    await writeRecord(path, prefix)
    await leaveAsACrashWould(workspaceOf(stage), prefix, stage.example.files ?? {})
    const resumed = await drive(stage, path, prefix, sabotage)
    rmSync(path)
    cuts.push({ entries: count, problems: compare(original, resumed, prefix) })
  }
  return cuts
}

/** All of them, or a share that is spread over the whole. */
function cutsOf(all: number, scale: number): readonly number[] {
  const wanted = Math.min(all, Math.max(3, Math.round(all * scale)))
  return Array.from({ length: wanted }, (_, index) => Math.ceil(((index + 1) * all) / wanted))
}

/** Creates the run if there is no record yet, and drives it to its end. */
async function drive(
  stage: Stage,
  path: string,
  before: readonly Entry[],
  sabotage?: Sabotage,
): Promise<Ending> {
  const entries = [...before]
  const executed: string[] = []
  const journal = openLocalStore({ path, synchronous: 'NORMAL' })
  const { example, work } = stage
  const parts = steady(example.parts(work), entries)
  const observed = observe(example.loop, parts, {
    began: (place) => void executed.push(placeKey(place)),
    resolved: () => undefined,
  })
  const ports = {
    ...observed.parts,
    journal: sabotagedJournal(recordingJournal(journal, entries), sabotage),
    blobs: blobsOf(stage),
    clock: systemClock,
    certifier: createFakeCertifier(),
    ...(example.files === undefined
      ? {}
      : { workspace: sabotagedWorkspace(workspaceOf(stage), sabotage) }),
  }
  try {
    if (before.length === 0) {
      const { input, limits = {} } = example
      await createRun(observed.loop, ports, { id: run, name: 'proof', input, limits })
    }
    const driving = driveRun(run, observed.loop, ports, { owner: createOwnerId() })
    await inTime(driving, hangMs, 'a drive')
    const { state } = await loadRun(journal, run)
    const results = resultsOf(await journal.read(run))
    return { state, results, executed, entries, tree: await treeOf(work) }
  } finally {
    await journal.close()
  }
}

const blobsOf = ({ base }: Stage): ReturnType<typeof createBlobStore> =>
  createBlobStore({ root: join(base, 'blobs') })

const workspaceOf = (stage: Stage): Workspace =>
  createDirectoryWorkspace({ path: stage.work, blobs: blobsOf(stage) })

const timeless =
  (check: Check): Check =>
  async (context) => {
    const { output, ...rest } = await check(context)
    return { ...rest, output: output.replaceAll(/(duration_ms:?) [\d.]+/g, '$1 0') }
  }

/** What the world does must not depend on time, and what actions did must outlive the process. */
function steady(parts: RunParts, entries: Entry[]): RunParts {
  const { actions, checks } = parts
  return {
    ...parts,
    ...(actions && { actions: recordingActions(entries, actions) }),
    ...(checks && {
      checks: Object.fromEntries(
        Object.entries(checks).map(([name, check]) => [name, timeless(check)]),
      ),
    }),
  }
}

function resultsOf(events: readonly RecordedEvent[]): ReadonlyMap<string, string> {
  const results = new Map<string, string>()
  for (const { event } of events) {
    if (event.type !== 'step-finished') continue
    results.set(placeKey(event), hashOf(untimed(steadyResult(event.result))))
  }
  return results
}

const steadyResult = (result: Extract<RunEvent, { type: 'step-finished' }>['result']): unknown =>
  result !== undefined && 'value' in result ? withoutSpending(result.value) : result

/** How long a check took is no part of what it said. */
const untimed = (value: unknown): string =>
  JSON.stringify(value ?? null).replaceAll(/"durationMs":\d+/g, '"durationMs":0')

function compare(original: Ending, resumed: Ending, prefix: readonly Entry[]): readonly string[] {
  const problems: string[] = []
  const same = (what: string, is: unknown, was: unknown): void => {
    if (!isDeepStrictEqual(is, was)) {
      problems.push(`${what} is ${JSON.stringify(is)} and not ${JSON.stringify(was)}`)
    }
  }
  same('the outcome', resumed.state.outcome, original.state.outcome)
  // An unfinished call is charged in full (E2), so that less is left for what comes after it.
  const charged = Object.keys(stateAfter(prefix)?.reserved ?? {}).length > 0
  if (!charged) {
    same('progress', untimed(resumed.state.progress), untimed(original.state.progress))
    same('the number of results', resumed.results.size, original.results.size)
    same('the tree', resumed.tree, original.tree)
  }
  for (const [place, hash] of resumed.results) {
    same(`the result of ${place}`, hash, original.results.get(place))
  }
  const done = new Set(
    eventsOf(prefix).flatMap((event) => (event.type === 'step-finished' ? [placeKey(event)] : [])),
  )
  const again = resumed.executed.filter((place) => done.has(place))
  if (again.length > 0) problems.push(`ran again: ${again.join(', ')}`)
  const acted = resumed.entries.flatMap((entry) => (entry.type === 'acted' ? [entry.key] : []))
  same('the number of actions', new Set(acted).size, acted.length)
  const { tree, spent, limits, reserved } = resumed.state
  if (tree !== undefined) same('the workspace', resumed.tree, tree)
  same('what was spent', spent, spentBy(eventsOf(resumed.entries)))
  same('what is reserved', Object.keys(reserved), [])
  if (spent.tokens > limits.tokens) problems.push('more tokens were spent than allowed')
  return problems
}
