/** Printed when a run has completed, but not all that it should have done outside its workspace happened. */

import { defined } from '../../loop/index.ts'
import type { ActionEntry } from '../../protocol/api/index.ts'
import type { Runs } from '../connection/runs.ts'
import { visible } from '../display/render.ts'
import { notActedExitCode } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import type { AtEnd } from './end-of-run.ts'

/** The outcome stays `completed`: the work is certified. */
export const lookAtActionsOf =
  ({ hint }: Pick<Session, 'hint'>, runs: Pick<Runs, 'actions' | 'inspect'>, run: string): AtEnd =>
  async (end) => {
    if (end.type !== 'ended' || end.outcome.type !== 'completed') return undefined
    const { run: row, state } = await runs.inspect(run)
    const entries = await runs.actions(run)
    const undone = entries.filter((entry) => entry.iteration === state.iteration && isUndone(entry))
    if (undone.length === 0) return undefined
    return {
      lines: [
        ...undone.map((entry) => `warning: ${visible(describe(entry))}`),
        hint(`Look at its actions: loopctl actions ${visible(row.name)}`),
      ],
      value: {
        undone: undone.map(({ key, kind, summary, status, reason }) => ({
          key,
          kind,
          summary,
          status,
          ...defined({ reason }),
        })),
      },
      exitCode: notActedExitCode,
    }
  }

/** A run of level 1 only reports its actions. */
const isUndone = ({ status, facts }: ActionEntry): boolean =>
  status !== 'done' && status !== 'escaped' && facts?.level !== 1

const words: Readonly<Record<string, string>> = {
  refused: 'was refused',
  failed: 'failed',
  unknown: 'has an unknown result',
  started: 'has an unknown result',
}

const describe = ({ kind, summary, status, reason }: ActionEntry): string =>
  `The action ${kind} ${words[status] ?? 'was not performed'}: ${reason ?? summary}`
