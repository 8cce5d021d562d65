/** The command that looks at this machine: doctor. */

import type { Command } from 'commander'
import { defined } from '../../loop/index.ts'
import { renderExamination } from '../display/examination.ts'
import { renderSection } from '../display/findings.ts'
import { outputExitCode } from '../exit-codes.ts'
import { openSession, readStateFolder } from '../session.ts'

/** Longer lines are hard to read. */
const widthMax = 100

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the sandbox, keys, state folder and schedules')
    .option('--probes', 'show each probe of the sandbox')
    .addHelpText(
      'after',
      '\nExit code: 0 unless the state folder is damaged.\n' +
        'With --json: { sandbox, dependencies, programs, keys, record, daemon?, schedules? }. Key values are never shown.',
    )
    .action(async (options: { probes?: boolean }) => {
      const { print, terminal } = openSession(program)
      const { style } = terminal
      const width = terminal.live ? Math.min(terminal.width(), widthMax) : Number.POSITIVE_INFINITY
      const { examine } = await import('../../host/doctor.ts')
      const found = await examine(await readStateFolder(program))
      const { daemonFindings, daemonView } = await import('../connection/daemon-view.ts')
      const daemon = await daemonView(program)
      const { scheduleFindings, scheduleReport } = await import('../schedule/schedule-findings.ts')
      const schedules = await scheduleReport(program)
      const probes = options.probes === true
      print({ ...found, ...defined({ daemon, schedules }) }, () =>
        [
          renderExamination(found, { style, width, probes }),
          ...(daemon === undefined
            ? []
            : [renderSection('daemon', daemonFindings(daemon), { style, width })]),
          ...(schedules === undefined
            ? []
            : [renderSection('schedules', scheduleFindings(schedules), { style, width })]),
        ].join('\n\n'),
      )
      if (found.record.problems.length > 0) process.exitCode = outputExitCode
    })
}
