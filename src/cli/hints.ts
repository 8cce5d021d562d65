/** Commands in messages, as the user has to type them: with the global options of this command. */

import type { Command } from 'commander'
import { shellWord } from './shell-word.ts'

/** The token is left out: it would end up on the screen and in the shell history. */
const kept = {
  state: '--state',
  addr: '--addr',
  daemon: '--no-daemon',
} as const

/** For advice; examples in help texts stay as they are. */
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
