/**
 * The question about checks that failed before the run began. It is asked once in a run, when it matters:
 * the work made another failing check pass, and only those are left that fail exactly as they did before.
 * Until then they may be what the run is there to fix.
 */

import { type Answer, type CheckResult, failedOnBase, type Question } from '../../loop/index.ts'
import type { Branch } from '../live-run.ts'
import { askPerson } from './ask-person.ts'
import { isRecordedNext } from './ask-step.ts'
import { runCheck } from './run-check.ts'

const questionName = 'existing failures'
/** Nothing is lost by fixing them, so the run does not wait for long. */
const deadlineMs = 15 * 60_000

/** The answers of the checks, after that question if it has to be asked. */
export async function askAboutExisting(
  branch: Branch,
  checks: readonly CheckResult[],
): Promise<readonly CheckResult[]> {
  const { iteration } = branch
  const left = checks.filter((check) => check.status !== 'met' && check.allowed !== true)
  // Entered again, the iteration goes on as it is recorded, whatever the state says by now.
  const wasAsked = isRecordedNext(branch, { kind: 'ask', name: questionName })
  const { state } = iteration.run.recorder
  const isNew = state.allows === undefined && asksAbout(checks, left, failedOnBase(state))
  if (!wasAsked && !isNew) return checks
  const names = left.map(({ check }) => check)
  const isAllowed = ({ answer }: Answer): boolean => answer === 'allow'
  const answer = await askPerson(branch, questionName, questionAbout(names), (given) => ({
    allows: isAllowed(given) ? names : [],
  }))
  if (!isAllowed(answer)) return checks
  const again = new Map<string, CheckResult>()
  // A check that says what it is need not run again: its answer stands, and now it is allowed.
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

function questionAbout(names: readonly string[]): Question {
  const isOne = names.length === 1
  const text = [
    `${isOne ? 'The check' : 'The checks'} ${names.join(', ')} failed before the run began and ${isOne ? 'fails' : 'fail'} in exactly the same way now. All other checks pass.`,
    `allow: ${isOne ? 'it may' : 'they may'} keep failing like this; the work is certified without ${isOne ? 'it' : 'them'}.`,
    `fix: the run goes on until ${isOne ? 'it passes' : 'they pass'}.`,
    'To answer this in the loop file, set "existing: allow" or "existing: fix" for the check.',
  ].join('\n')
  return { text, options: ['allow', 'fix'], default: 'fix', deadlineMs }
}
