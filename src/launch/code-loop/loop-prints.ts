/**
 * What the code of a loop prints, for the run that it belongs to. The engine journals it, so that it is shown the same
 * way wherever the run is driven.
 *
 * 1. Lines are joined for a moment, and their total size is limited (E9): a loop that prints without end fills neither the
 *    journal nor the memory.
 * 2. Values of secrets are masked before anything is passed on.
 * 3. What is printed while no run listens, such as after its end, goes to `onLine`.
 */

import { setImmediate } from 'node:timers/promises'
import type { LoopPrints } from '../../engine/index.ts'

export interface LoopPrinter {
  /** Called with each line that the process of the loop prints. */
  print(line: string): void
  readonly prints: LoopPrints
}

export interface LoopPrinterOptions {
  readonly mask: (text: string) => string
  readonly onLine: (line: string) => void
}

export const printedCharsMax: number = 256 * 1024
const eventCharsMax = 8 * 1024
const joinMs = 50

export function createLoopPrinter({ mask, onLine }: LoopPrinterOptions): LoopPrinter {
  let listener: Parameters<LoopPrints['listen']>[0] | undefined
  let pending: string[] = []
  let pendingChars = 0
  let chars = 0
  let timer: NodeJS.Timeout | undefined

  function pass(): void {
    clearTimeout(timer)
    timer = undefined
    if (pending.length === 0) return
    const lines = pending
    pending = []
    pendingChars = 0
    const text = mask(lines.join('\n'))
    if (listener?.(text) !== true) for (const line of text.split('\n')) onLine(line)
  }

  function print(line: string): void {
    if (chars > printedCharsMax) return
    chars += line.length + 1
    pending.push(chars > printedCharsMax ? '(too much output; the rest is not shown)' : line)
    pendingChars += line.length + 1
    if (listener === undefined || pendingChars >= eventCharsMax) pass()
    else timer ??= setTimeout(pass, joinMs).unref()
  }

  return {
    print,
    prints: {
      listen(onText) {
        listener = onText
        return () => {
          pass()
          listener = undefined
        }
      },
      async flush() {
        // The pipes may hold lines that were printed before the answer, which arrived on another one.
        for (let before = -1; before !== chars; ) {
          before = chars
          await setImmediate()
          await setImmediate()
        }
        pass()
      },
    },
  }
}
