/** The stored output of a check: an excerpt to read, and all of it for certificates. */

import type { CommandResult, UnboundCheckResult } from '../../engine/index.ts'
import { createLineCollector, excerpt, excerptLines, type OutputLine } from '../../loop/index.ts'

export const outputCharsMax = 4000

export const keepOutput = (text: string): string => excerpt(text, outputCharsMax)

/** Adds `whole` only if the excerpt is incomplete. */
export const withWhole = (
  output: string,
  whole: string,
): Pick<UnboundCheckResult, 'output' | 'whole'> =>
  whole === output ? { output } : { output, whole }

export interface CheckOutput {
  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void
  /** An excerpt of the streamed output; of the result if nothing was streamed. */
  text(result: Pick<CommandResult, 'stdout' | 'stderr'>): string
  /** All output, up to `wholeBytesMax`. */
  whole(result: Pick<CommandResult, 'stdout' | 'stderr'>): string
}

/** More than this of one stream is only counted. */
export const wholeBytesMax: number = 16 * 1024 * 1024

/** First stdout, then stderr, because their interleaving varies between runs. */
export function createCheckOutput(): CheckOutput {
  const streams = { stdout: createStream(), stderr: createStream() }
  let isEmpty = true
  return {
    push(chunk, stream) {
      isEmpty = false
      streams[stream].push(chunk)
    },
    text({ stdout, stderr }) {
      if (isEmpty) return keepOutput(joined([stdout, stderr]))
      const first = streams.stdout.end()
      const from = (first.at(-1)?.number ?? -1) + 1
      const second = streams.stderr.end().map((line) => ({ ...line, number: line.number + from }))
      return excerptLines([...first, ...second], outputCharsMax)
    },
    whole({ stdout, stderr }) {
      if (isEmpty) return joined([stdout, stderr])
      return joined([streams.stdout.whole(), streams.stderr.whole()])
    },
  }
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

interface Stream {
  push(chunk: Uint8Array): void
  whole(): string
  end(): readonly OutputLine[]
}

function createStream(): Stream {
  const decoder = new TextDecoder()
  const lines = createLineCollector()
  const chunks: Uint8Array[] = []
  let kept = 0
  let left = 0
  return {
    push(chunk) {
      const part = chunk.subarray(0, wholeBytesMax - kept)
      if (part.length > 0) chunks.push(part)
      kept += part.length
      left += chunk.length - part.length
      lines.push(decoder.decode(chunk, { stream: true }))
    },
    whole() {
      const text = Buffer.concat(chunks).toString('utf8')
      return left === 0 ? text : `${text}\n[${left} more bytes were cut]\n`
    },
    end() {
      lines.push(decoder.decode())
      return lines.end()
    },
  }
}
