/** Commands that check whether a loop can run here, and clear cached answers: preflight, forget. */

import type { Command } from 'commander'
import type { PreflightReport } from '../../launch/preflight/index.ts'
import { defined, describePreflight, type PreflightCheck } from '../../loop/index.ts'
import { plural, renderSpan } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { interruptible } from '../interruptible.ts'
import {
  type AttendedOption,
  addAttendedOption,
  addDependenciesOption,
  addTrustOption,
} from '../run-options.ts'
import { openSession, type Session, withHost } from '../session.ts'
import type { Style } from '../terminal.ts'
import { loadTrusted } from '../trust.ts'

interface PreflightOptions extends AttendedOption {
  readonly dirty?: boolean
  readonly trust?: boolean
  readonly dependencies?: 'install' | 'resolve' | 'carry' | 'none'
}

/** The same code as `not-configured`, which `run` ends with. */
const notReadyExitCode = 78

export function addPreflight(program: Command): void {
  const preflight = program
    .command('preflight [file]')
    .description('check whether a loop can run here, without running it')
    .option('--dirty', 'try the files as they are instead of the commit')
    .addHelpText(
      'after',
      `
Checks agent, key, sandbox, disk, lockfile and tools; then installs dependencies and runs every check once.
Creates no worktree and calls no model. A run of the same commit reuses the answers.
Exit code: 0 if a run can start, ${notReadyExitCode} if something has to be fixed first.`,
    )
  addTrustOption(addAttendedOption(addDependenciesOption(preflight))).action(
    (file: string | undefined, options: PreflightOptions) => tryLoop(program, file, options),
  )
  program
    .command('forget [run]')
    .description('forget cached check answers and earlier attempts of agents')
    .addHelpText(
      'after',
      `
Runs, their events and certificates are kept. With a run: forgets only what its agents tried.`,
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

/** Tries a loop file. What is found is printed as it goes; the rest is in the report. */
export async function preflightFile(
  program: Command,
  file: string,
  options: PreflightOptions,
  onReport: (report: PreflightReport) => void,
): Promise<void> {
  const session = openSession(program)
  await interruptible('preflight stopped.', (stop) =>
    withHost(program, async (host) => {
      const loaded = await loadTrusted(session, host.folder, file, options)
      const { preflightLoop } = await import('../../launch/preflight/index.ts')
      const report = await preflightLoop(host, loaded, {
        attended: session.terminal.asks || options.attended === true,
        dirty: options.dirty === true,
        signal: stop.signal,
        ...defined({ dependencies: options.dependencies }),
        ...(session.json ? {} : progressPrinter(session)),
      })
      onReport(report)
    }),
  )
}

/** Progress: installing and running checks can take minutes. */
function progressPrinter({ terminal }: Session) {
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
      const what = check === undefined ? 'installing dependencies' : `running ${check} on the base`
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
    const mark = markOf(style, answer)
    const took = known === true ? 'cached' : renderSpan(durationMs)
    return `${mark} ${'check'.padEnd(10)} ${visible(describePreflight(found))} ${style.dim(took)}`
  })
  const end = ready
    ? `${visible(loop)} is ready to run.`
    : style.bold('Fix the problems marked ✗ first. Nothing was spent.')
  return [...lines, end].join('\n')
}

async function forget(program: Command, run: string | undefined): Promise<void> {
  const session = openSession(program)
  await withHost(program, async (host) => {
    const { forgetKnown } = await import('../../launch/preflight/forget-known.ts')
    const forgotten = await forgetKnown(host, run)
    session.print(forgotten, () => {
      const { answers, attempts } = forgotten
      return run === undefined
        ? `Forgot ${plural(answers, 'check answer')} and ${plural(attempts, 'attempt')} of agents.`
        : visible(`Forgot ${plural(attempts, 'attempt')} of ${run}.`)
    })
  })
}

function markOf(style: Style, answer: PreflightCheck['answer']): string {
  if (answer === 'cannot-run') return style.red('✗')
  if (answer === 'timeout') return style.yellow('!')
  return answer === 'unknown' ? style.dim('-') : style.green('✓')
}
