/** What every command has: its options, a record, and two ways to print. */

import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { Host } from '../host/host.ts'
import { LoopError } from '../loop/index.ts'
import type { Runs } from './connection/runs.ts'
import { renderJson } from './display/render.ts'
import { withGlobals } from './hints.ts'
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
      `This command reads the state folder, not ${address}. Run it where the state folder is, without --addr.`,
    )
  }
  await requireRecord(program)
  await withNewRecord(program, (host) => work(host, openSession(program)))
}

/** Looking at runs makes no state folder. */
async function requireRecord(program: Command): Promise<void> {
  if (await hasRecord(program)) return
  throw new LoopError(
    'unknown-run',
    `There is no state folder in ${await recordFolder(program)}: no run was started there. Name another with --state.`,
  )
}

/** The runs of the daemon if one answers, else of the state folder; `none` where there is no state folder. */
export async function withRuns(
  program: Command,
  work: (runs: Runs, session: Session) => Promise<void>,
  none?: (session: Session) => void,
): Promise<void> {
  const session = openSession(program)
  const { reach } = await import('./connection/reach.ts')
  const way = await reach(program, 'look')
  const { clientRuns } = await import('./connection/client-runs.ts')
  if (way.type === 'daemon') return work(clientRuns(way.client), session)
  if (none !== undefined && !(await hasRecord(program))) return none(session)
  await requireRecord(program)
  const { openHere } = await import('./connection/in-process.ts')
  const here = await openHere(program)
  try {
    await work(clientRuns(here.client), session)
  } finally {
    await here.close()
  }
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
