/** The message for a check that did not pass in the clean checkout. */

import { type CheckStatus, defined, type Evidence } from '../../loop/index.ts'
import type { Concern } from './observations.ts'
import type { CheckRun } from './run-checks.ts'

export function failure(
  { check, result }: CheckRun,
  evidence: { readonly [check: string]: Evidence },
): Concern {
  const before = Object.hasOwn(evidence, check.name) ? evidence[check.name]?.status : undefined
  const { code, message } = failureText(check.name, result.status, before)
  const output = result.output.trim()
  const printed = output === '' ? 'It printed nothing.' : `It printed:\n${output}`
  return {
    code: check.kind === 'judge' && result.status === 'error' ? 'unclear' : code,
    message: `${message}${exitText(result.exitCode)} ${printed}`,
    check: check.name,
    ...defined({ findings: result.findings }),
    mayBeApproved: false,
  }
}

/** Signals that end a program; shells report them as exit codes above 128. */
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
        message: `The check ${name} timed out in a clean checkout. Make it faster, or give it more time (timeout).`,
      }
    case 'error':
      return {
        code: 'check-error',
        message: `The check ${name} did not produce a result in a clean checkout.`,
      }
    case 'skipped':
      return {
        code: 'check-failed',
        message: `The check ${name} was skipped, which is not a pass.`,
      }
    default:
      return before === 'met'
        ? {
            code: 'fails-clean',
            message: `The check ${name} passes in the workspace of the agent and fails in a clean checkout of the commit: it needs something that is not committed, such as ignored or generated files, caches or changed dependencies. Commit what it needs; if another check creates it, name it under outputs of that check.`,
          }
        : { code: 'check-failed', message: `The check ${name} fails in a clean checkout.` }
  }
}
