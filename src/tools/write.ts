/** The tool `write`: a whole file, new or in place of one that was read. */

import { z } from 'zod'
import { notAFile } from './open-file.ts'
import { shown } from './path-text.ts'
import type { ReadTracker } from './read-tracker.ts'
import { replaceFile } from './replace-file.ts'
import { realPathIn } from './replayed-path.ts'
import { defineTool, type Tool, ToolError } from './tool.ts'
import { withPlace } from './workspace-path.ts'

/** Of a file that is written or edited as a whole. */
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
      withPlace(context, path, { writing: true, making: true }, async (place) => {
        const { name, found } = place
        if (/\/\.?$/.test(path) || name === undefined) {
          throw new ToolError(
            'not-a-file',
            `${shown(path)} names a folder. Give the name of a file.`,
          )
        }
        if (found !== undefined) {
          if (!found.isFile()) throw notAFile(path, found)
          tracker.require(context.iteration, place.path, found)
        }
        const stats = await replaceFile(place, name, Buffer.from(content))
        tracker.saw(context.iteration, place.path, stats)
        return `Wrote ${place.path}: ${stats.size} bytes${found === undefined ? ', a new file' : ''}.`
      }),
    replayed(args, result, { iteration, workspace }) {
      const path = realPathIn(args, workspace)
      if (result.ok && path !== undefined) tracker.sawOnce(iteration, path)
    },
  })
}
