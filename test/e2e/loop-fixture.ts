/** Shared by the tests of loop files: a folder for each, and the built loopctl. */

import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterFile } from '../after.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

export type { Ended }

const root = new URL('../..', import.meta.url).pathname
export const loopctl: string = join(root, 'dist/cli/loopctl.js')

export interface Place {
  readonly state: string
  readonly work: string
  readonly file: string
}

/**
 * Planted defects have separate tests (test/theatre, test/evidence), and would slow down all
 * others.
 */
const withoutTeeth = (loop: string): string =>
  /^certify:/m.test(loop) ? loop : `${loop.trimEnd()}\ncertify: { teeth: false }\n`

/**
 * The workspaces of most tests are in no repository: their files say that the run works in place.
 */
const inPlace = (loop: string): string =>
  /^worktree:/m.test(loop) ? loop : `${loop.trimEnd()}\nworktree: false\n`

/** A folder for one test: a state folder, a workspace, and the loop file beside it. */
export const place = (loop: string, files: Readonly<Record<string, string>> = {}): Place =>
  placeFor(inPlace(loop), files)

/** The same, with a loop file that does not mention worktrees. */
export function placeFor(loop: string, files: Readonly<Record<string, string>> = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-stories-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const work = join(folder, 'work')
  mkdirSync(work, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text)
  const file = join(folder, 'loop.yaml')
  writeFileSync(file, `workspace: work\n${withoutTeeth(loop)}`)
  return { state: join(folder, 'state'), work, file }
}

export const environment = (state: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '',
  ...more,
  HOME: state,
  LOOPWRIGHT_STATE: state,
  LOOP_USE_DAEMON: '0',
  USER: 'tester',
})

export function ctl(at: Place, ...args: string[]): Promise<Ended> {
  return ctlWith(at, {}, ...args)
}

export const ctlWith = (
  { state }: Place,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<Ended> => warmLoopctl(args, environment(state, env))

/**
 * In a separate process: for lookups that a process does once, and for tests that end the process.
 */
export const ctlApart = (
  { state }: Place,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { env: environment(state, env), maxBuffer: 64e6 }
    execFile(process.execPath, [loopctl, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })

/**
 * Runs it until it prints this, then ends it as Ctrl-C or a crash would. Returns its exit code, if
 * any.
 */
export function leftAt(
  { state }: Place,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  words: string,
  signal: 'SIGINT' | 'SIGKILL' = 'SIGINT',
): Promise<number | null> {
  const child = spawn(process.execPath, [loopctl, ...args], { env: environment(state, env) })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    if (said.includes(words)) return
    said += chunk.toString()
    if (said.includes(words)) child.kill(signal)
  })
  return new Promise((resolve) => child.on('exit', resolve))
}

export interface Line {
  readonly event?: { readonly type: string; readonly [key: string]: unknown }
  readonly outcome?: { readonly type: string; readonly [key: string]: unknown }
  readonly type?: string
  readonly name?: string
}

export const linesOf = ({ stdout }: Ended): readonly Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

export const endOf = (ended: Ended): Line => linesOf(ended).at(-1) ?? {}

export const eventsOf = (ended: Ended, type: string): readonly NonNullable<Line['event']>[] =>
  linesOf(ended).flatMap(({ event }) => (event?.type === type ? [event] : []))

export const toolCalls = (ended: Ended): readonly Record<string, unknown>[] =>
  eventsOf(ended, 'step-noted')
    .map(({ note }) => note as Record<string, unknown>)
    .filter((note) => note['type'] === 'tool-called')
