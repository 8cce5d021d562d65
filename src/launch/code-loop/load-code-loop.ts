/**
 * From a loop file in TypeScript to what the engine drives.
 *
 *   scanCodeLoop ─▶ trusted? ─▶ openCodeLoop ─▶ run ─▶ close
 *   reads            asks        a process        …      nothing of it is alive
 *
 * Nothing of the file is run before its digest is trusted.
 */

import { type ScannedLoop, scanCodeLoop } from '../../definition/code-loop/scan-code-loop.ts'
import type { AnyLoopType } from '../../engine/index.ts'
import { type Json, LoopError, type Source } from '../../loop/index.ts'
import { codeLoopType } from './code-loop-type.ts'
import { type CodeParts, codeParts } from './code-parts.ts'
import { openSession, type SessionOptions } from './session.ts'

export interface OpenCodeLoop {
  readonly source: Source
  /**
   * The data of the file by its keys, as YAML would say it. Where the file has code there is
   * something that fits and does nothing: an agent that says nothing, a check that is never met.
   * `parts` is to be put over it.
   */
  readonly settings: { readonly [key: string]: Json }
  /** Absent: the file uses a built-in loop type, named in the settings. */
  readonly loop?: AnyLoopType
  readonly parts: CodeParts
  /** Of the process that runs it, while there is one. */
  readonly pid: number | undefined
  /** Ends its process and all that it started. Call it when the run is left, however it is left. */
  close(): Promise<void>
}

export interface LoadCodeLoopOptions extends SessionOptions {
  /** Says whether the owner trusts this content, before any of it is run. */
  readonly isTrusted: (scanned: ScannedLoop) => boolean | Promise<boolean>
}

/** Opens what is on disk now, if it is trusted. */
export async function loadCodeLoop(
  path: string,
  options: LoadCodeLoopOptions,
): Promise<OpenCodeLoop> {
  const scanned = await scanCodeLoop(path)
  if (!(await options.isTrusted(scanned))) throw notTrusted(scanned)
  return openCodeLoop(scanned, options)
}

/** Runs the file in a process of its own. For one run: what is shared is shared by progress. */
export async function openCodeLoop(
  scanned: ScannedLoop,
  options: SessionOptions = {},
): Promise<OpenCodeLoop> {
  const { file, digest } = scanned
  const session = await openSession(scanned, options)
  const { described } = session
  try {
    const { loop } = described
    return {
      source: { file, digest },
      settings: described.settings,
      ...(loop === undefined ? {} : { loop: codeLoopType(session, loop, digest) }),
      parts: codeParts(session),
      get pid() {
        return session.pid
      },
      close: () => session.close(),
    }
  } catch (error) {
    await session.close()
    throw error
  }
}

function notTrusted({ file, modules }: ScannedLoop): LoopError {
  const others = modules.length - 1
  const more = others === 0 ? '' : ` and the ${others} files that it imports`
  return new LoopError(
    'not-trusted',
    `${file} is code, and was not trusted as it is now. Read it${more}, then trust it.`,
  )
}
