/** Opens a loop that was read, for one run: its agent, tools, sandbox and checks, and the process of its code. */

import { dirname } from 'node:path'
import { isSecretName } from '../agents/index.ts'
import type { AnyLoopType } from '../engine/index.ts'
import { createSecrets } from '../gateway/index.ts'
import { defined, LoopError } from '../loop/index.ts'
import type { Environment } from '../system/environment.ts'
import type { LoadedLoop, LoopDefinition } from './loaded-loop.ts'
import type { OpenContext } from './open-context.ts'
import { type OpenedParts, openParts } from './open-parts.ts'
import { openRunPolicy } from './policy/open-run-policy.ts'
import { mergeBranchOf, proposedKinds, thresholdsOf, toLoopType } from './to-loop-type.ts'

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
    kinds: proposedKinds(loaded),
    openPolicy: () => openRunPolicy(loaded, given),
    ...defined({
      mergeInto: mergeBranchOf(loaded, types),
      thresholds: thresholdsOf(definition, types),
    }),
  }
  if (definition.type === 'file') {
    const opened = await openParts(definition.file, place, environment)
    try {
      return { ...opened, loop: await toLoopType(loaded, types, opened.ports) }
    } catch (error) {
      await opened.close()
      throw error
    }
  }
  return openCode(loaded, definition, { place, environment, ...defined({ types, onLine }) })
}

interface CodeOpening extends Pick<OpenContext, 'types' | 'onLine'> {
  readonly place: Parameters<typeof openParts>[1]
  readonly environment: Environment
}

async function openCode(
  loaded: LoadedLoop,
  { scanned, described, file }: Extract<LoopDefinition, { type: 'code' }>,
  { place, environment, types, onLine = toStderr }: CodeOpening,
): Promise<OpenedLoop> {
  const { createCodeLoop, createLoopPrinter } = await import('./code-loop/index.ts')
  const named = described.env.filter(isSecretName).flatMap((name) => environment[name] ?? [])
  const { maskText } = createSecrets([], [...named, ...(place.secrets ?? [])])
  const { print, prints } = createLoopPrinter({ mask: maskText, onLine })
  const code = createCodeLoop(scanned, described, { env: environment, onLine: print })
  const opening = openParts(file, place, environment, code.parts)
  const opened = await opening.catch(async (error: unknown) => {
    await code.close()
    throw error
  })
  return {
    ...opened,
    loop: code.loop ?? (await toLoopType(loaded, types, opened.ports)),
    parts: { ...opened.parts, prints },
    async close() {
      await Promise.all([opened.close(), code.close()])
    },
  }
}

const toStderr = (line: string): void => void process.stderr.write(`${line}\n`)
