/**
 * Verifies an edit: runs the project's own commands in fresh processes on the files as they are.
 * Whatever was tried before, only this counts.
 */

import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Commands } from '../../engine/index.ts'
import { FaultError, type Signal } from '../../loop/index.ts'

export interface CheckRun {
  readonly passed: boolean
  readonly durationMs: number
  /** The end of the output of the first failing check. */
  readonly output: string
}

export interface ChecksOptions {
  readonly root: string
  readonly checks: readonly (readonly string[])[]
  readonly commands: Commands
  readonly timeoutMs: number
  readonly signal: Signal
}

export async function runChecks(options: ChecksOptions): Promise<CheckRun> {
  const { root, checks, commands, timeoutMs, signal } = options
  let durationMs = 0
  for (const [program = '', ...args] of checks) {
    const result = await commands.run(
      { program, args, cwd: root, timeoutMs, outputBytesMax: 512 * 1024 },
      signal,
    )
    signal.throwIfAborted()
    durationMs += result.durationMs
    if (result.ended !== 'exited' || result.exitCode !== 0) {
      return { passed: false, durationMs, output: `${result.stdout}\n${result.stderr}` }
    }
  }
  return { passed: true, durationMs, output: '' }
}

/**
 * Replaces the text of a file. The file must contain what was read before, not be a link, and be in
 * the project: anything that ran in the meantime could have changed that.
 */
export async function replaceText(
  root: string,
  path: string,
  before: string,
  after: string,
): Promise<void> {
  const file = join(root, path)
  const folder = await realpath(dirname(file))
  const inside = relative(await realpath(root), folder)
  if (inside.startsWith('..')) throw createChangedFault(path, 'is no longer in the project')
  const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags).catch(() => undefined)
  if (handle === undefined) throw createChangedFault(path, 'is no longer there')
  try {
    const stat = await handle.stat()
    // Neither a pipe, which has no end, nor a file too large to be the same: a character has at
    // most 4 bytes.
    if (!stat.isFile() || stat.size > 4 * before.length)
      throw createChangedFault(path, 'is not what it was')
    if ((await handle.readFile('utf8')) !== before)
      throw createChangedFault(path, 'is not what it was')
    const bytes = Buffer.from(after)
    await handle.write(bytes, 0, bytes.length, 0)
    await handle.truncate(bytes.length)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const createChangedFault = (path: string, what: string): FaultError =>
  new FaultError({
    code: 'workspace-changed',
    message: `${path} ${what}: another process is changing it. Run one at a time.`,
    retryable: true,
  })
