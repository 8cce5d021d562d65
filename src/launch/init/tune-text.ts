/** The loop file of `loopctl tune`, made from its options. */

import { stringify } from 'yaml'
import type { Json } from '../../loop/index.ts'
import type { InlineLoop } from './write-loop.ts'

export interface TuneDraft {
  /** Its folder, for the name. */
  readonly name: string
  readonly mode?: string
  readonly pick: 'ask' | 'policy'
  readonly apply?: string
  /** Agents by role, as in a loop file. */
  readonly agents: { readonly [role: string]: Json }
}

export function tuneLoopFile({ name, mode, pick, apply, agents }: TuneDraft): InlineLoop {
  const values = {
    name,
    loop: 'tune',
    pick,
    ...(mode === undefined ? {} : { mode }),
    ...(apply === undefined ? {} : { apply }),
    ...(Object.keys(agents).length === 0 ? {} : { agents }),
  }
  return { name, text: `# Written by: loopctl tune, from its options.\n${stringify(values)}` }
}
