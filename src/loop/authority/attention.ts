/** How much of people's attention a run needs: the questions it asked, and how long it waited for answers. */

import type { RunEvent } from '../event.ts'

export interface Attention {
  readonly questions: number
  /** From each question to its answer, or to the end of its iteration. */
  readonly waitedMs: number
  /** When each open question was asked, by its step. */
  readonly open: { readonly [step: string]: number }
}

export const noAttention: Attention = { questions: 0, waitedMs: 0, open: {} }

export function followAttention(attention: Attention, event: RunEvent, atMs: number): Attention {
  const { open } = attention
  switch (event.type) {
    case 'step-started':
      // A question that is repeated after an interruption counts once.
      if (event.question === undefined || Object.hasOwn(open, event.step)) return attention
      return {
        ...attention,
        questions: attention.questions + 1,
        open: { ...open, [event.step]: atMs },
      }
    case 'step-finished':
    case 'step-failed':
      return Object.hasOwn(open, event.step) ? close(attention, [event.step], atMs) : attention
    case 'iteration-ended': {
      const { type } = event.ending
      const isOpen = type === 'interrupted' || type === 'rate-limited'
      return isOpen ? attention : close(attention, Object.keys(open), atMs)
    }
    case 'iteration-restarted':
    case 'run-rewound':
    case 'run-ended':
      return close(attention, Object.keys(open), atMs)
    default:
      return attention
  }
}

function close(attention: Attention, steps: readonly string[], atMs: number): Attention {
  if (steps.length === 0) return attention
  const left = Object.entries(attention.open).filter(([step]) => !steps.includes(step))
  const waitedMs = steps.reduce(
    (sum, step) => sum + Math.max(0, atMs - (attention.open[step] ?? atMs)),
    attention.waitedMs,
  )
  return { ...attention, waitedMs, open: Object.fromEntries(left) }
}
