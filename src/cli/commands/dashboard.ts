/** The command that opens the dashboard: a page of the daemon. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LoopError } from '../../loop/index.ts'
import { reach } from '../connection/reach.ts'
import { visible } from '../display/render.ts'
import { openSession, readStateFolder } from '../session.ts'

export function addDashboard(program: Command): void {
  program
    .command('dashboard')
    .description('open the dashboard in a browser')
    .option('--print', 'print the link; do not open a browser')
    .addHelpText('after', '\nThe link works once and for a minute: it connects one tab.')
    .action((options: { print?: boolean }) => open(program, options.print === true))
}

async function open(program: Command, isPrinted: boolean): Promise<void> {
  const { print, json, hint, terminal } = openSession(program)
  const found = await reach(program, 'drive')
  if (found.type === 'in-process') {
    throw new LoopError('bad-request', 'A daemon serves the dashboard; omit --no-daemon.')
  }
  const link = await found.client.createDashboardLink()
  if (isPrinted || json || !terminal.live) return print(link, () => visible(link.url))
  const { openBrowser } = await import('../open-browser.ts')
  const isOpened = await openBrowser(link.url, resolve(await readStateFolder(program)))
  const advice = 'The link works once, within a minute. Another one: loopctl dashboard --print'
  const lead = isOpened ? 'Opened the dashboard:' : 'Open the dashboard in a browser:'
  print(link, () => `${lead} ${visible(link.url)}\n${hint(advice)}`)
}
