/** What is kept of what a check printed: the part to read, however much it was. */

import type { CommandResult } from '../../engine/index.ts'
import { createLineCollector, excerpt, excerptLines, type OutputLine } from '../../loop/index.ts'

export const outputCharsMax = 4000

export const keepOutput = (text: string): string => excerpt(text, outputCharsMax)

export interface CheckOutput {
  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void
  /** Of all that came; of what the result still has, where nothing did. */
  text(result: Pick<CommandResult, 'stdout' | 'stderr'>): string
}

/** First all of stdout, then all of stderr: how they mix differs from one run to the next. */
export function createCheckOutput(): CheckOutput {
  const streams = { stdout: createStream(), stderr: createStream() }
  let isEmpty = true
  return {
    push(chunk, stream) {
      isEmpty = false
      streams[stream].push(chunk)
    },
    text({ stdout, stderr }) {
      if (isEmpty) return keepOutput([stdout, stderr].filter((part) => part !== '').join('\n'))
      const first = streams.stdout.end()
      const from = (first.at(-1)?.number ?? -1) + 1
      const second = streams.stderr.end().map((line) => ({ ...line, number: line.number + from }))
      return excerptLines([...first, ...second], outputCharsMax)
    },
  }
}

interface Stream {
  push(chunk: Uint8Array): void
  end(): readonly OutputLine[]
}

function createStream(): Stream {
  const decoder = new TextDecoder()
  const lines = createLineCollector()
  return {
    push: (chunk) => lines.push(decoder.decode(chunk, { stream: true })),
    end() {
      lines.push(decoder.decode())
      return lines.end()
    },
  }
}
