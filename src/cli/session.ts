/** What every command has: its options, a record, and two ways to print. */

import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Host } from '../host/host.ts'
import { LoopError } from '../loop/index.ts'
import { renderJson } from './display/render.ts'
import { withGlobals } from './hints.ts'
import type { Runs } from './runs.ts'
import { type ColorChoice, describeTerminal, type Terminal } from './terminal.ts'

export interface GlobalOptions {
  readonly json?: boolean
  readonly state?: string
  readonly addr?: string
  readonly token?: string
  /** False with --no-daemon: everything happens in this process. */
  readonly daemon: boolean
  /** False with --no-input: nobody is asked. */
  readonly input: boolean
  readonly color?: ColorChoice
  readonly quiet?: boolean
}

export interface Session {
  readonly json: boolean
  /** Only what was asked for is said, and what somebody must decide. */
  readonly quiet: boolean
  /** With --no-input: a run that asks a question is left, and the question stays open. */
  readonly noInput?: boolean
  readonly terminal: Terminal
  /** Advice that names commands, with the global options that this command was given. */
  hint(text: string): string
  /** One value for programs, or text for people. */
  print(value: unknown, text: () => string): void
}

export function openSession(program: Command): Session {
  const options = program.opts<GlobalOptions>()
  const json = options.json === true
  const streams = { input: process.stdin, output: process.stdout }
  return {
    json,
    quiet: options.quiet === true,
    noInput: !options.input,
    terminal: describeTerminal(streams, process.env, {
      input: options.input && !json,
      color: options.color,
    }),
    hint: (text) => withGlobals(program, text),
    print(value, text) {
      process.stdout.write(`${json ? renderJson(value) : text()}\n`)
    },
  }
}

export async function recordFolder(program: Command): Promise<string> {
  const { state } = program.opts<GlobalOptions>()
  if (state === '') throw new LoopError('bad-request', '--state needs a folder.')
  if (state !== undefined) return state
  const { stateFolder } = await import('../system/state-folder.ts')
  return stateFolder()
}

/** For commands that start runs: the record is made if there is none. */
export async function withNewRecord<T>(
  program: Command,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const folder = await recordFolder(program)
  const { openHost } = await import('../host/open-host.ts')
  const host = await openHost({ folder })
  try {
    return await work(host)
  } finally {
    await host.close()
  }
}

/** Looking at nothing makes no record. */
export async function hasRecord(program: Command): Promise<boolean> {
  return existsSync(join(await recordFolder(program), 'journal.db'))
}

/** For the commands about what is there. */
export async function withRecord(
  program: Command,
  work: (host: Host, session: Session) => Promise<void>,
): Promise<void> {
  const address = program.opts<GlobalOptions>().addr
  if (address !== undefined) {
    throw new LoopError(
      'bad-request',
      `This is read from the record itself, and not through ${address}. Say it where the record is, without --addr.`,
    )
  }
  if (!(await hasRecord(program))) {
    throw new LoopError(
      'unknown-run',
      `There is no record in ${await recordFolder(program)}: no run was started there. Name another with --state.`,
    )
  }
  await withNewRecord(program, (host) => work(host, openSession(program)))
}

/** The runs there are, through the daemon if one answers; `none` where there is no record either. */
export async function withRuns(
  program: Command,
  work: (runs: Runs, session: Session) => Promise<void>,
  none?: (session: Session) => void,
): Promise<void> {
  const { reach } = await import('./reach.ts')
  const way = await reach(program, 'look')
  if (way.type === 'daemon') {
    const { daemonRuns } = await import('./daemon-runs.ts')
    return work(daemonRuns(way.client), openSession(program))
  }
  if (none !== undefined && !(await hasRecord(program))) return none(openSession(program))
  return withRecord(program, async (host, session) => {
    const { recordRuns } = await import('./record-runs.ts')
    return work(recordRuns(host), session)
  })
}

export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number that is not negative.')
}

/** An empty one is mostly a variable that is not set, and would mean the folder one is in. */
export function folderName(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must be a folder, and not empty.')
}

/** The person, for the record: an approval is somebody's. */
export function who(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment['USER'] || environment['LOGNAME']
  if (named !== undefined && named !== '') return named
  try {
    return userInfo().username
  } catch {
    // In a container nobody may have a name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
