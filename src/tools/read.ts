/** The tool `read`: a part of a text file, with line numbers, in limited memory. */

import { z } from 'zod'
import { type OpenFile, withFile } from './open-file.ts'
import { shown } from './path-text.ts'
import { isBinary, readLines } from './read-lines.ts'
import type { ReadTracker } from './read-tracker.ts'
import { findReplayedPath } from './replayed-path.ts'
import { defineTool, type Tool, ToolError } from './tool.ts'

const linesMax = 2000
const lineBytesMax = 2000
/**
 * About 20,000 tokens. The tool limits itself, so that the content of a file is not stored again.
 */
const outputCharsMax = 80_000

const parameters = z.strictObject({
  path: z.string().min(1).describe('A file of the workspace, or @output/<n>.txt.'),
  offset: z.int().min(1).max(1e12).default(1).describe('The first line, counted from 1.'),
  limit: z.int().min(1).max(linesMax).default(linesMax).describe('How many lines.'),
})

export function readTool(tracker: ReadTracker): Tool {
  return defineTool({
    name: 'read',
    description:
      'Reads a text file. Each line comes with its number and a tab. Long files come in parts: ' +
      'go on with offset. Read a file before you write or edit it.',
    parameters,
    risk: 'read-only',
    outputCharsMax: outputCharsMax + 5000,
    run: ({ path, offset, limit }, context) =>
      withFile(context, path, async (file) => {
        if (await isBinary(file.handle)) throw createBinaryError(path, file.stats.size)
        const text = await readPart(file, offset, limit, context.signal)
        if (file.path !== undefined) tracker.markRead(context.iteration, file.path, file.stats)
        return text
      }),
    replayed(args, result, { iteration, workspace }) {
      const path = findReplayedPath(args, workspace)
      if (result.ok && path !== undefined) tracker.markReadOnce(iteration, path)
    },
  })
}

async function readPart(
  { handle, stats }: OpenFile,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  const lines: string[] = []
  let chars = 0
  for await (const some of readLines(handle, offset, lineBytesMax, signal)) {
    for (const { number, text, cutBytes } of some) {
      if (lines.length >= limit || chars > outputCharsMax) {
        return `${lines.join('\n')}\n[More lines follow: read again with offset ${number}.]`
      }
      const shownLine = cutBytes === 0 ? text : `${text}… [${cutBytes} more bytes in this line]`
      const line = `${number}\t${shownLine}`
      lines.push(line)
      chars += line.length + 1
    }
  }
  if (lines.length > 0) return `${lines.join('\n')}\n[End of file.]`
  return stats.size === 0n ? '[The file is empty.]' : `[The file has no line ${offset}.]`
}

export const createBinaryError = (path: string, size: bigint): ToolError =>
  new ToolError(
    'binary-file',
    `${shown(path)} is not a text file (${size} bytes). Use the run tool with a program that knows its format.`,
  )
