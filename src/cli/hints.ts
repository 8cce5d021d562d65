/** Commands that messages name, as the user has to type them: with the state folder that this one has. */

import type { Command } from 'commander'
import { shellWord } from './shell-word.ts'

/** Not the token: it would be on the screen and in the history of the shell. */
const kept = {
  state: '--state',
  addr: '--addr',
  daemon: '--no-daemon',
} as const

/** What is an example in the help of a command stays as it is; this is for advice. */
export function withGlobals(program: Command, text: string): string {
  const options = program.opts<Readonly<Record<string, unknown>>>()
  const given = (['state', 'addr', 'daemon'] as const).flatMap((name) => {
    if (program.getOptionValueSource(name) !== 'cli') return []
    const value = options[name]
    return typeof value === 'string' ? [kept[name], shellWord(value)] : [kept[name]]
  })
  if (given.length === 0) return text
  return text.replaceAll(/\bloopctl (?=[a-z])/g, () => `loopctl ${given.join(' ')} `)
}
