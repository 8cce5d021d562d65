/** The command that looks at this machine: doctor. */

import type { Command } from 'commander'
import { defined } from '../../loop/index.ts'
import { renderExamination } from '../display/examination.ts'
import { renderSection } from '../display/findings.ts'
import { outputExitCode } from '../exit-codes.ts'
import { openSession, stateFolderOf } from '../session.ts'

/** Longer lines are hard to read. */
const widthMax = 100

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'what this machine has: the sandbox, the keys of providers, a record that is whole',
    )
    .option('--probes', 'with each probe of the sandbox')
    .addHelpText(
      'after',
      '\nThe exit code is 0 unless the record is damaged, whatever else is missing.\n' +
        'With --json: { sandbox, dependencies, programs, keys, record, daemon? }. Values of keys are never shown.',
    )
    .action(async (options: { probes?: boolean }) => {
      const { print, terminal } = openSession(program)
      const { style } = terminal
      const width = terminal.live ? Math.min(terminal.width(), widthMax) : Number.POSITIVE_INFINITY
      const { examine } = await import('../../host/doctor.ts')
      const found = await examine(await stateFolderOf(program))
      const { daemonFindings, daemonView } = await import('../connection/daemon-view.ts')
      const daemon = await daemonView(program)
      const probes = options.probes === true
      print({ ...found, ...defined({ daemon }) }, () =>
        [
          renderExamination(found, { style, width, probes }),
          ...(daemon === undefined
            ? []
            : [renderSection('daemon', daemonFindings(daemon), { style, width })]),
        ].join('\n\n'),
      )
      if (found.record.problems.length > 0) process.exitCode = outputExitCode
    })
}
