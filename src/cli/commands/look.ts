/** Commands that look: list, inspect, tail. */

import type { Command } from 'commander'
import type { RunRow } from '../../host/index.ts'
import { describeEvent } from '../../loop/index.ts'
import { renderInspection, renderList, renderTime, visible } from '../display/render.ts'
import { hasRecord, openSession, wholeNumber, withRecord } from '../session.ts'

export function addLooking(program: Command): void {
  program
    .command('list')
    .description('the runs, newest first')
    .action(async () => {
      if (!(await hasRecord(program))) return listRuns(program, [])
      return withRecord(program, async (host) => listRuns(program, await host.list()))
    })
  program
    .command('inspect <run>')
    .description('one run: status, spending, checkpoints, what it asks (by id, name or beginning)')
    .action((run: string) =>
      withRecord(program, async (host, { print }) => {
        const inspection = await host.inspect(run)
        print(inspection, () => renderInspection(inspection))
      }),
    )
  program
    .command('tail <run>')
    .description('the events of a run')
    .option('-f, --follow', 'wait for more until the run ends')
    .option('--after <seq>', 'begin after this event', wholeNumber, 0)
    .action((run: string, options: { follow?: boolean; after: number }) =>
      withRecord(program, async (host, { print }) => {
        const range = { follow: options.follow === true, afterSeq: options.after }
        for await (const event of host.events(run, range)) {
          print(event, () =>
            visible(`${renderTime(event.atMs)} ${event.seq} ${describeEvent(event.event)}`),
          )
        }
      }),
    )
}

function listRuns(program: Command, runs: readonly RunRow[]): void {
  const { json, print } = openSession(program)
  if (json) for (const run of runs) print(run, String)
  else print(runs, () => renderList(runs, Date.now()))
}
