/** The tool `edit`: replaces one occurrence of a text in a file, or all of them. */

import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { notAFile, withFileIn } from './open-file.ts'
import { shown } from './path-text.ts'
import { createBinaryError } from './read.ts'
import type { ReadTracker } from './read-tracker.ts'
import { replaceFile } from './replace-file.ts'
import { findReplayedPath } from './replayed-path.ts'
import { defineTool, type Tool, ToolError } from './tool.ts'
import { type Location, notFound, withLocation } from './workspace-path.ts'
import { fileCharsMax } from './write.ts'

const parameters = z.strictObject({
  path: z.string().min(1).describe('A file of the workspace that was read in this iteration.'),
  old: z
    .string()
    .min(1)
    .max(fileCharsMax)
    .describe('The text to replace, exactly as it is in the file, without line numbers.'),
  new: z.string().max(fileCharsMax).describe('The text to put in its place.'),
  replaceAll: z.boolean().default(false).describe('Every place, not only a single one.'),
})

type Change = z.output<typeof parameters>

export function editTool(tracker: ReadTracker): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces a text in a file that was read in this iteration. The text must be there exactly ' +
      'once, unless replaceAll is true: include enough lines around it.',
    parameters,
    risk: 'idempotent',
    run: (change, context) => {
      const { path } = change
      if (change.old === change.new) {
        throw new ToolError('no-change', `In ${shown(path)}, old and new are the same text.`)
      }
      return withLocation(context, path, { writing: true }, async (location) => {
        const { found, name } = location
        if (found === undefined) throw notFound(path)
        if (name === undefined || !found.isFile()) throw notAFile(path, found)
        const text = await withFileIn(location.folder, name, path, async (handle, stats) => {
          tracker.require(context.iteration, location.path, stats)
          return readText(handle, Number(stats.size), path)
        })
        const edited = applyChange(text, change)
        const stats = await replaceFile(location, name, Buffer.from(edited.text))
        tracker.markRead(context.iteration, location.path, stats)
        return report(location, edited)
      })
    },
    changes: (args, { workspace }) => findReplayedPath(args, workspace),
    replayed(args, result, { iteration, workspace }) {
      const path = findReplayedPath(args, workspace)
      if (result.ok && path !== undefined) tracker.markReadOnce(iteration, path)
    },
  })
}

/** Only text that can be written back byte for byte. */
async function readText(handle: FileHandle, size: number, path: string): Promise<string> {
  if (size > fileCharsMax) {
    const message = `${shown(path)} has ${size} bytes, too many to edit. Use the run tool.`
    throw new ToolError('too-large', message)
  }
  const buffer = Buffer.allocUnsafe(size)
  const { bytesRead } = await handle.read(buffer, 0, size, 0)
  const bytes = buffer.subarray(0, bytesRead)
  if (bytes.includes(0)) throw createBinaryError(path, BigInt(size))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw createBinaryError(path, BigInt(size))
  }
}

interface EditResult {
  readonly text: string
  readonly lines: readonly number[]
  readonly count: number
}

const linesShownMax = 10

function applyChange(text: string, change: Change): EditResult {
  const { path, replaceAll } = change
  const [old, next] = matchLineEndings(text, change)
  const { count, first } = findOccurrences(text, old)
  const lines = lineNumbers(text, first)
  if (count === 0) throw noMatch(text, change)
  if (count > 1 && !replaceAll) {
    const message =
      `The old text is in ${shown(path)} ${count} times (lines ${lines.join(', ')}` +
      `${count > linesShownMax ? '…' : ''}). Include more of what is around it, or set replaceAll.`
    throw new ToolError('not-unique', message)
  }
  if (text.length + count * (next.length - old.length) > fileCharsMax) {
    throw new ToolError('too-large', `${shown(path)} would become too large to be edited again.`)
  }
  return { text: text.split(old).join(next), lines, count }
}

/** Models write line feeds; in a CRLF file they mean CRLF. */
function matchLineEndings(text: string, change: Change): readonly [string, string] {
  if (text.includes(change.old) || !text.includes('\r\n')) return [change.old, change.new]
  const withReturns = (value: string): string => value.replaceAll(/\r?\n/g, '\r\n')
  return [withReturns(change.old), withReturns(change.new)]
}

/** Without overlaps, as `split` finds them. */
function findOccurrences(
  text: string,
  old: string,
): { readonly count: number; readonly first: readonly number[] } {
  const first: number[] = []
  let count = 0
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) {
    if (count++ < linesShownMax) first.push(at)
  }
  return { count, first }
}

function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1
  let from = 0
  return offsets.map((location) => {
    for (
      let at = text.indexOf('\n', from);
      at >= 0 && at < location;
      at = text.indexOf('\n', at + 1)
    ) {
      line++
      from = at + 1
    }
    return line
  })
}

/** Usually the text differs in whitespace, or contains the line numbers of `read`. */
function noMatch(text: string, { path, old }: Change): ToolError {
  const firstLine = old.split('\n').find((line) => line.trim() !== '') ?? ''
  const at = text.indexOf(firstLine.trim())
  const hint =
    firstLine.trim() !== '' && at >= 0
      ? ` Its first line is near line ${lineNumbers(text, [at])[0]}: compare spaces and the lines after it.`
      : ' Read the file again and copy the text exactly, without line numbers.'
  return new ToolError('no-match', `The old text is not in ${shown(path)}.${hint}`)
}

function report({ path }: Location, { count, lines }: EditResult): string {
  return count === 1
    ? `Edited ${path}, line ${lines[0]}.`
    : `Edited ${path}: ${count} places, from line ${lines[0]} on.`
}
