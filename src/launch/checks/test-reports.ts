/**
 * Adds to the results of checks during iterations what their test runners report: how many tests pass, and the ids of
 * those that fail. A run that escalates compares them. A check whose runner reports nothing, or that runs at the same time
 * as another one, has the result of its command only.
 */

import type { Check, CheckContext } from '../../engine/index.ts'
import type { Observation } from '../../evidence/index.ts'
import { failingMax } from '../../loop/index.ts'
import type { Identity } from '../certify/identity/open-identity.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import type { Env } from './check-runner.ts'
import { checkKind } from './kinds/registry.ts'
import type { ResolvedCheck } from './resolved-check.ts'

export interface ReportingContext {
  readonly sandbox: Pick<OpenedSandbox, 'commandsFor' | 'summary'>
  readonly path: string | undefined
  /** The variables of the dependencies, once they are installed. */
  readonly layerEnv: () => Env
}

export interface TestReports {
  /** `run`: the check without reports. */
  add(check: ResolvedCheck, run: Check): Check
  close(): Promise<void>
}

type Answer = Awaited<ReturnType<Check>>

export function openTestReports(place: ReportingContext): TestReports {
  const identity = holdIdentity(place)
  return {
    add(check, run) {
      if (checkKind(check).observe === undefined) return run
      const reporting: Check = (context) =>
        identity.use(
          (held) => observe(check, held, place, context),
          () => run(context),
        )
      return Object.assign(reporting, run)
    },
    close: () => identity.close(),
  }
}

async function observe(
  check: ResolvedCheck,
  identity: Identity,
  { sandbox, layerEnv }: ReportingContext,
  context: CheckContext,
): Promise<Answer | undefined> {
  const run = checkKind(check).observe?.(check, { sandbox, identity, layerEnv: layerEnv() })
  return run === undefined ? undefined : withTests(await run(context))
}

function withTests({ result, tests, problems }: Observation): Answer {
  if (tests === undefined || problems.length > 0) return result
  const failing = tests.filter(({ status }) => status === 'failed').map(({ id }) => id)
  const count = (status: string): number => tests.filter((test) => test.status === status).length
  return {
    ...result,
    counts: { passed: count('passed'), failed: failing.length, skipped: count('skipped') },
    ...(failing.length > failingMax ? {} : { failing }),
  }
}

interface HeldIdentity {
  /** `otherwise`: if reports cannot be received now. */
  use(
    work: (identity: Identity) => Promise<Answer | undefined>,
    otherwise: () => Promise<Answer>,
  ): Promise<Answer>
  close(): Promise<void>
}

/** Opened when the first check needs it; for one check at a time. */
function holdIdentity({ sandbox, path }: ReportingContext): HeldIdentity {
  let opened: Promise<Identity | undefined> | undefined
  let isBusy = false
  const open = async (): Promise<Identity | undefined> => {
    const { openIdentity } = await import('../certify/identity/open-identity.ts')
    return openIdentity(sandbox.summary.tier, path, { isQuick: true }).catch(() => undefined)
  }
  return {
    async use(work, otherwise) {
      if (isBusy) return otherwise()
      isBusy = true
      try {
        opened ??= open()
        const identity = await opened
        const answer = identity === undefined ? undefined : await work(identity)
        return answer ?? (await otherwise())
      } finally {
        isBusy = false
      }
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
