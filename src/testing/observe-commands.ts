/** Observes commands as certifying does, in any folder: which tests their runners report. */

import type { Observation, ObserveOptions } from '../evidence/index.ts'
import { observeCheck } from '../launch/certify/identity/observe-check.ts'
import { openIdentity } from '../launch/certify/identity/open-identity.ts'
import { commandCheck } from '../launch/checks/command-check.ts'
import { defined } from '../loop/index.ts'
import { openSandbox } from '../sandbox/index.ts'

export type { Observation }

export interface CommandObserver {
  observe(
    workspace: string,
    command: readonly string[],
    options?: ObserveOptions & { readonly junit?: string },
  ): Promise<Observation>
  close(): Promise<void>
}

/** One command at a time. */
export async function observeCommands(): Promise<CommandObserver> {
  const sandbox = await openSandbox()
  const identity = await openIdentity(sandbox.report.tier)
  return {
    observe(workspace, command, { junit, ...options } = {}) {
      const commands = sandbox.commands({ workspace, ...identity.shows })
      const observed = {
        identity,
        env: {},
        open: (env: Readonly<Record<string, string>>, prefix: readonly string[]) => {
          const [program = '', ...args] = [...prefix, ...command]
          return commandCheck(program, args, { timeoutMs: 300_000, env, commands })
        },
        ...defined({ junit }),
      }
      return observeCheck(observed, { ...context, workspace }, options)
    },
    close: () => identity.close(),
  }
}

const context = {
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  iteration: 1,
  work: async () =>
    ({ status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns: 1 }) as const,
  callTool: async () => ({ ok: true, output: null }),
}
