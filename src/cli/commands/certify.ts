/** The command that certifies files without a run: certify. */

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Host } from '../../host/host.ts'
import type { CertifiedFolder } from '../../launch/certify/certify-folder.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { defined, LoopError, type Question } from '../../loop/index.ts'
import { describeLevel, describeStrength } from '../../protocol/certificate/describe-strength.ts'
import { promptFor } from '../ask.ts'
import { addCheckOption, type GivenChecks, namedChecks } from '../check-option.ts'
import { shortId } from '../display/certification-lines.ts'
import { visible, visibleText } from '../display/render.ts'
import { notCertifiedExitCode } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import {
  type AttendedOption,
  addAttendedOption,
  addDependenciesOption,
  addTrustOption,
  type ChangeOptions,
} from '../run-options.ts'
import { openSession, type Session, who, withHost } from '../session.ts'
import { loadTrusted } from '../trust.ts'

interface CertifyOptions extends AttendedOption, Pick<ChangeOptions, 'dependencies'> {
  readonly loop?: string
  readonly check?: GivenChecks
  readonly base?: string
  readonly dirty?: boolean
  readonly trust?: boolean
  readonly approve?: readonly string[]
}

export function addCertify(program: Command): void {
  const certify = program
    .command('certify [folder]')
    .description('run checks in a clean checkout of a commit and certify it')
    .option('--loop <file>', 'use the checks of this loop file')
    .option('--base <ref>', 'compare with this commit, to notice removed tests and changed seals')
    .option('--dirty', 'certify the files as they are instead of the commit')
    .option('--approve <item>', 'approve this dependency or install script; repeatable', addItem)
    .addHelpText(
      'after',
      `
Without --loop and --check: every standard condition that the project has a command for.
--approve takes an item exactly as a refusal prints it.
Exit code: 0 if the commit was certified, ${notCertifiedExitCode} if not.`,
    )
  addCheckOption(certify, 'a command that must pass, or name=command; repeatable')
  addDependenciesOption(addTrustOption(addAttendedOption(certify))).action(
    (folder: string | undefined, options: CertifyOptions) => run(program, folder, options),
  )
}

const addItem = (item: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  item,
]

async function run(
  program: Command,
  given: string | undefined,
  options: CertifyOptions,
): Promise<void> {
  const session = openSession(program)
  await interruptible('nothing was certified.', (stop) =>
    withHost(program, async (host) => {
      const { certifyFolder } = await import('../../launch/certify/certify-folder.ts')
      const loaded = await load(session, host, given, options)
      const { attended, base, dirty, dependencies, approve } = options
      const found = await certifyFolder(host, loaded, {
        attended: session.terminal.asks || attended === true,
        signal: stop.signal,
        ...(session.terminal.live ? { onCheck: reportChecks() } : {}),
        onProblem: (problem) => void process.stderr.write(`warning: ${visible(problem)}\n`),
        ...(session.terminal.asks ? { ask: (question: Question) => ask(question, stop) } : {}),
        ...(session.terminal.asks || approve !== undefined ? { who: who() } : {}),
        ...defined({ approve, base }),
        ...(dirty === true ? { dirty } : {}),
        ...defined({ dependencies }),
      })
      if (!found.certified) process.exitCode = notCertifiedExitCode
      const shows = found.certified ? await strengthOf(host, found.certificate) : []
      session.print(found, () => render(session, found, shows))
    }),
  )
}

/** Progress: certifying takes as long as its checks, and some of them run more than once. */
function reportChecks(): (name: string) => void {
  const times = new Map<string, number>()
  return (name) => {
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    process.stderr.write(visible(`  running ${name}${time === 1 ? '' : ` (${time})`}`) + '\n')
  }
}

async function load(
  session: Session,
  host: Host,
  given: string | undefined,
  options: CertifyOptions,
): Promise<LoadedLoop> {
  const { loop, check = [] } = options
  if (loop === undefined) {
    const { loadChecks } = await import('../../launch/certify/load-checks.ts')
    return loadChecks(host, resolve(given ?? '.'), await namedChecks(check))
  }
  if (check.length > 0) {
    const message = '--loop and --check conflict; use one of them.'
    throw new LoopError('bad-request', message)
  }
  const loaded = await loadTrusted(session, host.folder, loop, options)
  return given === undefined ? loaded : { ...loaded, workspace: resolve(given) }
}

async function ask(question: Question, stop: AbortController): Promise<string> {
  process.stdout.write(`${visibleText(question.text)}\n\n`)
  const answer = await promptFor(question, stop.signal)
  if (answer === undefined) stop.abort(new Error('interrupted'))
  stop.signal.throwIfAborted()
  return answer ?? question.default
}

async function strengthOf(host: Host, id: string): Promise<readonly string[]> {
  const { readTarget } = await import('../../history/certificates/index.ts')
  const { certificate } = await readTarget(id, host.folder)
  const level = describeLevel(certificate)
  return [...(level === undefined ? [] : [`strength: ${level}`]), ...describeStrength(certificate)]
}

function render(
  { hint, terminal: { style } }: Session,
  found: CertifiedFolder,
  shows: readonly string[],
): string {
  const what = found.commit === undefined ? `tree ${found.tree}` : `commit ${found.commit}`
  if (found.certified) {
    const id = shortId(found.certificate)
    return [
      `${style.green('✓')} ${style.bold(visible(`certified: ${what}`))}  ${style.dim(found.checks.join(', '))}`,
      ...shows.map((line) => visible(`  ${line}`)),
      `  certificate ${found.certificate}`,
      hint(`  to verify it: loopctl verify ${id} --repo ${visible(found.folder)}`),
    ].join('\n')
  }
  return [
    `${style.red('✗')} ${style.bold(visible(`not certified: ${what}`))}`,
    ...found.refusals.map(({ code, message }) => visibleText(`  ${code}: ${message}`)),
  ].join('\n')
}
