/** Passes on what a loop's process prints, line by line, up to a limit. */

import type { Readable } from 'node:stream'

export interface LoopOutput {
  watch(stream: Readable | null): void
  /** The last lines, for the message about the end of the process. */
  end(): string
}

const lineCharsMax = 2000
const shownCharsMax = 1024 * 1024
const lastCharsMax = 2000

export function createLoopOutput(show: (line: string) => void): LoopOutput {
  let shown = 0
  let lastChars = ''

  function print(line: string): void {
    // Without control characters, which could move the cursor or change colors.
    const plain = line.replaceAll(/(?!\t)\p{Cc}/gu, '')
    lastChars = `${lastChars}${plain}\n`.slice(-lastCharsMax)
    if (shown > shownCharsMax) return
    shown += plain.length + 1
    show(shown > shownCharsMax ? '(too much output; the rest is not shown)' : plain)
  }

  return {
    watch(stream) {
      let rest = ''
      stream?.setEncoding('utf8')
      stream?.on('error', () => {})
      stream?.on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) print(line.slice(0, lineCharsMax))
        if (rest.length <= lineCharsMax) return
        print(rest.slice(0, lineCharsMax))
        rest = ''
      })
      stream?.on('end', () => {
        if (rest !== '') print(rest)
        rest = ''
      })
    },
    end: () => lastChars.trim(),
  }
}
