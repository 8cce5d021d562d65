/** One call of the repair agent: survey, search, and verify. */

import { type AgentContext, type AgentReport, zero } from '../../loop/index.ts'
import { abortable } from '../abortable.ts'
import { findNamedTests } from './choose-tests.ts'
import { cursorText, readCursor } from './cursor.ts'
import { applyEdit } from './edit.ts'
import { findFiles } from './find-files.ts'
import { openSearch, type Search } from './open-search.ts'
import type { RepairAgentOptions } from './repair-agent.ts'
import * as messages from './report.ts'
import { type CheckRun, replaceText, runChecks } from './run-checks.ts'
import { parseSource, type SourceFile } from './source-file.ts'

export type RepairSettings = Required<
  Omit<RepairAgentOptions, 'node' | 'sandboxPath' | 'shownAs'>
> &
  Pick<RepairAgentOptions, 'node' | 'sandboxPath' | 'shownAs'>

const report = (status: AgentReport['status'], text: string): AgentReport => ({
  status,
  text,
  usage: zero,
  turns: 1,
})

const reportPassing = (tests: number): AgentReport =>
  tests > 0 ? report('done', messages.nothingToDo) : report('done-with-concerns', messages.noTests)

export async function repair(
  options: RepairSettings,
  root: string,
  prompt: string,
  context: AgentContext,
): Promise<AgentReport> {
  const say = (text: string): void => context.note({ type: 'said', text })
  const endMs = performance.now() + options.timeMs
  const judge = (): Promise<CheckRun> =>
    runChecks({ ...options, root, timeoutMs: options.checkTimeoutMs, signal: context.signal })
  const found = await findFiles(root, context.signal)
  const tests = await abortable(context.signal, () =>
    findNamedTests(root, options.checks, found.tests),
  )
  const sources = found.sources
    .map(({ path, text }) => parseSource(path, text))
    .filter((file): file is SourceFile => file !== undefined)
  if (sources.length === 0) {
    const { passed } = await judge()
    return passed ? reportPassing(tests.length) : report('blocked', messages.noSource)
  }
  const search = await openSearch({
    options,
    root: options.sandboxPath ?? options.shownAs ?? root,
    sources,
    files: { ...found, tests },
    judge,
    context,
    deadlineMs: endMs - performance.now(),
  })
  if (search.type === 'passing') return reportPassing(search.tests)
  if (search.type === 'blocked') return report('blocked', search.text)
  say(search.summary)
  return tryCandidates({ options, root, sources, search, prompt, say, endMs, judge, context })
}

interface Trial {
  readonly options: RepairSettings
  readonly root: string
  readonly sources: readonly SourceFile[]
  readonly search: Search
  readonly prompt: string
  readonly say: (text: string) => void
  readonly endMs: number
  readonly judge: () => Promise<CheckRun>
  readonly context: AgentContext
}

/** An edit that fails the checks is undone, and the search continues after it. */
async function tryCandidates(trial: Trial): Promise<AgentReport> {
  const { options, search, endMs, say, judge } = trial
  const { candidates, digest } = search
  const from = Math.min(readCursor(trial.prompt, digest), candidates.length)
  const to = Math.min(candidates.length, from + options.candidatesMax)
  const tally: messages.Tally = { from, tried: 0, overfit: 0, refused: 0, hung: 0 }
  if (from > 0 && from < candidates.length)
    say(`The search continues at edit ${from + 1} of ${candidates.length}.`)
  let next = from
  while (next < to && performance.now() < endMs) {
    const batch = await search.run({
      from: next,
      to,
      deadlineMs: endMs - performance.now(),
      tally,
      say,
    })
    tally.tried = batch.next - from
    next = batch.next
    if (batch.found === undefined) break
    tally.tried++
    next++
    const edit = candidates[batch.found]
    const file = trial.sources.find(({ path }) => path === edit?.file)
    if (edit === undefined || file === undefined) continue
    say(messages.describeFound(file, edit))
    const after = applyEdit(file.text, edit)
    await replaceText(trial.root, file.path, file.text, after)
    const verdict = await judge().catch(async (error: unknown) => {
      await replaceText(trial.root, file.path, after, file.text)
      throw error
    })
    if (verdict.passed)
      return report(
        search.heldBack > 0 ? 'done' : 'done-with-concerns',
        messages.describeFix({ file, edit, search, tally }),
      )
    await replaceText(trial.root, file.path, after, file.text)
    tally.refused++
    say('The checks fail with it, so it was undone.')
  }
  // With its position also when it found nothing: the next iteration would only try the same again.
  return next >= candidates.length
    ? report('blocked', `${messages.describeExhausted(search, tally)}\n${cursorText(digest, next)}`)
    : report('failed', `${messages.describeUnfinished(search, tally)}\n${cursorText(digest, next)}`)
}
