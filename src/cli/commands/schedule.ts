/** `loopctl schedule`: what starts runs at a time or after an event. */

import { type Command, InvalidArgumentError } from 'commander'
import { LoopError } from '../../loop/index.ts'
import { parseActiveHours } from '../../protocol/schedule/active-hours.ts'
import { visible } from '../display/render.ts'
import { addLimitOptions } from '../limit-options.ts'
import { addLoadOptions, addWorktreeOptions, dollars, positive } from '../run-options.ts'
import type { AddScheduleOptions } from '../schedule/new-schedule.ts'
import { withSchedules } from '../schedule/with-schedules.ts'
import { folderName, who } from '../session.ts'

const addHelp = `
A cadence is "daily 09:00", "weekly mon 09:00", "every 10m" (s, m, h, d), or the five fields of cron.
A new schedule is due at once. If the loop gathers what it works on (gather), a tick with nothing new starts no run.
All scheduled runs of a loop may cost $20 a day, unless --daily-cost says otherwise.`

export function addSchedule(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('run loops at a time or after an event')
    .action(() => schedule.outputHelp())
  addAdding(program, schedule)
  addQueries(program, schedule)
  addPausing(program, schedule)
  schedule
    .command('run-now <schedule>')
    .description('start a run now, even if nothing is new')
    .action((name: string) =>
      withSchedules(program, async ({ client, print }) => {
        const ran = await client.schedules.run(name, { by: who() })
        const { describeTick } = await import('../display/schedules-view.ts')
        print(ran, () => describeTick(ran.last))
      }),
    )
  schedule
    .command('remove <schedule>')
    .description('remove a schedule; its runs stay')
    .action((name: string) =>
      withSchedules(program, async ({ client, print }) => {
        const removed = await client.schedules.remove(name)
        print(removed, () => `removed ${visible(removed.name)}`)
      }),
    )
}

function addAdding(program: Command, schedule: Command): void {
  const add = schedule
    .command('add <file> [cadence]')
    .description('add a schedule for a loop file')
    .option('--name <name>', 'its name (default: that of the file)')
    .option('--workspace <folder>', 'where to work (default: as in the file, or here)', folderName)
    .option('--tz <zone>', 'time zone, such as Europe/Berlin (default: of the daemon)')
    .option('--hours <hours>', 'only then, such as "mon-fri 09:00-17:00"', activeHours)
    .option('--from-next', 'wait for the first time of the cadence')
    .option('--always', 'start a run at each tick, even if nothing is new')
    .option('--on-file <path>', 'instead of a cadence: when this file changes')
    .option('--on-branch <branch>', 'instead: when this branch of the workspace moves')
    .option('--on-run <loop>', 'instead: when a run of this loop ends')
    .option('--outcome <outcome>', 'with --on-run: only this outcome; repeatable', repeated)
    .option('--on-webhook', 'instead: after a signed request')
    .option('--daily-runs <n>', 'runs of the loop in a day', positive)
    .option('--daily-tokens <n>', 'tokens of the loop in a day', positive)
    .option('--daily-cost <dollars>', 'cost of the loop in a day (default: 20)', dollars)
    .option('--alert-after <n>', 'failures in a row before it alerts (default: 3)', positive)
    .option('--notify <command>', 'shell command for alerts; gets the text as input')
  addWorktreeOptions(addLoadOptions(addLimitOptions(add)))
  add.addHelpText('after', addHelp)
  add.action(async (file: string, cadence: string | undefined, options: AddScheduleOptions) => {
    const { addNewSchedule } = await import('../schedule/new-schedule.ts')
    await addNewSchedule(program, { file, cadence }, options)
  })
}

function addQueries(program: Command, schedule: Command): void {
  schedule
    .command('list')
    .description('list schedules: when they are due, and how they are')
    .action(() =>
      withSchedules(program, async ({ client, session, print }) => {
        const listed = await client.schedules.list()
        const { renderSchedules } = await import('../display/schedules-view.ts')
        if (session.json) for (const one of listed.items) print(one, String)
        else print(listed, () => renderSchedules(listed, session.terminal))
      }),
    )
  schedule
    .command('show <schedule>')
    .description('show a schedule and its newest ticks')
    .action((name: string) =>
      withSchedules(program, async ({ client, print }) => {
        const found = await client.schedules.get(name)
        const { renderSchedule } = await import('../display/schedules-view.ts')
        print(found, () => renderSchedule(found))
      }),
    )
}

function addPausing(program: Command, schedule: Command): void {
  schedule
    .command('pause [schedule]')
    .description('pause a schedule, or all; running runs go on')
    .option('--all', 'pause all schedules')
    .option('--reason <text>', 'why')
    .action((name: string | undefined, options: { all?: boolean; reason?: string }) =>
      pauseOrResume(program, 'pause', name, options),
    )
  schedule
    .command('resume [schedule]')
    .description('resume a schedule, or all, with the next tick')
    .option('--all', 'resume all schedules')
    .action((name: string | undefined, options: { all?: boolean }) =>
      pauseOrResume(program, 'resume', name, options),
    )
}

const pauseOrResume = (
  program: Command,
  what: 'pause' | 'resume',
  name: string | undefined,
  { all = false, reason }: { readonly all?: boolean; readonly reason?: string },
): Promise<void> =>
  withSchedules(program, async ({ client: { schedules }, session, print }) => {
    if (all === (name !== undefined)) {
      throw new LoopError(
        'bad-request',
        `Name one schedule, or pass --all: loopctl schedule ${what} --all`,
      )
    }
    const request = { by: who(), ...(reason === undefined ? {} : { reason }) }
    const done = `${what}d`
    if (name !== undefined) {
      const changed = await schedules[what](name, request)
      return print(changed, () => `${done} ${visible(changed.name)}`)
    }
    const listed = await (what === 'pause'
      ? schedules.pauseAll(request)
      : schedules.resumeAll(request))
    if (session.json) for (const one of listed.items) print(one, String)
    else print(listed, () => `${done} all schedules (${listed.items.length})`)
  })

function activeHours(text: string): string {
  if (parseActiveHours(text) !== undefined) return text
  throw new InvalidArgumentError('Write it as 09:00-17:00 or "mon-fri 09:00-17:00".')
}

const repeated = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
]
