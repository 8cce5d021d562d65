/**
 * Runs a check once and reports the tests of its runners.
 *
 * If a run of selected tests does not report all of them, the whole check runs, and its result counts.
 */

import type { Check, CheckContext } from '../../../engine/index.ts'
import {
  hasAllWanted,
  identityEnvironment,
  type Observation,
  type ObserveOptions,
  otherEnvironment,
  quickIdentityEnvironment,
  type RunnerReport,
  toWantedTests,
  withoutUnwanted,
} from '../../../evidence/index.ts'
import type { Identity } from './open-identity.ts'
import { innerPath } from './path-from-top.ts'
import { shiftTimes } from './shift-times.ts'

type Env = Readonly<Record<string, string>>

export interface ObservedCheck {
  readonly identity: Identity
  /** The variables of the check without ours. */
  readonly env: Env
  /** Opens the check with these variables, a program in front of its commands, and our files mounted. */
  readonly open: (env: Env, prefix: readonly string[]) => Check
  /** A JUnit XML report that it writes, relative to the root of the tree. */
  readonly junit?: string
}

export async function observeCheck(
  check: ObservedCheck,
  context: CheckContext,
  { only, environment = 'usual' }: ObserveOptions = {},
): Promise<Observation> {
  const { identity, env } = check
  const workspace = context.workspace ?? process.cwd()
  const isOther = environment === 'other'
  const variables = {
    ...env,
    ...toVariables(identity, env),
    ...(isOther ? otherEnvironment : {}),
  }
  if (isOther) await shiftTimes(workspace)
  const run = check.open(variables, createPrefix(check, workspace, isOther))
  const startedAtMs = Date.now()
  const wanted = only && toWantedTests(only, innerPath(workspace))
  if (only !== undefined && wanted !== undefined) {
    const some = await observeOnce(identity, run, { ...context, workspace }, wanted)
    if (hasAllWanted(some, only))
      return { ...some, ...withoutUnwanted(some, only), startedAtMs, endedAtMs: Date.now() }
  }
  const all = await observeOnce(identity, run, { ...context, workspace })
  return { ...all, startedAtMs, endedAtMs: Date.now() }
}

const toVariables = ({ folder, isQuick }: Identity, env: Env): Env =>
  isQuick === true ? quickIdentityEnvironment(folder, env) : identityEnvironment(folder, env)

function createPrefix(
  { identity, junit }: ObservedCheck,
  workspace: string,
  isOther: boolean,
): readonly string[] {
  // Our programs come first on the PATH.
  const report = `exec node "$0" "$@"`
  const program = `${identity.folder}/run-with-junit.cjs`
  const folder = isOther ? 'mkdir -p "$TMPDIR" && ' : ''
  if (junit !== undefined && identity.isQuick !== true)
    return ['/bin/sh', '-c', `${folder}${report}`, program, innerPath(workspace)(junit)]
  return isOther ? ['/bin/sh', '-c', `${folder}exec "$0" "$@"`] : []
}

async function observeOnce(
  identity: Identity,
  run: Check,
  context: CheckContext & { readonly workspace: string },
  wanted?: Parameters<Identity['begin']>[1],
): Promise<RunnerReport & Pick<Observation, 'result'>> {
  await identity.begin(context.workspace, wanted)
  let report: RunnerReport | undefined
  try {
    const result = await run(context)
    report = await identity.end()
    return { result, ...report }
  } finally {
    if (report === undefined) await identity.end()
  }
}
