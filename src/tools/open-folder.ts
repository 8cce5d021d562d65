/** Opens a folder of the workspace, to list or search it. */

import { type Folder, openChildFolder } from './folder.ts'
import type { ToolRunContext } from './tool.ts'
import { notAFolder, notFound, withLocation } from './workspace-path.ts'

export async function withFolder<T>(
  context: ToolRunContext,
  path: string,
  use: (folder: Folder) => Promise<T>,
): Promise<T> {
  return withLocation(context, path, {}, async ({ folder, name, found }) => {
    if (found === undefined) throw notFound(path)
    if (!found.isDirectory()) throw notAFolder(path)
    if (name === undefined) return use(folder)
    const opened = await openChildFolder(folder, name)
    try {
      return await use(opened)
    } finally {
      await opened.handle.close()
    }
  })
}
