/** `loopctl actions`: what runs did outside their workspaces, and who or what allowed it. */

import type { Command } from 'commander'
import { LoopError } from '../../loop/index.ts'
import type { ActionEntry, ActionFact } from '../../protocol/api/index.ts'
import { renderTable, visible } from '../display/render.ts'
import { who, withRuns } from '../session.ts'

interface ActionsOptions {
  readonly facts?: boolean
  readonly escaped?: string
  readonly because?: string
}

export function addActions(program: Command): void {
  program
    .command('actions [run]')
    .description('show the actions of a run and who allowed them')
    .option('--facts', 'count all actions by loop, repository and kind')
    .option('--escaped <key>', 'record that this action turned out to be wrong')
    .option('--because <reason>', 'with --escaped: why')
    .action((run: string | undefined, options: ActionsOptions) =>
      withRuns(program, async (runs, { print }) => {
        if (options.facts === true) {
          for (const fact of await runs.actionFacts()) print(fact, () => renderFact(fact))
          return
        }
        if (run === undefined) throw new LoopError('bad-request', 'Pass a run, or --facts.')
        if (options.escaped !== undefined) {
          const request = { key: options.escaped, reason: reasonOf(options), by: who() }
          const escaped = await runs.recordEscape(run, request)
          return print(escaped, () => renderAction(escaped))
        }
        for (const entry of await runs.actions(run)) print(entry, () => renderAction(entry))
      }),
    )
}

function reasonOf({ because }: ActionsOptions): string {
  if (because !== undefined) return because
  throw new LoopError('bad-request', '--escaped needs a reason. Pass it with --because.')
}

/** For example: `done  merge  Merge work into agent/fix  (allowed by ada)`. */
function renderAction(entry: ActionEntry): string {
  const { kind, status, summary, permission, receipt, reason, key } = entry
  const by = permission === undefined ? '' : ` (allowed by ${permission.name})`
  const what = receipt?.summary ?? reason
  const first = `${status}  ${kind}  ${summary}${by}`
  return visible([first, ...(what === undefined ? [] : [what]), key].join(' · '))
}

const renderFact = (fact: ActionFact): string =>
  renderTable([
    [
      visible(fact.loop),
      visible(fact.kind),
      `${fact.done} done (${fact.verified} verified)`,
      `${fact.refused} refused`,
      `${fact.failed} failed`,
      `${fact.unknown} unknown`,
      `${fact.escaped} escaped`,
    ],
  ])
