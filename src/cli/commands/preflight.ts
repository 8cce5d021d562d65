/** Commands that say whether a loop can run here, and that forget what was found out before: preflight, forget. */

import { type Command, Option } from 'commander'
import type { PreflightReport } from '../../host/preflight/index.ts'
import { describePreflight } from '../../loop/index.ts'
import { renderSpan } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { interruptible } from '../interruptible.ts'
import { type AttendedOption, addAttendedOption, addTrustOption } from '../run-options.ts'
import { openSession, type Session, withNewRecord } from '../session.ts'
import { loadTrusted } from '../trust.ts'

interface PreflightOptions extends AttendedOption {
  readonly dirty?: boolean
  readonly trust?: boolean
  readonly dependencies?: 'install' | 'carry' | 'none'
}

/** What has to be fixed is a matter of configuration, as for `run`. */
const notReadyExitCode = 78

export function addPreflight(program: Command): void {
  const preflight = program
    .command('preflight [file]')
    .description(
      'say whether a loop can run here: agent, key, sandbox, dependencies, every check once',
    )
    .option('--dirty', 'try the files as they are, not the commit that is checked out')
    .addOption(
      new Option('--dependencies <from>', 'where the clean checkout gets its dependencies').choices(
        ['install', 'carry', 'none'],
      ),
    )
    .addHelpText(
      'after',
      `
No worktree is made and no model is asked. What the checks answer is kept, and a run of the same
commit uses it. The exit code is 0 if a run can begin, ${notReadyExitCode} if something has to be fixed first.`,
    )
  addTrustOption(addAttendedOption(preflight)).action(
    (file: string | undefined, options: PreflightOptions) => tryLoop(program, file, options),
  )
  program
    .command('forget [run]')
    .description('forget what checks answered and what agents tried, so that it is done again')
    .addHelpText(
      'after',
      `
Runs, their events and certificates stay. With a run: only what its agents tried.`,
    )
    .action((run: string | undefined) => forget(program, run))
}

async function tryLoop(
  program: Command,
  named: string | undefined,
  options: PreflightOptions,
): Promise<void> {
  const session = openSession(program)
  const { chooseLoop } = await import('../choose-loop.ts')
  const file = await chooseLoop(session.terminal, named, false)
  await preflightFile(program, file, options, (report) => {
    if (!report.ready) process.exitCode = notReadyExitCode
    session.print(report, () => renderTried(session, report))
  })
}

/** Tries a loop file; what it sees is told as it goes, and the rest is in the report. */
export async function preflightFile(
  program: Command,
  file: string,
  options: PreflightOptions,
  onReport: (report: PreflightReport) => void,
): Promise<void> {
  const session = openSession(program)
  await interruptible('the preflight was left.', (stop) =>
    withNewRecord(program, async (host) => {
      const loaded = await loadTrusted(session, host.folder, file, options)
      try {
        const { preflightLoop } = await import('../../host/preflight/index.ts')
        const report = await preflightLoop(host, loaded, {
          attended: session.terminal.asks || options.attended === true,
          dirty: options.dirty === true,
          signal: stop.signal,
          ...(options.dependencies === undefined ? {} : { dependencies: options.dependencies }),
          ...(session.json ? {} : telling(session)),
        })
        onReport(report)
      } finally {
        await loaded.close()
      }
    }),
  )
}

/** As it goes: installing and trying takes as long as it takes. */
function telling({ terminal }: Session) {
  const { style } = terminal
  const marks = { ok: style.green('✓'), warning: style.yellow('!'), problem: style.red('✗') }
  return {
    onLooked(looked: PreflightReport['looked']) {
      for (const { what, status, detail } of looked) {
        process.stdout.write(`${marks[status]} ${what.padEnd(10)} ${visible(detail)}\n`)
      }
    },
    onBegin(check?: string) {
      if (!terminal.live) return
      const what = check === undefined ? 'installs dependencies' : `runs ${check} on the base`
      process.stderr.write(style.dim(`  ${visible(what)} …\n`))
    },
  }
}

export function renderTried(
  { terminal }: Session,
  { tried, ready, loop }: PreflightReport,
): string {
  const { style } = terminal
  const lines = (tried?.checks ?? []).map((found) => {
    const { answer, durationMs, known } = found
    const mark = answer === 'cannot-run' ? style.red('✗') : style.green('✓')
    const took = known === true ? 'known from before' : renderSpan(durationMs)
    return `${mark} ${'check'.padEnd(10)} ${visible(describePreflight(found))} ${style.dim(took)}`
  })
  const end = ready
    ? `${visible(loop)} can run.`
    : style.bold('Fix what is marked first; nothing was spent.')
  return [...lines, end].join('\n')
}

async function forget(program: Command, run: string | undefined): Promise<void> {
  const session = openSession(program)
  await withNewRecord(program, async (host) => {
    const { forgetKnown } = await import('../../host/preflight/forget.ts')
    const forgotten = await forgetKnown(host, run)
    session.print(forgotten, () => {
      const { answers, attempts } = forgotten
      return run === undefined
        ? `Forgot ${answers} answers of checks and ${attempts} attempts of agents.`
        : visible(`Forgot ${attempts} attempts of ${run}.`)
    })
  })
}
