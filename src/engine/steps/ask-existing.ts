/**
 * The question about checks that failed before the run. It is asked once per run, when it matters: the
 * work made another failing check pass, and the remaining failures are exactly as before. Until then
 * they may be what the run is supposed to fix.
 */

import {
  type Answer,
  type CheckResult,
  defined,
  failedOnBase,
  type Question,
  type QuestionEvidence,
} from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import { askPerson } from './ask-person.ts'
import { isRecordedNext } from './ask-step.ts'
import { diffOf, toEvidentCheck } from './question-evidence.ts'
import { runCheck } from './run-check.ts'

const questionName = 'existing failures'
/** Short, because the default, fixing them, does no harm. */
const deadlineMs = 15 * 60_000

/** The results of the checks, after that question if it has to be asked. */
export async function askAboutExisting(
  branch: Branch,
  checks: readonly CheckResult[],
): Promise<readonly CheckResult[]> {
  const { iteration } = branch
  const left = checks.filter((check) => check.status !== 'met' && check.allowed !== true)
  // An iteration that is continued follows its recorded steps, even if the state has changed since.
  const wasAsked = isRecordedNext(branch, { kind: 'ask', name: questionName })
  const { state } = iteration.run.recorder
  const isNew = state.allows === undefined && asksAbout(checks, left, failedOnBase(state))
  if (!wasAsked && !isNew) return checks
  const names = left.map(({ check }) => check)
  const isAllowed = ({ answer }: Answer): boolean => answer === 'allow'
  const answer = await askPerson(
    branch,
    questionName,
    questionAbout(left, diffOf(state)),
    (given) => ({
      allows: isAllowed(given) ? names : [],
    }),
  )
  if (!isAllowed(answer)) return checks
  const again = new Map<string, CheckResult>()
  // A check with a fingerprint need not run again: its result is reused, and now it is allowed.
  for (const name of names) again.set(name, await runCheck(branch, name))
  return checks.map((one) => again.get(one.check) ?? one)
}

const asksAbout = (
  checks: readonly CheckResult[],
  left: readonly CheckResult[],
  failedBefore: readonly string[],
): boolean =>
  left.length > 0 &&
  left.every(({ asBefore }) => asBefore === true) &&
  checks.some(({ check, status }) => status === 'met' && failedBefore.includes(check))

function questionAbout(
  left: readonly CheckResult[],
  diff: QuestionEvidence['diff'] | undefined,
): Question {
  const names = left.map(({ check }) => check)
  const isOne = names.length === 1
  const text = [
    `${isOne ? 'The check' : 'The checks'} ${names.join(', ')} failed before the run and ${isOne ? 'fails' : 'fail'} in exactly the same way now. All other checks pass.`,
    `allow: ${isOne ? 'it may' : 'they may'} keep failing like this; the work is certified without ${isOne ? 'it' : 'them'}.`,
    `fix: the run continues until ${isOne ? 'it passes' : 'they pass'}.`,
    'To answer this in the loop file, set "existing: allow" or "existing: fix" for the check.',
  ].join('\n')
  return {
    text,
    options: ['allow', 'fix'],
    default: 'fix',
    deadlineMs,
    kinds: { accept: 'allow', reject: 'fix', respond: 'fix' },
    evidence: {
      happened: [`All other checks pass; ${names.join(', ')} failed before the run, too.`],
      checks: left.map(toEvidentCheck),
      ...defined({ diff }),
    },
  }
}
