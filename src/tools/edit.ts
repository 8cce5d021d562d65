/** The tool `edit`: one text of a file, or each of its places, is replaced by another. */

import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { notAFile, withFileIn } from './open-file.ts'
import { shown } from './path-text.ts'
import { binary } from './read.ts'
import type { ReadTracker } from './read-tracker.ts'
import { replaceFile } from './replace-file.ts'
import { realPathIn } from './replayed-path.ts'
import { defineTool, type Tool, ToolError } from './tool.ts'
import { notFound, type Place, withPlace } from './workspace-path.ts'
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
      return withPlace(context, path, { writing: true }, async (place) => {
        const { found, name } = place
        if (found === undefined) throw notFound(path)
        if (name === undefined || !found.isFile()) throw notAFile(path, found)
        const text = await withFileIn(place.folder, name, path, async (handle, stats) => {
          tracker.require(context.iteration, place.path, stats)
          return textIn(handle, Number(stats.size), path)
        })
        const edited = replaced(text, change)
        const stats = await replaceFile(place, name, Buffer.from(edited.text))
        tracker.saw(context.iteration, place.path, stats)
        return report(place, edited)
      })
    },
    replayed(args, result, { iteration, workspace }) {
      const path = realPathIn(args, workspace)
      if (result.ok && path !== undefined) tracker.sawOnce(iteration, path)
    },
  })
}

/** Only text that can be written back byte for byte. */
async function textIn(handle: FileHandle, size: number, path: string): Promise<string> {
  if (size > fileCharsMax) {
    const message = `${shown(path)} has ${size} bytes, too many to edit. Use the run tool.`
    throw new ToolError('too-large', message)
  }
  const buffer = Buffer.allocUnsafe(size)
  const { bytesRead } = await handle.read(buffer, 0, size, 0)
  const bytes = buffer.subarray(0, bytesRead)
  if (bytes.includes(0)) throw binary(path, BigInt(size))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw binary(path, BigInt(size))
  }
}

interface Edited {
  readonly text: string
  readonly lines: readonly number[]
  readonly count: number
}

const linesShownMax = 10

function replaced(text: string, change: Change): Edited {
  const { path, replaceAll } = change
  const [old, next] = inEndingsOf(text, change)
  const { count, first } = placesOf(text, old)
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

/** Models write line feeds; in a file with CR LF they mean those. */
function inEndingsOf(text: string, change: Change): readonly [string, string] {
  if (text.includes(change.old) || !text.includes('\r\n')) return [change.old, change.new]
  const withReturns = (value: string): string => value.replaceAll(/\r?\n/g, '\r\n')
  return [withReturns(change.old), withReturns(change.new)]
}

/** As `split` finds them: they do not overlap. */
function placesOf(
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

function lineNumbers(text: string, places: readonly number[]): readonly number[] {
  let line = 1
  let from = 0
  return places.map((place) => {
    for (
      let at = text.indexOf('\n', from);
      at >= 0 && at < place;
      at = text.indexOf('\n', at + 1)
    ) {
      line++
      from = at + 1
    }
    return line
  })
}

/** Most often it is there with other spaces, or with the line numbers of `read` in it. */
function noMatch(text: string, { path, old }: Change): ToolError {
  const firstLine = old.split('\n').find((line) => line.trim() !== '') ?? ''
  const at = text.indexOf(firstLine.trim())
  const hint =
    firstLine.trim() !== '' && at >= 0
      ? ` Its first line is near line ${lineNumbers(text, [at])[0]}: compare spaces and the lines after it.`
      : ' Read the file again and copy the text exactly, without line numbers.'
  return new ToolError('no-match', `The old text is not in ${shown(path)}.${hint}`)
}

function report({ path }: Place, { count, lines }: Edited): string {
  return count === 1
    ? `Edited ${path}, line ${lines[0]}.`
    : `Edited ${path}: ${count} places, from line ${lines[0]} on.`
}
