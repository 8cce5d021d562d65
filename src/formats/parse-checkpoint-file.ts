/**
 * Parses checkpoint files. For any text, the result is a file that satisfies C1 to C3, or a rejection
 * `bad-checkpoint` that names the field and says what to do.
 */

import { eventVersion, LoopError, NotJsonError } from '../loop/index.ts'
import {
  type CheckpointFile,
  canonicalJson,
  checkpointCharsMax,
  checkpointFileSchema,
  checkpointFormat,
  checkpointFormatVersion,
  formatJsonPath,
  isJsonObject,
  type JsonObject,
  type Sha256,
} from '../protocol/index.ts'

const messageCharsMax = 300
const exportAgain = 'Export the checkpoint again from its run.'

export function parseCheckpointFile(text: string, sha256: Sha256): CheckpointFile {
  const { sha256: written, ...content } = readObject(text)
  refuseOtherFormats(content)
  const canonical = canonicalText(content)
  const parsed = checkpointFileSchema.safeParse({ ...content, sha256: written })
  if (!parsed.success) throw unreadable(parsed.error.issues)
  refuseNewerEvents(parsed.data)
  if (sha256(canonical) !== written) {
    throw bad(
      '$.sha256: the content has another digest, so the file is damaged or was changed',
      exportAgain,
    )
  }
  // Missing fields now have their defaults, which the digest must cover as well (C3).
  const { sha256: _written, ...complete } = parsed.data
  return { ...complete, sha256: sha256(canonicalJson(complete)) }
}

function readObject(text: string): JsonObject {
  if (text.length > checkpointCharsMax) {
    throw bad(`it is longer than ${checkpointCharsMax} characters`, 'Export it without its files.')
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
    throw bad(`$.format: it is not "${checkpointFormat}"`, 'Pass the path of a checkpoint file.')
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
    `$.loopwright.eventVersion: it is ${version}, and this program reads up to`,
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
  return bad(`${formatJsonPath(first?.path ?? [])}: ${first?.message}${more}`, exportAgain)
}

const newer = (problem: string, known: number): LoopError =>
  bad(`${problem} ${known}`, 'A newer Loopwright wrote it: upgrade this one.')

function bad(problem: string, whatToDo: string): LoopError {
  const shown = problem.length > messageCharsMax ? `${problem.slice(0, messageCharsMax)}…` : problem
  return new LoopError(
    'bad-checkpoint',
    `this checkpoint file cannot be used: ${shown}. ${whatToDo}`,
  )
}
