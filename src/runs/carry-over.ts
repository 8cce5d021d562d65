/**
 * Copies files that are not part of a tree but are needed, mostly dependencies, from the folder of a run to the
 * folder of its fork. They are copied in their current state, not as they were at the checkpoint.
 */

import { lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { createPlainCommands, findProgram } from '../sandbox/index.ts'
import { makeFolder } from '../system/index.ts'
import type { HostPorts } from './host-ports.ts'

export interface CarryOver {
  readonly from: string | undefined
  readonly to: string | undefined
  /** Names in the root of both folders. Existing ones are not replaced. */
  readonly names: readonly string[]
  readonly signal?: AbortSignal | undefined
}

const timeoutMs = 300_000

/** Returns a message for each name that could not be copied. The run can start without it. */
export async function carryOver(
  { journal }: Pick<HostPorts, 'journal'>,
  { from, to, names, signal = new AbortController().signal }: CarryOver,
): Promise<readonly string[]> {
  if (from === undefined || to === undefined) return []
  const wanted = [...new Set(names)].filter(
    (name) => !name.includes('/') && isThere(join(from, name)) && !isThere(join(to, name)),
  )
  if (wanted.length === 0) return []
  // An agent that works there could replace a folder with a link while it is read.
  const busy = (await journal.listRuns()).find((run) => run.held && run.workspace === from)
  if (busy !== undefined) {
    return [`${wanted.join(', ')}: not copied from ${from}, where run "${busy.name}" is running.`]
  }
  makeFolder(to)
  const problems: string[] = []
  for (const name of wanted) {
    const problem = await copy(join(from, name), join(to, name), signal)
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

/** Uses the system's `cp`, since there may be a hundred thousand files. Links stay links. */
async function copy(from: string, to: string, signal: AbortSignal): Promise<string | undefined> {
  // Not searched on the PATH, which may contain folders of a workspace.
  const program = findProgram('cp')
  if (program === undefined) return `${from} could not be copied: cp is not installed.`
  const command = { program, args: ['-RPp', '--', from, to], timeoutMs }
  const { exitCode, ended, stderr } = await createPlainCommands().run(command, signal)
  if (exitCode === 0) return undefined
  await rm(to, { recursive: true, force: true })
  if (signal.aborted)
    throw new LoopError('not-available', `Copying ${from} was cancelled. Start the run again.`)
  const why = ended === 'timeout' ? 'it took too long' : (stderr.trim().split('\n').at(-1) ?? '')
  return `${from} could not be copied to ${to}: ${why}. Commands that need it will fail.`
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
