/** What every command has: its options, a state folder, and two ways to print. */

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
  /** False with --no-daemon. */
  readonly daemon: boolean
  /** False with --no-input: never prompt. */
  readonly input: boolean
  readonly color?: ColorChoice
  readonly quiet?: boolean
}

export interface Session {
  readonly json: boolean
  /** Print only results and prompts. */
  readonly quiet: boolean
  /** With --no-input: a run that asks a question is suspended, and the question stays open. */
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

export async function readStateFolder(program: Command): Promise<string> {
  const { state } = program.opts<GlobalOptions>()
  if (state === '') throw new LoopError('bad-request', '--state needs a folder.')
  if (state !== undefined) return state
  const { stateFolder } = await import('../system/state-folder.ts')
  return stateFolder()
}

/** For commands that start runs: creates the state folder if there is none. */
export async function withHost<T>(program: Command, work: (host: Host) => Promise<T>): Promise<T> {
  const folder = await readStateFolder(program)
  const { openHost } = await import('../host/open-host.ts')
  const host = await openHost({ folder })
  try {
    return await work(host)
  } finally {
    await host.close()
  }
}

/** Commands that only read create no state folder. */
export async function hasStateFolder(program: Command): Promise<boolean> {
  return existsSync(join(await readStateFolder(program), 'journal.db'))
}

/** For commands that need an existing state folder. */
export async function withExistingHost(
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
  await requireStateFolder(program)
  await withHost(program, (host) => work(host, openSession(program)))
}

/** Rejects instead of creating a state folder. */
async function requireStateFolder(program: Command): Promise<void> {
  if (await hasStateFolder(program)) return
  throw new LoopError(
    'unknown-run',
    `There is no state folder at ${await readStateFolder(program)}: no run was started there. Pass another with --state.`,
  )
}

/** The runs of the daemon if one answers, else of the state folder; `none` where there is no state folder. */
export async function withRuns(
  program: Command,
  work: (runs: Runs, session: Session) => Promise<void>,
  none?: (session: Session) => void | Promise<void>,
): Promise<void> {
  const session = openSession(program)
  const { reach } = await import('./connection/reach.ts')
  const way = await reach(program, 'look')
  const { clientRuns } = await import('./connection/client-runs.ts')
  if (way.type === 'daemon') return work(clientRuns(way.client), session)
  if (none !== undefined && !(await hasStateFolder(program))) return none(session)
  await requireStateFolder(program)
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
  throw new InvalidArgumentError('It must be a whole number, at least 0.')
}

/** An empty value usually comes from an unset variable, and would mean the current folder. */
export function folderName(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('It must be the path of a folder.')
}

/** The name of the user, recorded with approvals and decisions. */
export function who(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment['USER'] || environment['LOGNAME']
  if (named !== undefined && named !== '') return named
  try {
    return userInfo().username
  } catch {
    // In a container the user may have no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
