/**
 * A loop that defines everything itself: steps, branches, conditions, agent, tool, check and hook.
 */

import { appendFileSync } from 'node:fs'
import { defineLoop, FaultError, type LoopType } from 'loopwright'
import { z } from 'zod'
import { double } from './double.ts'

interface Progress {
  readonly total: number
  readonly said: string
}

const adding: LoopType<{ readonly to: number }, { readonly to: number }, Progress, Progress> = {
  name: 'adding',
  createContext: (input, _previous) => ({ to: input.to }),
  async iterate(context, it) {
    const first = await it.step('first', ({ attempt }) => {
      if (it.number === 1 && attempt === 1) {
        throw new FaultError({ code: 'flaky', message: 'not yet', retryable: true })
      }
      return double(it.number)
    })
    const { left, right } = await it.parallel({
      left: async (branch) => new Map([['n', await branch.step('one', () => 1)]]),
      right: (branch) => branch.step('two', async () => 2),
    })
    const report = await it.agent('maker', { prompt: `up to ${context.to}` })
    const tool = await it.tool('shout', { text: 'hi' })
    await it.check()
    await it.artifact('note', 'kept')
    const total = first + (left.get('n') ?? 0) + right
    return { total, said: `${report.text} ${JSON.stringify(tool.output)}` }
  },
  extractProgress: (result) => result,
  until: [
    {
      type: 'all',
      of: [
        { type: 'checks-pass' },
        {
          type: 'custom',
          name: 'enough',
          met: (progress, result) => result.total >= 7 && progress.total >= 7,
        },
      ],
    },
  ],
}

// oxlint-disable-next-line import/no-default-export -- this is what a loop file is
export default defineLoop({
  loop: adding,
  name: 'whole',
  input: { to: 3 },
  limits: { iterations: 5 },
  env: ['WHOLE_LOG'],
  agent: {
    async work(task, context) {
      const reservation = await context.reserve({ tokens: 10, costMicros: 10 })
      const result = await context.callTool('shout', { text: task.prompt })
      context.note({ type: 'said', text: 'working' })
      await reservation.settle({ tokens: 5, costMicros: 5 })
      const left = context.remaining()
      const text = `${JSON.stringify(result.output)} ${left.iterations > 0}`
      return { status: 'done', text, usage: { tokens: 5, costMicros: 5 }, turns: 1 }
    },
  },
  tools: [
    'read',
    {
      name: 'shout',
      description: 'Says it louder.',
      parameters: z.object({ text: z.string(), mark: z.string().default('!') }),
      risk: 'read-only',
      run: (args) => `${String(args['text']).toUpperCase()}${String(args['mark'])}`,
    },
  ],
  checks: {
    good: async ({ attempt }) => ({ status: 'met', output: `attempt ${attempt}` }),
    lint: 'true',
  },
  hooks: [
    {
      name: 'log',
      points: ['before-step'],
      blocking: true,
      run: ({ step }) => {
        const log = process.env['WHOLE_LOG']
        if (log !== undefined) appendFileSync(log, `${step}\n`)
      },
    },
  ],
})
