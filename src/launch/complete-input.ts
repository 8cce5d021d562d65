/**
 * Completes the input of a run when it is created: a loop type may replace paths by the content of files, so that the run
 * depends on nothing that changes later, and files that are not committed can be used.
 */

import { realpath } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { type CapturedFile, type LoopTypeDefinition, loopTypes } from '../loops/index.ts'
import { isJsonObject } from '../protocol/index.ts'
import { pathInside } from '../system/index.ts'
import { readTextFile } from '../workspace/text-files.ts'
import type { LoadedLoop } from './loaded-loop.ts'

export interface CompletedLoop {
  readonly loaded: LoadedLoop
  /** Absolute paths of the files whose content is now part of the input. */
  readonly captured: readonly string[]
}

/** `workspace`: the folder to work in, or whose repository the worktree is of. */
export async function completeInput(
  loaded: LoadedLoop,
  workspace: string,
  types: readonly LoopTypeDefinition[] = loopTypes,
): Promise<CompletedLoop> {
  const { typed, file } = loaded.definition
  const type = types.find(({ name }) => name === typed?.loopType)
  if (type?.completeInput === undefined) return { loaded, captured: [] }
  const captured: string[] = []
  const top = await realpath(workspace)
  const read = async (path: string): Promise<CapturedFile | undefined> => {
    const found = await readInside(top, path)
    if (found !== undefined) captured.push(resolve(top, found.path))
    return found
  }
  const input = isJsonObject(loaded.input) ? loaded.input : {}
  return { loaded: { ...loaded, input: await type.completeInput(file, input, read) }, captured }
}

/** Links in the user's repository are followed, but not out of it. */
async function readInside(top: string, path: string): Promise<CapturedFile | undefined> {
  const full = await realpath(isAbsolute(path) ? path : resolve(top, path)).catch(() => undefined)
  if (full === undefined) return undefined
  const inner = pathInside(top, full)
  if (inner === undefined || inner === '') {
    const message = `${path.slice(0, 500)} is not a file in ${top}.`
    throw new LoopError('bad-request', `${message} Move it there, or name another file.`)
  }
  const text = await readTextFile(top, inner)
  if (text === undefined || isBinary(text)) {
    const message = `${path.slice(0, 500)} is not a text file in UTF-8 of at most 4 MB.`
    throw new LoopError('bad-request', `${message} Name another file.`)
  }
  return { path: inner, text }
}

/** Bytes that are not UTF-8 are read as replacement characters. */
const isBinary = (text: string): boolean => /[\0\ufffd]/.test(text)
