/** The lines in the output of a package manager that say why it failed. */

import { stripVTControlCharacters } from 'node:util'

const outputLinesMax = 12

/** How to call npm, which it prints after the reason. */
const npmUsage = /^npm (?:error|ERR!) (?:Clean install a project|Usage:)/

/** Returns the lines that name an error, or else the last ones. */
export function pickErrorLines(output: string): readonly string[] {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/complete log of this run/i.test(line))
  const usage = lines.findIndex((line) => npmUsage.test(line))
  if (usage > 0) lines.length = usage
  const errors = lines.filter((line) =>
    /\b(?:err!?|error|fatal|failed|cannot|missing|invalid|mismatch|unauthorized|forbidden)\b|ERR_|YN(?!0000)\d{4}/i.test(
      line,
    ),
  )
  return (errors.length > 0 ? errors : lines)
    .slice(errors.length > 0 ? 0 : -outputLinesMax)
    .slice(0, outputLinesMax)
}
