/** A question to a person with a safe default, and an action behind a gate. */

import type { Actions, Gate, LoopType, Receipt } from 'loopwright'
import type { Example } from './example.ts'

const approve: LoopType<{ title: string }, { title: string }, { state: string }, Receipt> = {
  name: 'approve',
  createContext: ({ title }) => ({ title }),
  async iterate({ title }, it) {
    const draft = await it.step('draft', () => `Release notes: ${title}`)
    await it.sleep('cool down', 5)
    const { answer } = await it.ask('tone', {
      text: `Publish "${draft}"?`,
      options: ['publish', 'keep'],
      default: 'publish',
      deadlineMs: 20,
    })
    if (answer === 'keep') return { status: 'skipped', summary: 'kept' }
    return it.act({ kind: 'publish', summary: draft })
  },
  extractProgress: ({ status }) => ({ state: status }),
  until: [{ type: 'custom', name: 'handled', met: () => true }],
}

/** An executor that can tell afterwards whether it did something: by its key. */
export function memoryActions(): Actions & { readonly performed: readonly string[] } {
  const performed: string[] = []
  return {
    performed,
    async perform(action, key) {
      performed.push(key)
      return { status: 'done', summary: action.summary }
    },
    async find(action, key) {
      if (!performed.includes(key)) return { type: 'not-done' }
      return { type: 'done', receipt: { status: 'done', summary: action.summary } }
    },
  }
}

const gate: Gate = {
  judge: async ({ kind }) =>
    kind === 'publish'
      ? { type: 'allow' }
      : { type: 'deny', reason: 'only publishing is allowed here' },
}

export const approveExample: Example = {
  loop: approve,
  input: { title: '0.1.0' },
  parts: () => ({ actions: memoryActions(), gate }),
}
