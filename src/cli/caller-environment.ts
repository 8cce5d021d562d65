/**
 * The part of this shell's environment that a run gets: PATH, locale, and the variables that its loop names.
 * Sent only to the daemon of this state folder, which keeps it in memory.
 */

import type { CallerEnvironment } from '../protocol/api/index.ts'
import type { There } from './run-there.ts'

export async function callerEnvironment(
  { client, folder }: Pick<There, 'client' | 'folder'>,
  /** The loop file; undefined: unknown. */
  file: string | undefined,
  more: readonly string[] = [],
): Promise<{ readonly environment?: CallerEnvironment }> {
  // A remote daemon has other programs, and must not get keys.
  if (folder === undefined) return {}
  const named =
    file === undefined
      ? []
      : await client.previewLoop(file).then(
          ({ variables }) => variables,
          // The next request reports what is wrong with the file.
          () => [],
        )
  const { isShellVariable } = await import('../launch/run-environment.ts')
  const wanted = new Set([...named, ...more])
  const entries = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (isShellVariable(name) || wanted.has(name)) ? [[name, value]] : [],
  )
  return { environment: Object.fromEntries(entries) }
}
