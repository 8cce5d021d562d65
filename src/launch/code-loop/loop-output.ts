/** What a loop's process prints, line by line, on our stderr and never on our stdout; bounded. */

import type { Readable } from 'node:stream'

export interface LoopOutput {
  watch(stream: Readable | null): void
  /** The end of it, for the message that says how the process ended. */
  end(): string
}

const lineCharsMax = 2000
const shownCharsMax = 1024 * 1024
const keptCharsMax = 2000

export function createLoopOutput(show: (line: string) => void): LoopOutput {
  let shown = 0
  let kept = ''

  function print(line: string): void {
    // Nothing of a loop moves our cursor or colours our screen.
    const plain = line.replaceAll(/(?!\t)\p{Cc}/gu, '')
    kept = `${kept}${plain}\n`.slice(-keptCharsMax)
    if (shown > shownCharsMax) return
    shown += plain.length + 1
    show(shown > shownCharsMax ? '(it prints too much; the rest is not shown)' : plain)
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
    end: () => kept.trim(),
  }
}
