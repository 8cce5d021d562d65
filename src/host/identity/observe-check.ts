/** Runs a check once and reports what its test runners told. */

import type { Check, CheckContext } from '../../engine/index.ts'
import { identityEnvironment, type Observation, type ObserveOptions } from '../../evidence/index.ts'
import type { Identity } from './open-identity.ts'

export interface ObservedCheck {
  readonly identity: Identity
  /** Variables that the check has without us. */
  readonly env: Readonly<Record<string, string>>
  /** The check with these variables instead, shown our files. */
  readonly open: (env: Readonly<Record<string, string>>) => Check
}

export async function observeCheck(
  { identity, env, open }: ObservedCheck,
  context: CheckContext,
  _options: ObserveOptions = {},
): Promise<Observation> {
  const check = open({ ...env, ...identityEnvironment(identity.folder, env) })
  const startedAtMs = Date.now()
  identity.begin(context.workspace ?? process.cwd())
  let report: Awaited<ReturnType<Identity['end']>> | undefined
  try {
    const result = await check(context)
    report = await identity.end()
    return { result, ...report, startedAtMs, endedAtMs: Date.now() }
  } finally {
    if (report === undefined) await identity.end()
  }
}
