/** A question to a person with a safe default, and an action that runs only if its gate allows it. */

import type { Actions, Gate, LoopType, Receipt } from 'loopwright'
import type { Example } from './example.ts'

interface Input {
  readonly title: string
  /** How long a person has to answer. */
  readonly deadlineMs: number
}

const publish: LoopType<Input, Input, { state: string }, Receipt> = {
  name: 'publish',
  createContext: (input) => input,
  async iterate({ title, deadlineMs }, it) {
    const draft = await it.step('draft', () => `Release notes: ${title}`)
    await it.sleep('cool down', 5)
    const { answer } = await it.ask('where', {
      text: `Where may "${draft}" go?`,
      options: ['internal page', 'public page'],
      default: 'internal page',
      deadlineMs,
    })
    return it.act({ kind: answer === 'public page' ? 'publish' : 'share', summary: draft })
  },
  extractProgress: ({ status }) => ({ state: status }),
  until: [{ type: 'custom', name: 'handled', met: () => true }],
}

/** An executor that can look up by key whether it performed an action. */
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
    kind === 'share'
      ? { type: 'allow' }
      : { type: 'ask', reason: 'The public page is read by everybody.' },
}

export const publishExample: Example = {
  loop: publish,
  input: { title: '0.1.0', deadlineMs: 20 } satisfies Input,
  interactiveInput: { title: '0.1.0', deadlineMs: 60_000 } satisfies Input,
  parts: () => ({ actions: memoryActions(), gate }),
}
