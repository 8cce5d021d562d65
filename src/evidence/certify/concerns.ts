/**
 * What speaks against certifying, from what was seen. Pure.
 *
 * Some of it is final: a check that fails in a clean checkout has failed. The rest is what only a person
 * can decide, since there are honest reasons for it: all of that becomes one question.
 */

import type { CheckStatus, Evidence, Refusal, TestCounts } from '../../loop/index.ts'
import { compareCounts } from '../runner-counts.ts'
import type { Ran } from './run-checks.ts'

/** A concern that a person may set aside. */
export interface Concern extends Refusal {
  readonly mayBeApproved: boolean
  /** What a check printed, which is long and comes last: in a question behind the diff. */
  readonly printed?: string
}

export interface Seen {
  /** The checks on the work as it is. */
  readonly own: readonly Ran[]
  /** As the base would have judged it (`rehearse.ts`); absent: not asked. */
  readonly sealed?: readonly Ran[]
  /** Tests that the work brings, which were not there for that. */
  readonly freshTests?: readonly string[]
  /** What is changed of the sealed things, a line each. */
  readonly sealedChanges: readonly string[]
  /** Sealed things that cannot be laid over it. */
  readonly unlaid?: readonly string[]
  /** What the runner said of its tests before the run began, by check. */
  readonly baseCounts: ReadonlyMap<string, TestCounts>
  /** Checks that were met before the run began. */
  readonly baseMet?: ReadonlySet<string>
  /** Files that checks changed before the run began, by check. */
  readonly baseWritten?: ReadonlyMap<string, readonly string[]>
  /** What the checks said during the iterations. */
  readonly evidence: { readonly [check: string]: Evidence }
  /** How a command could check what only judges have; undefined: none could. */
  readonly commandInstead?: string
  /** Defects that were planted and not noticed, a line each; absent: one was noticed, or none was planted. */
  readonly unnoticed?: readonly string[]
}

/** Failed checks alone, if there are any: nothing else counts before they pass. */
export function concernsOf(seen: Seen): readonly Concern[] {
  const failed = seen.own.filter((ran) => !isGood(ran)).map((ran) => failure(ran, seen.evidence))
  if (failed.length > 0) return failed
  if (!seen.own.some(({ result }) => result.status === 'met')) return [nothingMet]
  return [
    ...flaky(seen.own),
    ...judgeAlone(seen),
    ...sealed(seen),
    ...withoutFresh(seen),
    ...seen.own.flatMap((ran) => counted(ran, seen.baseCounts.get(ran.check.name))),
    ...seen.own.flatMap((ran) => failing(ran, seen)),
    ...seen.own.flatMap((ran) => writing(ran, seen.baseWritten?.get(ran.check.name))),
    ...toothless(seen),
  ]
}

/** `allowed`: it failed before the run began, and the loop's owner lets it. */
export const isGood = ({ result }: Ran): boolean =>
  result.status === 'met' || (result.status === 'not-met' && result.allowed === true)

const nothingMet: Concern = {
  code: 'no-checks',
  message: 'No check was met. Name one under checks: that can tell whether the work is done.',
  mayBeApproved: false,
}

function failure(
  { check, result }: Ran,
  evidence: { readonly [check: string]: Evidence },
): Concern {
  const before = Object.hasOwn(evidence, check.name) ? evidence[check.name]?.status : undefined
  const { code, message } = failureText(check.name, result.status, before)
  const output = result.output.trim()
  const said = output === '' ? 'It printed nothing.' : `It printed:\n${output}`
  return {
    code: check.kind === 'judge' && result.status === 'error' ? 'unclear' : code,
    message: `${message}${exitText(result.exitCode)} ${said}`,
    check: check.name,
    ...(result.findings === undefined ? {} : { findings: result.findings }),
    mayBeApproved: false,
  }
}

/** Signals that end a program by themselves; a shell or a wall around it says them as 128 and more. */
const signalNames: Readonly<Record<number, string>> = {
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
}

function exitText(exitCode: number | undefined): string {
  if (exitCode === undefined) return ''
  const signal = signalNames[exitCode]
  return ` It exited with ${exitCode}${signal === undefined ? '' : `: killed by ${signal}`}.`
}

function failureText(
  name: string,
  status: CheckStatus,
  before: CheckStatus | undefined,
): { readonly code: string; readonly message: string } {
  switch (status) {
    case 'timeout':
      return {
        code: 'timeout',
        message: `The check ${name} did not end in time in a clean checkout; that is no pass. Make it quicker, or give it more time (timeout).`,
      }
    case 'error':
      return {
        code: 'check-error',
        message: `The check ${name} could not be run to a result in a clean checkout.`,
      }
    case 'skipped':
      return { code: 'check-failed', message: `The check ${name} was skipped; that is no pass.` }
    default:
      return before === 'met'
        ? {
            code: 'fails-clean',
            message: `The check ${name} passed where the agent works and fails in a clean checkout of the commit: it needs something that is not committed, such as ignored or generated files, caches or changed dependencies. Commit what it needs; what another check makes is named under outputs.`,
          }
        : { code: 'check-failed', message: `The check ${name} fails in a clean checkout.` }
  }
}

/** One that is steady must stand beside it. */
function flaky(own: readonly Ran[]): readonly Concern[] {
  const met = own.filter(({ result }) => result.status === 'met')
  if (met.some(({ result }) => result.flaky !== true)) return []
  return met.map(({ check, answers }) => ({
    code: 'flaky',
    message: `The check ${check.name} answers now so, now so on the same files (${answers.join(', ')}): it cannot certify alone. Make it steady, or put a steady check beside it.`,
    check: check.name,
    mayBeApproved: false,
  }))
}

