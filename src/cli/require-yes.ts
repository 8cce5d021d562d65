/** Confirms what cannot be undone: by a prompt at a terminal, else by --yes. */

import { LoopError } from '../loop/index.ts'
import { confirm } from './ask.ts'
import { visible } from './display/render.ts'
import type { Session } from './session.ts'

/** `what` completes the sentence "This would …". */
export async function requireYes(
  { terminal }: Pick<Session, 'terminal'>,
  what: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes === true) return
  if (!terminal.asks) {
    throw new LoopError('bad-request', visible(`This would ${what}. Pass --yes to confirm.`))
  }
  if (await confirm(visible(`This would ${what}. Continue?`))) return
  throw new LoopError('bad-request', 'Not confirmed; nothing was done. Pass --yes to confirm.')
}
