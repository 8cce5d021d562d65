/** The tool `write`: writes a complete file, new or replacing one that was read. */

import { z } from 'zod'
import { notAFile } from './open-file.ts'
import { shown } from './path-text.ts'
import type { ReadTracker } from './read-tracker.ts'
import { replaceFile } from './replace-file.ts'
import { findReplayedPath } from './replayed-path.ts'
import { defineTool, type Tool, ToolError } from './tool.ts'
import { withLocation } from './workspace-path.ts'

/** Of a file that is written or edited. */
export const fileCharsMax: number = 10_000_000

const parameters = z.strictObject({
  path: z.string().min(1).describe('A file of the workspace. Folders on the way are made.'),
  content: z.string().max(fileCharsMax).describe('All that the file shall contain.'),
})

export function writeTool(tracker: ReadTracker): Tool {
  return defineTool({
    name: 'write',
    description:
      'Writes a whole file. A file that exists must have been read in this iteration. ' +
      'To change a part of a file, use edit.',
    parameters,
    risk: 'idempotent',
    run: ({ path, content }, context) =>
      withLocation(context, path, { writing: true, createFolders: true }, async (location) => {
        const { name, found } = location
        if (/\/\.?$/.test(path) || name === undefined) {
          throw new ToolError(
            'not-a-file',
            `${shown(path)} names a folder. Use the name of a file.`,
          )
        }
        if (found !== undefined) {
          if (!found.isFile()) throw notAFile(path, found)
          tracker.require(context.iteration, location.path, found)
        }
        const stats = await replaceFile(location, name, Buffer.from(content))
        tracker.markRead(context.iteration, location.path, stats)
        return `Wrote ${location.path}: ${stats.size} bytes${found === undefined ? ', a new file' : ''}.`
      }),
    changes: (args, { workspace }) => findReplayedPath(args, workspace),
    replayed(args, result, { iteration, workspace }) {
      const path = findReplayedPath(args, workspace)
      if (result.ok && path !== undefined) tracker.markReadOnce(iteration, path)
    },
  })
}
