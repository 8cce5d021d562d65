/** A real terminal: tmux, with a shell in it. Tests type, and read the screen. */

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterFile } from '../after.ts'

const run = promisify(execFile)

export interface Screen {
  /** A line, and Enter. */
  type(line: string): Promise<void>
  /** By the names of tmux: `C-c`, `Up`, `Enter`. */
  key(...names: readonly string[]): Promise<void>
  /**
   * The lines on the screen, wrapped as the terminal wraps them; `colors` with escape sequences.
   */
  lines(options?: {
    readonly colors?: boolean
    readonly whole?: boolean
  }): Promise<readonly string[]>
  /** Resolves with the whole screen once it contains this. */
  until(words: string | RegExp): Promise<string>
  /** Runs it to its end: its exit code, and the screen. Without a line: what is already running. */
  told(line?: string): Promise<{ readonly code: number; readonly text: string }>
  clear(): Promise<void>
}

const patienceMs = 45_000
const lookMs = 120

export async function openScreen(options: {
  readonly width: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}): Promise<Screen> {
  const { width, cwd, env } = options
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-tmux-'))
  const socket = join(folder, 'socket')
  const tmux = async (...args: string[]): Promise<string> =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args])).stdout
  afterFile(async () => {
    await tmux('kill-server').catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  })
  const values = Object.entries({ ...env, PS1: '$ ' }).map(([name, value]) => `${name}=${value}`)
  const shell = ['env', '-i', ...values, 'TERM=screen-256color', 'bash', '--noprofile', '--norc']
  const size = ['-x', String(width), '-y', '50']
  await tmux('new-session', '-d', '-c', cwd, ...size, ...shell)

  const lines: Screen['lines'] = async ({ colors = false, whole = false } = {}) => {
    const how = [...(colors ? ['-e'] : []), ...(whole ? ['-J'] : [])]
    const text = await tmux('capture-pane', '-p', '-S', '-', ...how)
    return text
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd())
  }
  const key: Screen['key'] = async (...names) => void (await tmux('send-keys', ...names))
  const type: Screen['type'] = async (line) => {
    await tmux('send-keys', '-l', line)
    await key('Enter')
  }
  const until: Screen['until'] = async (words) => {
    const endMs = Date.now() + patienceMs
    for (;;) {
      const text = (await lines({ whole: true })).join('\n')
      if (typeof words === 'string' ? text.includes(words) : words.test(text)) return text
      if (Date.now() > endMs) throw new Error(`it never said ${String(words)}:\n${text}`)
      await new Promise((resolve) => void setTimeout(resolve, lookMs))
    }
  }
  const clear = async (): Promise<void> => {
    await tmux('send-keys', '-R')
    await tmux('clear-history')
  }
  let told = 0
  return {
    key,
    type,
    lines,
    until,
    clear,
    async told(line) {
      const mark = `end ${++told}`
      const asked = `echo "${mark.replace(' ', '" "')}: $?"`
      // Earlier input is echoed among the output of a program.
      if (line === undefined) await until(/\n\$$/)
      await type(line === undefined ? asked : `${line}; ${asked}`)
      const text = await until(new RegExp(`^${mark}: \\d+$`, 'm'))
      return { code: Number(new RegExp(`^${mark}: (\\d+)$`, 'm').exec(text)?.[1]), text }
    },
  }
}
