/**
 * The watchdog: finds iterations that repeat what did not help, and changes the prompt of the next one. After its last
 * rewrite, the next signal ends the run as stuck.
 *
 * W1. An iteration that settled its task or improved a check gives no signal, and neither do new files: repetition is
 *     judged by content and by progress. A run that does one task per iteration is never stopped, however similar its
 *     reports are.
 * W2. `verification_failed` hides the other signals, but causes no rewrite and uses none up. A separate counter limits it.
 */

import type { AgentEnd, TreeId } from '../../loop/index.ts'
import type { CompletionHint } from './completion-hint.ts'

/** By priority. */
export const watchdogSignals = [
  'verification_failed',
  'no_progress',
  'circular_diff',
  'repeated_task',
  'malformed_complete',
] as const
export type WatchdogSignal = (typeof watchdogSignals)[number]

/** What the watchdog knows of earlier iterations. Part of the progress. */
export interface WatchdogState {
  readonly rewrites: number
  /** Consecutive iterations that changed no file and settled nothing. */
  readonly unchanged: number
  /** How often the files returned to an earlier state since a task was settled. */
  readonly returns: number
  /** The states of the files since a task was settled, oldest first. */
  readonly trees: readonly TreeId[]
  readonly last?: { readonly task: number | null; readonly report: string; readonly patch: string }
  /** For the next prompt. */
  readonly intervention?: Intervention
  /** It fired after the last rewrite. */
  readonly failed?: WatchdogSignal
}

export interface Intervention {
  readonly signal: WatchdogSignal
  readonly number: number
  readonly text: string
}

/** What one iteration did. */
export interface Observation {
  /** Null: none of the plan, such as work on a refused certificate. */
  readonly task: number | null
  /** The task is done, or is now known to be blocked. */
  readonly settled: boolean
  readonly verificationFailed: boolean
  readonly checksImproved: boolean
  readonly before: TreeId | undefined
  readonly after: TreeId | undefined
  readonly report: string
  readonly patch: string
  readonly ended?: AgentEnd | undefined
  readonly hint: CompletionHint
}

export const initialWatchdog: WatchdogState = { rewrites: 0, unchanged: 0, returns: 0, trees: [] }

const similar = 0.85
const unchangedMax = 2
const returnsMax = 2
const treesMax = 12
const textCharsMax = 4000

const stallPhrases =
  /\b(?:no (?:further )?progress|nothing (?:left|more|else) to do|still (?:stuck|working on it)|(?:i am|i'm) stuck|unable to (?:proceed|continue|make progress)|waiting for (?:input|instructions|clarification)|as (?:before|previously) (?:stated|mentioned))\b/i

/** The signal with the highest priority. Undefined: nothing is wrong. */
export function findSignal(state: WatchdogState, seen: Observation): WatchdogSignal | undefined {
  if (seen.verificationFailed) return 'verification_failed'
  if (seen.settled || seen.checksImproved) return undefined
  const isChanged = hasChanged(seen)
  const isStalled = stallPhrases.test(seen.report) || seen.ended === 'idle'
  if (!isChanged && (isStalled || state.unchanged + 1 >= unchangedMax)) return 'no_progress'
  if (isReturn(state, seen) && state.returns + 1 >= returnsMax) return 'circular_diff'
  if (isRepeated(state, seen, isChanged)) return 'repeated_task'
  return seen.hint === 'malformed' && !isChanged ? 'malformed_complete' : undefined
}

const hasChanged = ({ before, after }: Observation): boolean =>
  before === undefined || before !== after

const isReturn = ({ trees }: WatchdogState, seen: Observation): boolean =>
  seen.after !== undefined && hasChanged(seen) && trees.includes(seen.after)

/** The same report about the same task is a repetition only if the change is the same, too. */
function isRepeated({ last }: WatchdogState, seen: Observation, isChanged: boolean): boolean {
  if (last === undefined || last.task !== seen.task) return false
  const { report, patch } = shorten(seen)
  if (lineSimilarity(last.report, report) <= similar) return false
  return !isChanged || lineSimilarity(last.patch, patch) > similar
}

/** Signal and next state of the watchdog. `rewritesMax`: how many rewrites a run may have. */
export function watch(
  state: WatchdogState,
  seen: Observation,
  rewritesMax: number,
): { readonly signal: WatchdogSignal | undefined; readonly next: WatchdogState } {
  const signal = findSignal(state, seen)
  const { intervention: _used, ...rest } = observe(state, seen)
  if (signal === undefined || signal === 'verification_failed') return { signal, next: rest }
  if (state.rewrites >= rewritesMax) return { signal, next: { ...rest, failed: signal } }
  const number = state.rewrites + 1
  const intervention = { signal, number, text: advice[signal] }
  return { signal, next: { ...rest, rewrites: number, intervention } }
}

function observe(state: WatchdogState, seen: Observation): WatchdogState {
  const last = { task: seen.task, ...shorten(seen) }
  const { after, before } = seen
  if (seen.settled) {
    return { ...state, unchanged: 0, returns: 0, trees: after === undefined ? [] : [after], last }
  }
  const start = state.trees.length === 0 && before !== undefined ? [before] : state.trees
  const known = { ...state, trees: start }
  const trees = after === undefined || start.at(-1) === after ? start : [...start, after]
  return {
    ...state,
    unchanged: hasChanged(seen) ? 0 : state.unchanged + 1,
    returns: state.returns + (isReturn(known, seen) ? 1 : 0),
    trees: trees.slice(-treesMax),
    last,
  }
}

const shorten = ({
  report,
  patch,
}: Pick<Observation, 'report' | 'patch'>): { readonly report: string; readonly patch: string } => ({
  report: report.trim().slice(0, textCharsMax),
  patch: changedLines(patch).slice(0, textCharsMax),
})

/** Only what a patch adds and removes: positions differ although the change is the same. */
const changedLines = (patch: string): string =>
  patch
    .slice(0, 10 * textCharsMax)
    .split('\n')
    .filter((line) => /^[+-](?![+-]{2})/.test(line))
    .join('\n')

/** The share of lines that are equal at the same position. */
export function lineSimilarity(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('\n').map((line) => line.trim()))
  if (a === undefined || b === undefined) return 0
  const equal = a.filter((line, index) => line === b[index]).length
  return equal / Math.max(a.length, b.length)
}

const advice: Readonly<Record<Exclude<WatchdogSignal, 'verification_failed'>, string>> = {
  no_progress:
    'The last iterations changed no file and settled no task. Do not report plans or intentions: change the files that the task needs now, or end with STATUS: blocked and name what is missing.',
  circular_diff:
    'The last iterations made a change and took it back again. Do not repeat either of them: find out why both were rejected, and take a third way, or end with STATUS: blocked and say what contradicts what.',
  repeated_task:
    'The last iteration did what the one before it did, with the same result. Do not repeat it: read the findings below, take a different approach, or end with STATUS: blocked and say why.',
  malformed_complete:
    'The last answer claimed completion in an unknown form, while the task is not done. Claims do not count: do the task, and answer in one sentence.',
}
