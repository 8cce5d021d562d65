/**
 * The edge where checkpoint files come in. Whatever the text is, the answer is a file that keeps
 * C1 to C3, or a rejection `bad-checkpoint` that names the field and says what to do.
 */

import { eventVersion, LoopError, NotJsonError } from '../loop/index.ts'
import { canonicalJson, pathText } from './canonical-json.ts'
import {
  type CheckpointFile,
  checkpointCharsMax,
  checkpointFileSchema,
  checkpointFormat,
  checkpointFormatVersion,
  type Sha256,
} from './checkpoint.ts'
import { isJsonObject, type JsonObject } from './values.ts'

const messageCharsMax = 300
const exportAgain = 'Export the checkpoint again from the run that it came from.'

export function parseCheckpointFile(text: string, sha256: Sha256): CheckpointFile {
  const { sha256: written, ...content } = readObject(text)
  refuseOtherFormats(content)
  const canonical = canonicalText(content)
  const parsed = checkpointFileSchema.safeParse({ ...content, sha256: written })
  if (!parsed.success) throw unreadable(parsed.error.issues)
  refuseNewerEvents(parsed.data)
  if (sha256(canonical) !== written) {
    throw bad(
      '$.sha256: the content has another digest, so the file was damaged or changed',
      exportAgain,
    )
  }
  // Fields that the file left out have their defaults now, which the digest must cover too (C3).
  const { sha256: _written, ...complete } = parsed.data
  return { ...complete, sha256: sha256(canonicalJson(complete)) }
}

function readObject(text: string): JsonObject {
  if (text.length > checkpointCharsMax) {
    throw bad(`it is over ${checkpointCharsMax} characters`, 'Export it without its files.')
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    throw bad(`it is not JSON: ${error instanceof Error ? error.message : 'unknown'}`, exportAgain)
  }
  throw bad('$: it is not an object', exportAgain)
}

function refuseOtherFormats(content: JsonObject): void {
  const { format, format_version: version } = content
  if (format !== checkpointFormat) {
    throw bad(`$.format: it is not "${checkpointFormat}"`, 'Give the path of a checkpoint file.')
  }
  if (typeof version === 'number' && version > checkpointFormatVersion) {
    throw newer(
      `$.format_version: it is ${version}, and this program reads up to`,
      checkpointFormatVersion,
    )
  }
}

function refuseNewerEvents(file: CheckpointFile): void {
  const version = file.loopwright.eventVersion
  if (version <= eventVersion) return
  throw newer(
    `$.loopwright.eventVersion: it is ${version}, and this program knows up to`,
    eventVersion,
  )
}

function canonicalText(content: JsonObject): string {
  try {
    return canonicalJson(content)
  } catch (error) {
    if (error instanceof NotJsonError) throw bad(error.message, exportAgain)
    throw error
  }
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function unreadable(issues: readonly Issue[]): LoopError {
  const [first] = issues
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return bad(`${pathText(first?.path ?? [])}: ${first?.message}${more}`, exportAgain)
}

const newer = (problem: string, known: number): LoopError =>
  bad(`${problem} ${known}`, 'It was written by a newer Loopwright: upgrade this one.')

function bad(problem: string, whatToDo: string): LoopError {
  const shown = problem.length > messageCharsMax ? `${problem.slice(0, messageCharsMax)}…` : problem
  return new LoopError(
    'bad-checkpoint',
    `this checkpoint file cannot be used: ${shown}. ${whatToDo}`,
  )
}
