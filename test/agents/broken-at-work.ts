/** Agents that break the rules of work, for each case of the contract that detects it. */

import type { AgentContext, AgentTask } from '../../src/loop/index.ts'
import {
  type Broken,
  keeper,
  nothing,
  options,
  plain,
  report,
  reporting,
  within,
} from './broken-agents.ts'

export const brokenAtWork: Readonly<Record<string, readonly Broken[]>> = {
  'reports in the right shape, with the expected status': [
    { why: 'an unknown status', says: '"ok"', make: reporting((r) => ({ ...r, status: 'ok' })) },
    { why: 'nothing', says: 'undefined', make: reporting(() => undefined) },
    { why: 'no text', says: 'no string', make: reporting((r) => ({ ...r, text: 7 })) },
    { why: 'no usage', says: 'usage', make: reporting((r) => ({ ...r, usage: undefined })) },
    { why: 'half turns', says: 'turns', make: reporting((r) => ({ ...r, turns: 1.5 })) },
    {
      why: 'done after it crashed',
      says: 'crashed',
      make: reporting((r) => ({ ...r, ended: 'crashed' })),
    },
    {
      why: 'done, though it had to be ended',
      says: 'lingered',
      make: reporting((r) => ({ ...r, ended: 'lingered' })),
    },
    { why: 'an unknown end', says: 'gone', make: reporting((r) => ({ ...r, ended: 'gone' })) },
    {
      why: 'a value that cannot be stored',
      says: '$.when',
      make: reporting((r) => ({ ...r, when: NaN })),
    },
    {
      why: 'blocked, where it should be done',
      says: 'blocked where done',
      make: reporting((r) => ({ ...r, status: 'blocked' })),
    },
  ],
  'writes valid notes': [
    {
      why: 'an unknown type',
      says: '"thought"',
      make: reporting((r, _task, { note }) => {
        note({ type: 'thought' } as never)
        return r
      }),
    },
    {
      why: 'a turn without a number',
      says: '"turn" of a note "turn-ended"',
      make: reporting((r, _task, { note }) => {
        note({ type: 'turn-ended', text: '', calls: 0, usage: nothing } as never)
        return r
      }),
    },
  ],
  'does the same when it gets the same task again': [
    {
      why: 'it remembers that it is done',
      says: 'The second time it reported done, made 0 calls',
      make(scene) {
        let isDone = false
        return async (task, context) => {
          if (isDone) return report
          isDone = true
          return keeper(scene)(task, context)
        }
      },
    },
  ],
  'does two tasks at once without mixing them': [
    {
      why: 'the last context is used for both',
      says: 'Beside another task it reported done, made 0 calls',
      make(scene) {
        let last: AgentContext | undefined
        return async (task, context) => {
          last = context
          await new Promise((resolve) => setImmediate(resolve))
          return keeper(scene)(task, last)
        }
      },
    },
    {
      why: 'the last prompt is used for both',
      says: 'Words of one task',
      make(scene) {
        let last: AgentTask | undefined
        return async (task, context) => {
          last = task
          await new Promise((resolve) => setImmediate(resolve))
          return keeper(scene)(last, context)
        }
      },
    },
  ],
  'accepts a prompt of four megabytes': [
    {
      why: 'it has no room',
      says: 'RangeError',
      make: (scene) => async (task, context) => {
        if (task.prompt.length > 1e6) throw new RangeError('Too long.')
        return keeper(scene)(task, context)
      },
    },
    {
      why: 'everything is repeated',
      says: 'more than 1000000',
      make: reporting((r, { prompt }) => ({ ...r, text: prompt })),
    },
  ],
  'throws nothing but faults, also for an empty prompt': [
    {
      why: 'it trips over it',
      says: 'It threw TypeError',
      make: (scene) => async (task, context) => {
        if (task.prompt === '') throw new TypeError('Cannot read properties of undefined')
        return keeper(scene)(task, context)
      },
    },
    {
      why: 'it throws a text',
      says: 'It threw string (no)',
      make: () => () => Promise.reject('no'),
    },
  ],
  'treats failures of tools as data': [
    {
      why: 'it throws',
      says: 'threw instead of reporting',
      make: within(({ callTool }) => ({
        async callTool(name, args) {
          const result = await callTool(name, args)
          if (!result.ok) throw new Error(String(result.error))
          return result
        },
      })),
    },
    { why: 'it calls none', says: 'called no tool', make: () => plain },
  ],
  'calls no tool': [
    {
      why: 'it does',
      says: 'It called write',
      make: keeper,
      options: { spends: true },
    },
  ],
  'reports that it needs a workspace': [
    {
      why: 'it does not look',
      says: 'had no workspace',
      make: keeper,
      options: { ...options, needsWorkspace: true },
    },
  ],
  'works without a workspace': [
    {
      why: 'it trips',
      says: 'threw instead of reporting',
      make: within(({ workspace }) => {
        if (workspace === undefined) throw new TypeError('workspace is undefined')
        return {}
      }),
    },
    {
      why: 'it is blocked',
      says: 'blocked where done',
      make: reporting((r, _task, { workspace }) =>
        workspace === undefined ? { ...r, status: 'blocked' } : r,
      ),
    },
  ],
}
