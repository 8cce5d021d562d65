/** The programs' behavior with a failing provider is never mistaken for a success. */

import { describe, expect, test } from 'vitest'
import type { ModelAnswer } from '../../src/testing/index.ts'
import { billOf } from '../e2e/gateway-fixture.ts'
import { alive, failingProject, play, programs } from './real-programs.ts'

const refused: ModelAnswer = { status: 401, message: 'invalid key', code: 'authentication_error' }

const troubles: readonly (readonly [string, ModelAnswer])[] = [
  ['refuses the key', refused],
  ['fails', { status: 500, message: 'overloaded', code: 'api_error' }],
  ['breaks off in the middle', { does: 'cut' }],
  ['never answers', { does: 'hang' }],
]

/** Ends the program soon: the gateway would wait for two minutes. */
const timeout = '15s'

async function noSuccess(agent: string, answer: ModelAnswer): Promise<void> {
  const at = failingProject(agent, {}, 1)
  const played = await play(at, () => answer)
  expect(played.outcome).toMatch(/^(failed|exhausted)$/)
  expect(played.code).not.toBe(0)
  for (const { status, ended } of played.reports) {
    expect(status).not.toMatch(/^done/)
    expect(ended).toMatch(/^(provider|time|idle|crashed|no-result)$/)
  }
  expect(played.spentTokens).toBeGreaterThanOrEqual(billOf(played.server))
  expect(await alive(at, played)).toEqual([])
}

describe.each(programs)('%s', (name) => {
  describe('trouble', () => {
    test.each(troubles)('with a provider that %s', async (_trouble, answer) => {
      await expect(
        noSuccess(`{ program: ${name}, timeout: ${timeout} }`, answer),
      ).resolves.toBeUndefined()
    })

    test('by ACP, with a provider that refuses the key', async () => {
      await expect(
        noSuccess(`{ acp: ${name}, timeout: ${timeout} }`, refused),
      ).resolves.toBeUndefined()
    })
  })
})
