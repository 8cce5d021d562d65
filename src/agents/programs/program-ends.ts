/** What the ends of programs have in common. */

import type { Conclusion } from './agent-program.ts'

const wordsMax = 20_000

/** What it said last, longer by a text, and never too long. */
export const lastWords = (said: string, text: string, between = '\n'): string =>
  (said === '' ? text : `${said}${between}${text}`).slice(-wordsMax)

const signals: Readonly<Record<number, string>> = { 130: 'SIGINT', 137: 'SIGKILL', 143: 'SIGTERM' }

/** Of one that failed and did not say why on its standard output. */
export function endByExit(exitCode: number | undefined, stderr: string): Omit<Conclusion, 'turns'> {
  const signal = exitCode === undefined ? 'a signal' : signals[exitCode]
  const text = (why: string): string =>
    [why, stderr.trim()].filter((part) => part !== '').join('\n')
  if (signal !== undefined) return { end: 'interrupted', text: text(`It was ended by ${signal}.`) }
  return { end: 'crashed', text: text(`It ended with exit code ${exitCode}.`) }
}
