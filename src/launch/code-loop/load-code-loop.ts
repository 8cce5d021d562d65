/**
 * Opens a loop file in TypeScript for the engine.
 *
 *   scanCodeLoop ─▶ trusted? ─▶ describeCodeLoop ─▶ createCodeLoop ─▶ run ─▶ close
 *   reads            asks        a process, ended      a process when needed    no process is left
 *
 * None of its code runs before its digest is trusted.
 */

import { type ScannedLoop, scanCodeLoop } from '../../definition/code-loop/scan-code-loop.ts'
import type { AnyLoopType } from '../../engine/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import { type Json, LoopError, type Source } from '../../loop/index.ts'
import { codeLoopType } from './code-loop-type.ts'
import { type CodeParts, codeParts } from './code-parts.ts'
import { createSession, openSession, type Session, type SessionOptions } from './session.ts'
import type { LoopDescription } from './wire.ts'

export interface OpenCodeLoop {
  readonly source: Source
  /**
   * The data of the file, in the format of a YAML loop file. Code is replaced by placeholders that are
   * valid and do nothing: an agent that says nothing, a check that is never met. The caller replaces
   * them by `parts`.
   */
  readonly settings: { readonly [key: string]: Json }
  /** Absent: the file uses a built-in loop type, named in the settings. */
  readonly loop?: AnyLoopType
  readonly parts: CodeParts
  /** The pid of its process, if there is one. */
  readonly pid: number | undefined
  /** Ends its process and all descendants. Call it whenever the run ends or is interrupted. */
  close(): Promise<void>
}

export interface LoadCodeLoopOptions extends SessionOptions {
  /** Whether the user trusts this content; called before any of it runs. */
  readonly isTrusted: (scanned: ScannedLoop) => boolean | Promise<boolean>
}

/** Opens the current content of the file, if it is trusted. */
export async function loadCodeLoop(
  path: string,
  options: LoadCodeLoopOptions,
): Promise<OpenCodeLoop> {
  const scanned = await scanCodeLoop(path)
  if (!(await options.isTrusted(scanned))) throw createNotTrustedError(scanned)
  return openCodeLoop(scanned, options)
}

/** Runs the file in a separate process, for one run. */
export async function openCodeLoop(
  scanned: ScannedLoop,
  options: SessionOptions = {},
): Promise<OpenCodeLoop> {
  const session = await openSession(scanned, options)
  try {
    return toOpenCodeLoop(scanned, session)
  } catch (error) {
    await session.close()
    throw error
  }
}

/** What the file holds. Runs it in a process, which has ended when this resolves. */
export async function describeCodeLoop(
  scanned: ScannedLoop,
  options: SessionOptions = {},
): Promise<LoopDescription> {
  const session = await openSession(scanned, options)
  await session.close()
  return session.described
}

/** Opens a file that was described, for one run. Its process starts when its code is first needed. */
export const createCodeLoop = (
  scanned: ScannedLoop,
  described: LoopDescription,
  options: SessionOptions = {},
): OpenCodeLoop => toOpenCodeLoop(scanned, createSession(scanned, described, options))

/** The loop type of a file that is not open: enough to create a run, but it cannot iterate. */
export function closedCodeLoopType(
  { file, digest }: Pick<ScannedLoop, 'file' | 'digest'>,
  { loop }: Pick<LoopDescription, 'loop'>,
): AnyLoopType {
  if (loop === undefined) throw new Error(`${file} has no loop type in code.`)
  return codeLoopType({ connection: () => Promise.reject(createNotOpenError(file)) }, loop, digest)
}

function toOpenCodeLoop({ file, digest }: ScannedLoop, session: Session): OpenCodeLoop {
  const { settings, loop } = session.described
  return {
    source: { file, digest },
    settings,
    ...(loop === undefined ? {} : { loop: codeLoopType(session, loop, digest) }),
    parts: codeParts(session),
    get pid() {
      return session.pid
    },
    close: () => session.close(),
  }
}

const createNotOpenError = (file: string): LoopError =>
  new LoopError('wrong-status', `The loop of ${file} is not open. Open it to run it.`)

function createNotTrustedError({ file, modules }: ScannedLoop): LoopError {
  const others = modules.length - 1
  const more = others === 0 ? '' : ` and ${plural(others, 'file')} that it imports`
  return new LoopError(
    'not-trusted',
    `${file} contains code, and its current content is not trusted. Read it${more}, then trust it.`,
  )
}
