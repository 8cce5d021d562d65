/** Opens a loop that was read, for one run: its agent, tools, sandbox and checks, and the process of its code. */

import { dirname } from 'node:path'
import type { AnyLoopType } from '../engine/index.ts'
import { defined, LoopError } from '../loop/index.ts'
import type { LoadedLoop } from './loaded-loop.ts'
import type { OpenContext } from './open-context.ts'
import { type OpenedParts, openParts } from './open-parts.ts'
import { toLoopType } from './to-loop-type.ts'

/** A loop that is ready to be driven. Its `close` ends everything, the process of a loop that is code included. */
export interface OpenedLoop extends OpenedParts {
  readonly loop: AnyLoopType
}

/** Starts what a run needs: its agent, its tools, their servers. For one run. Close it when the run is over. */
export async function openLoop(loaded: LoadedLoop, given: OpenContext): Promise<OpenedLoop> {
  const { definition, files, source, purpose } = loaded
  if (purpose === 'look') {
    throw new LoopError('not-trusted', 'The loop file was only looked at. Load it to run it.')
  }
  const { environment = process.env, types, onLine, ...rest } = given
  const place = {
    ...rest,
    excludedPaths: [...files, ...(rest.excludedPaths ?? [])],
    base: dirname(source.file),
  }
  if (definition.type === 'file') {
    const loop = await toLoopType(loaded, types)
    const opened = await openParts(definition.file, place, environment)
    return { loop, ...opened }
  }
  const { createCodeLoop } = await import('./code-loop/index.ts')
  const { scanned, described } = definition
  const code = createCodeLoop(scanned, described, { env: environment, ...defined({ onLine }) })
  const loop = code.loop ?? (await toLoopType(loaded, types))
  const opening = openParts(definition.file, place, environment, code.parts)
  const opened = await opening.catch(async (error: unknown) => {
    await code.close()
    throw error
  })
  return {
    loop,
    ...opened,
    async close() {
      await Promise.all([opened.close(), code.close()])
    },
  }
}
