/**
 * A small loop type that exists only here, to show what one takes: this folder, and its name in a list.
 *
 *   iteration
 *   ├─ agent:maker      does the task, told what the reviewer said before
 *   ├─ agent:reviewer   may only read; the first word of its report is its verdict
 *   └─ check:…
 */

import { z } from 'zod'
import type { Condition, LoopType } from '../../../src/loop/index.ts'
import { type LoopTypeDefinition, loopOperation } from '../../../src/loops/index.ts'
import { integer, key, type LoopFile, text } from '../../../src/protocol/index.ts'

export interface PairKeys {
  readonly task: string
  readonly approvals: number
}

type Verdict = { readonly iteration: number; readonly pass: boolean; readonly text: string }
type Verdicts = { readonly verdicts: readonly Verdict[] }

const verdictsSchema = z.strictObject({
  run: z.string(),
  verdicts: z.array(z.strictObject({ iteration: z.number(), pass: z.boolean(), text: z.string() })),
})

/** What the reviewer said in each iteration of a run. */
const verdicts = loopOperation({
  name: 'verdicts',
  method: 'get',
  about: 'run',
  summary: 'What the reviewer said, iteration by iteration.',
  answer: { schema: verdictsSchema, description: 'The verdicts, oldest first.' },
  async handle(_parts, { run }) {
    const { verdicts: all = [] } = (run?.state.progress ?? {}) as Partial<Verdicts>
    return { run: run?.name ?? '', verdicts: [...all] }
  },
})

const judgeSchema = z.strictObject({
  text: z.string().max(1000),
  strict: z.boolean().default(false),
})

/** How a text would be judged. */
const judge = loopOperation({
  name: 'judge',
  method: 'post',
  about: 'nothing',
  summary: 'Whether a text counts as an approval.',
  body: { schema: judgeSchema, example: { text: 'pass: well done' } },
  answer: { schema: z.strictObject({ pass: z.boolean() }), description: 'The verdict.' },
  handle: async (_parts, { body }) => ({
    pass: isApproval(body.text) && (!body.strict || body.text.trim() === 'pass'),
  }),
})

const isApproval = (said: string): boolean => /^(?:\(scripted\) )?pass\b/.test(said)

export const pairType: LoopTypeDefinition<PairKeys> = {
  name: 'pair',
  description:
    'A task, a maker and a reviewer; again until the reviewer approves and the checks pass.',
  roles: {
    maker: { description: 'does the task', access: 'write', absent: 'refused', label: 'impl' },
    reviewer: {
      description: 'judges the work',
      access: 'read',
      absent: { sameAs: 'maker' },
      label: 'review',
      reports: true,
      phase: 'review',
    },
  },
  until: [{ type: 'checks-pass' }],
  keys: {
    task: key(text(1000), 'What the maker is to do.'),
    approvals: key(integer(1, 10).prefault(1), 'How often the reviewer has to approve.'),
  },
  problems: ({ settings: { task } }) =>
    task.trim().endsWith('?') ? [{ path: ['task'], reason: 'it is a question: write a task' }] : [],
  async prepare(file, { version }) {
    return {
      loop: pairLoop(file, version),
      variables: [],
      warnings: [],
      firstPrompt: () => file.settings.task,
    }
  },
  operations: [verdicts, judge],
}

function pairLoop(
  { name, until, settings: { task, approvals } }: LoopFile<PairKeys>,
  version: string,
): LoopType<unknown, Verdicts, Verdicts, Verdict> {
  const approved: Condition<Verdicts, Verdict> = {
    type: 'custom',
    name: 'approved',
    met: ({ verdicts: all }) => all.filter(({ pass }) => pass).length >= approvals,
  }
  return {
    name,
    version,
    createContext: (_input, previous) => previous ?? { verdicts: [] },
    async iterate({ verdicts: before }, it) {
      const last = before.at(-1)
      const told = last === undefined ? task : `${task}\nThe reviewer said: ${last.text}`
      await it.agent('maker', { prompt: told })
      const review = await it.agent('reviewer', { prompt: `Was this done? ${task}` })
      await it.check()
      return { iteration: it.number, pass: isApproval(review.text), text: review.text }
    },
    extractProgress: (verdict, previous) => ({
      verdicts: [...(previous?.verdicts ?? []), verdict],
    }),
    until: [{ type: 'all', of: [...until, approved] }],
  }
}
