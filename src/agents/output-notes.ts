/**
 * Turns program output into notes for observers: complete lines, without colors, at most once a
 * second, and only the newest of what came in between. Nothing waits for them.
 */

import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'

export interface OutputNotes {
  push(chunk: Uint8Array): void
  /** Reports the rest, and stops. */
  end(): void
}

const pauseMs = 1000
const charsMax = 500
/** For one program, however long it prints (E9). */
const notesMax = 1000

export function createOutputNotes(say: (text: string) => void): OutputNotes {
  const decoder = new StringDecoder('utf8')
  let pending = ''
  let notes = 0
  let timer: NodeJS.Timeout | undefined

  function flush(isEnd: boolean): void {
    const end = isEnd ? pending.length : pending.lastIndexOf('\n') + 1
    const text = tidy(pending.slice(0, end))
    pending = pending.slice(end)
    if (text === '' || notes >= notesMax) return
    notes++
    say(text.slice(-charsMax))
  }

  function pause(): void {
    timer = setTimeout(() => {
      timer = undefined
      if (!pending.includes('\n')) return
      flush(false)
      pause()
    }, pauseMs)
    timer.unref()
  }

  return {
    push(chunk) {
      // A chunk can be large, and a line endless: only its end is useful here.
      const text = decoder.write(chunk.subarray(Math.max(0, chunk.length - 4 * charsMax)))
      pending = `${pending}${text}`.slice(-4 * charsMax)
      if (timer !== undefined || !pending.includes('\n')) return
      flush(false)
      pause()
    },
    end() {
      clearTimeout(timer)
      flush(true)
    },
  }
}

/** Removes colors and other control characters. */
export const tidy = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim()
