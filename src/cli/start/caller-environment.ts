/**
 * The part of this shell's environment that a run gets: PATH, locale, and the variables that its loop names.
 * Sent only to the daemon of this state folder, which keeps it in memory.
 */

import type { CallerEnvironment } from '../../protocol/api/index.ts'
import type { Previewed } from '../trust.ts'
import type { Starter } from './with-starter.ts'

export async function callerEnvironment(
  { client, folder, here }: Starter,
  /** The loop file, or what is known of it; undefined: unknown. */
  file: string | Previewed | undefined,
  more: readonly string[] = [],
): Promise<{ readonly environment?: CallerEnvironment }> {
  // This process has it already. A remote daemon has other programs, and must not get keys.
  if (folder === undefined || here !== undefined) return {}
  const named =
    typeof file !== 'string'
      ? (file?.variables ?? [])
      : await client.previewLoop(file).then(
          ({ variables }) => variables,
          // The next request reports what is wrong with the file.
          () => [],
        )
  const { isShellVariable } = await import('../../launch/run-environment.ts')
  const wanted = new Set([...named, ...more])
  const entries = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && (isShellVariable(name) || wanted.has(name)) ? [[name, value]] : [],
  )
  return { environment: Object.fromEntries(entries) }
}
