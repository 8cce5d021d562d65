/** A text file of the workspace. Links that leave the workspace are not followed. */

import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { GatherSource } from '../../../protocol/index.ts'
import { pathInside, readSmallFile, sha256 } from '../../../system/index.ts'
import type { ReadSource, SourcePorts } from './source.ts'

const bytesMax = 8 * 1024 * 1024

export async function readWorkspaceFile(
  { path }: Extract<GatherSource, { readonly type: 'file' }>,
  { workspace }: Pick<SourcePorts, 'workspace'>,
): Promise<ReadSource> {
  if (workspace === undefined) throw new Error('The run has no workspace.')
  const root = await realpath(workspace)
  const file = await realpath(join(root, path)).catch(() => undefined)
  if (file === undefined) throw new Error(`There is no file ${path}.`)
  if (pathInside(root, file) === undefined) throw new Error(`${path} leads out of the workspace.`)
  const text = await readSmallFile(file, bytesMax).catch((error: unknown) => {
    throw new Error(
      `${path} cannot be read: it must be a text file of at most ${bytesMax / 1024 / 1024} MiB.`,
      { cause: error },
    )
  })
  return { text, facts: sha256(text) }
}
