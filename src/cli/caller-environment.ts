/**
 * What a run gets of the environment of this shell: PATH, locale, and the variables that its loop uses, by
 * name. Sent to the daemon of this state folder only, which keeps it in memory.
 */

import type { CallerEnvironment } from '../protocol/api/index.ts'
import type { There } from './run-there.ts'

export async function callerEnvironment(
  { client, folder }: Pick<There, 'client' | 'folder'>,
  /** The loop file; undefined: none that is known. */
  file: string | undefined,
  more: readonly string[] = [],
): Promise<{ readonly environment?: CallerEnvironment }> {
  // A daemon elsewhere has other programs, and keys are not for it.
  if (folder === undefined) return {}
  const named =
    file === undefined
      ? []
      : await client.previewLoop(file).then(
          ({ variables }) => variables,
          // What is wrong with the file is reported by what is asked for next.
          () => [],
        )
  const { isShellVariable } = await import('../host/run-environment.ts')
  const wanted = new Set([...named, ...more])
  const entries = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (isShellVariable(name) || wanted.has(name)) ? [[name, value]] : [],
  )
  return { environment: Object.fromEntries(entries) }
}