function judgeAlone({ own, commandInstead }: Seen): readonly Concern[] {
  const met = own.filter(({ result }) => result.status === 'met')
  if (commandInstead === undefined || met.some(({ check }) => check.kind !== 'judge')) return []
  return [
    {
      code: 'judge-alone',
      message: `Only a judge says that the work is done, and a command could check it: ${commandInstead}. Add it under checks.`,
      mayBeApproved: false,
    },
  ]
}

function sealed(seen: Seen): readonly Concern[] {
  if (seen.sealed === undefined || seen.sealedChanges.length === 0) return []
  const unlaid = (seen.unlaid ?? []).map((path) => `- cannot be put back for a check: ${path}`)
  const listed = [...seen.sealedChanges, ...unlaid].join('\n')
  const failed = seen.sealed.filter((ran) => !isGood(ran))
  if (failed.length === 0) {
    return [
      {
        code: 'sealed-changed',
        message: `The work changes what it is judged by. With all of that as it was, the checks pass too. Put it back, or a person approves of it:\n${listed}`,
        mayBeApproved: true,
      },
    ]
  }
  const names = failed.map(({ check }) => check.name).join(', ')
  const output = failed.map(({ result }) => result.output.trim()).join('\n')
  return [
    {
      code: 'sealed-failed',
      message: `The work changes what it is judged by, and does not pass what it was judged by before (${names}). Make the work pass it as it was, or a person approves of these changes:\n${listed}`,
      mayBeApproved: true,
      printed: output,
    },
  ]
}

/** New tests must not be what makes the old ones pass, nor stand for those that are gone. */
function withoutFresh(seen: Seen): readonly Concern[] {
  const { freshTests = [], baseCounts, own } = seen
  const judging = (seen.sealed ?? []).filter(({ check }) => {
    const base = baseCounts.get(check.name)
    return base === undefined || base.passed + base.failed > 0
  })
  const failed = judging.filter((ran) => !isGood(ran))
  const listed = freshTests.map((path) => `\n- ${path}`).join('')
  if (failed.length > 0) {
    // It is said with them.
    if (seen.sealedChanges.length > 0) return []
    const names = failed.map(({ check }) => check.name).join(', ')
    const output = failed.map(({ result }) => result.output.trim()).join('\n')
    return [
      {
        code: 'sealed-failed',
        message: `The work passes only as it is: without the tests that it brings, and with one more comment at the end of each file of code that it changes, it does not (${names}). Make it pass what was there before by itself, or a person approves of it.${listed}\nIt printed:\n${output}`,
        mayBeApproved: true,
      },
    ]
  }
  return judging.flatMap(({ check, result }) => {
    const base = baseCounts.get(check.name)
    const now = own.find((ran) => ran.check.name === check.name)?.result.counts
    if (compareCounts(base, now).length > 0) return []
    return compareCounts(base, result.counts).map(({ code, message }) => ({
      code,
      message: `The check ${check.name}, without the tests that the work brings: ${message}${listed}`,
      check: check.name,
      mayBeApproved: true,
    }))
  })
}

/** A runner that counts failures and ends with 0 was told to, or something has changed its exit code. */
function failing(
  { check, result }: Ran,
  { baseCounts, baseMet }: Pick<Seen, 'baseCounts' | 'baseMet'>,
): readonly Concern[] {
  const failed = result.status === 'met' ? (result.counts?.failed ?? 0) : 0
  const before = baseMet?.has(check.name) === true ? baseCounts.get(check.name)?.failed : undefined
  if (failed <= (before ?? 0)) return []
  return [
    {
      code: 'failed-tests',
      message: `The check ${check.name} ends well, and its own summary says that ${failed} ${failed === 1 ? 'test' : 'tests'} failed. Mend what fails, and let the exit code say so.`,
      check: check.name,
      mayBeApproved: true,
    },
  ]
}

function counted({ check, result }: Ran, base: TestCounts | undefined): readonly Concern[] {
  if (result.status !== 'met') return []
  return compareCounts(base, result.counts).map(({ code, message }) => ({
    code,
    message: `The check ${check.name}: ${message}`,
    check: check.name,
    mayBeApproved: true,
  }))
}

/** What it judged is not what was committed: something mends the code, or bends the tests, while they run. */
function writing({ check, written = [] }: Ran, base: readonly string[] = []): readonly Concern[] {
  const known = new Set(base)
  const fresh = written.filter((path) => !known.has(path))
  if (fresh.length === 0) return []
  const listed = fresh.map((path) => `- ${path}`).join('\n')
  return [
    {
      code: 'tree-changed',
      message: `While the check ${check.name} runs, files of the work are changed, and it did not do so before. What it judges then is not what was committed. Let it leave these alone, or have it write elsewhere:\n${listed}`,
      check: check.name,
      mayBeApproved: true,
    },
  ]
}

function toothless({ unnoticed }: Seen): readonly Concern[] {
  if (unnoticed === undefined || unnoticed.length === 0) return []
  const listed = unnoticed.map((line) => `- ${line}`).join('\n')
  return [
    {
      code: 'toothless',
      message: `The checks pass whatever the code does: none of these defects, planted in a copy, was noticed. Something answers in place of the tests, or no check looks at what this code does; then add a test, or say in the loop file that the checks are not meant to (certify: { teeth: false }).\n${listed}`,
      mayBeApproved: true,
    },
  ]
}
