/** What cannot be taken back is asked about at a terminal, and needs --yes where there is none. */

import { LoopError } from '../loop/index.ts'
import { confirm } from './ask.ts'
import { visible } from './display/render.ts'
import type { Session } from './session.ts'

/** `what` goes on "This would …". */
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
  throw new LoopError(
    'bad-request',
    'Nothing was done: it was not confirmed. Answer yes, or pass --yes.',
  )
}
