/** What a check found, bound to the tree it looked at. */

import type { ErrorRates } from './error-rates.ts'
import type { TreeId } from './ids.ts'

export type CheckStatus = 'met' | 'not-met' | 'error' | 'timeout' | 'skipped'

/** What becomes of a failure that was there before the run began. */
export const existingFailures = ['ask', 'fix', 'allow'] as const
export type ExistingFailure = (typeof existingFailures)[number]

/** What answers: a program that we start, a tool, an agent that judges, or code of the loop's owner. */
export type CheckKind = 'command' | 'tool' | 'judge' | 'code'

/** The exit conditions that need no command: there is a usual one for each kind of project. */
export const standardConditions = [
  'all_tests_pass',
  'build_succeeds',
  'linting_clean',
  'security_scan_clean',
] as const
export type StandardCondition = (typeof standardConditions)[number]

/** What a check is, whatever it is called. */
export interface CheckDescription {
  readonly check: string
  readonly kind: CheckKind
  /** The standard condition that its commands were found for. Absent: the loop gives them itself. */
  readonly condition?: StandardCondition
}

/** What a check returns. */
export interface CheckResult {
  readonly check: string
  readonly status: CheckStatus
  readonly exitCode?: number
  /** The beginning and the end of what it printed. */
  readonly output: string
  readonly durationMs: number
  /** Absent where the run has no workspace. */
  readonly tree?: TreeId
  /** Absent: a command. */
  readonly kind?: CheckKind
  /** It was not run: it has answered on these very files before, in this run. */
  readonly reused?: true
  /** It failed before the run began, too. */
  readonly existing?: true
  /** It fails exactly as it did before the run began, and the loop does not say whether it may. */
  readonly asBefore?: true
  /** It failed before the run began, and may: by the loop file, or by a person's answer. */
  readonly allowed?: true
  /** On the same files it has answered otherwise. */
  readonly flaky?: true
  /** Why it could not run at all, and what to do: it has not answered. */
  readonly cannotRun?: string
  /** What the runner itself says of its tests, where it does. */
  readonly counts?: TestCounts
  /** What a judge found. */
  readonly findings?: readonly Finding[]
  /** How often it errs, where that was measured. */
  readonly calibration?: ErrorRates
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  /** Skipped, to do, ignored: not run, whatever the runner calls it. */
  readonly skipped: number
}

/** One thing that somebody found, and where. */
export interface Finding {
  readonly text: string
  readonly file?: string
  readonly line?: number
}

/** Why work was not certified: what whoever goes on has to know. */
export interface Refusal {
  /** A stable key: `sealed-changed`, `fails-clean`, `flaky`, `judge-alone`, `toothless`… */
  readonly code: string
  readonly message: string
  readonly check?: string
  readonly findings?: readonly Finding[]
}

/** What the engine itself found after an iteration. */
export interface Findings {
  /** Every check on the files as the iteration left them; empty where the run has none. */
  readonly checks: readonly CheckResult[]
  /** The loop's condition was met, and the work was not certified all the same. */
  readonly refusals: readonly Refusal[]
}

/** The part that state keeps: enough to say whether a check passed on the tree as it is now. */
export interface Evidence {
  readonly status: CheckStatus
  readonly iteration: number
  readonly tree?: TreeId
  /** Of the check itself, where somebody can tell. */
  readonly fingerprint?: string
  /** It was not run: it has answered on these very files before. */
  readonly reused?: true
  /** It failed before the run began, and whoever owns the loop lets it. */
  readonly allowed?: true
  /** On some tree of this run it answered twice, and differently. */
  readonly flaky?: true
}

/** One answer of a check, as state keeps it: what it was about, and where in the journal it is. */
export interface EvidenceKept extends Evidence {
  readonly tree: TreeId
  readonly seq: number
}

/** Of how many iterations state keeps the last answer of each check. */
const keptMax = 8

/** With one more, the newest last; of each iteration the last, and none that is about no tree. */
export function keepEvidence(
  kept: readonly EvidenceKept[] | undefined,
  { tree, ...found }: Evidence,
  seq: number,
): readonly EvidenceKept[] {
  if (tree === undefined) return kept ?? []
  const others = (kept ?? []).filter(({ iteration }) => iteration !== found.iteration)
  return [...others, { ...found, tree, seq }].slice(-keptMax)
}

/**
 * What a check said about these files before this iteration. It is the same whenever it is asked in the
 * iteration, however often the check has answered in it.
 */
export const answerBefore = (
  kept: readonly EvidenceKept[] | undefined,
  tree: TreeId | undefined,
  iteration: number,
): EvidenceKept | undefined =>
  kept
    ?.filter((one) => one.iteration < iteration)
    .slice(1 - keptMax)
    .findLast((one) => one.tree === tree)

/** A check that did not come to its end has not answered; it may the next time. */
export const isAnswer = ({ status }: Pick<Evidence, 'status'>): boolean =>
  status !== 'error' && status !== 'timeout'

/** Whether an answer contradicts one that the same check gave on the same tree. */
export const contradicts = (
  kept: readonly EvidenceKept[] | undefined,
  { status, tree, fingerprint }: Evidence,
): boolean =>
  isAnswer({ status }) &&
  (kept ?? []).some(
    (one) =>
      one.tree === tree &&
      one.fingerprint === fingerprint &&
      isAnswer(one) &&
      one.status !== status,
  )

/**
 * E5's core: every named check met on this tree, or allowed to fail, and one met at least. An empty list
 * is never "all met".
 */
export function checksPass(
  names: readonly string[],
  evidence: { readonly [check: string]: Evidence },
  tree: TreeId | undefined,
): boolean {
  const found = names.map((name) => (Object.hasOwn(evidence, name) ? evidence[name] : undefined))
  const isMet = (one: Evidence | undefined): boolean => one?.status === 'met'
  return (
    found.some(isMet) &&
    found.every((one) => one?.tree === tree && (isMet(one) || one?.allowed === true))
  )
}
