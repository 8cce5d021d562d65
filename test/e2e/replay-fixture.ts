/**
 * Shared by the tests of replays: loops that count, a scripted model, and the output of a replay.
 */

import { expect } from 'vitest'
import type { ModelAnswer, ModelServer } from '../../src/testing/index.ts'
import { ctl, ctlWith, type Ended, type Place } from './loop-fixture.ts'

export const key = { MODEL_KEY: 'sk-secret-0123456789abcdef' }

export interface Replayed {
  readonly same: boolean
  readonly complete: boolean
  readonly end?: string
  readonly exchanges: number
  readonly iterations: number
  readonly workspace?: string
  readonly run: string
  readonly outcome: { readonly type: string; readonly limit?: string }
  readonly recorded: { readonly tokens: number; readonly costMicros: number }
  readonly difference?: {
    readonly iteration?: number
    readonly step?: string
    readonly text: string
  }
}

export const resultOf = ({ stdout, stderr }: Ended): Replayed => {
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Replayed
}

export const agent = (server: ModelServer, model = 'anthropic/claude-sonnet-4-5'): string =>
  `agent: { model: ${model}, baseUrl: '${server.url}', apiKeyEnv: MODEL_KEY, maxOutputTokens: 1000 }`

export const run = (at: Place, ...args: string[]): Promise<Ended> =>
  ctlWith(at, key, '--json', 'run', at.file, '--trust', '--name', 'story', ...args)

/** Without the key: a request to a provider fails. */
export const replay = (at: Place, ...args: string[]): Promise<Ended> =>
  ctl(at, '--json', 'replay', 'story', ...args)

export const calls = (name: string, args: Record<string, string>): ModelAnswer => ({
  calls: [{ name, args }],
})
export const shell = (command: string): ModelAnswer => calls('run', { command })

/** Each iteration appends a line and reports; the check requires three. */
export const counting = (number: number): ModelAnswer =>
  number % 2 === 1 ? shell('echo x >> log.txt') : { text: `I appended line ${number / 2}.` }

export const three = `checks: { three: 'wc -l < log.txt; test "$(wc -l < log.txt)" -ge 3' }`

export async function inspected(at: Place, name: string): Promise<Record<string, never>> {
  const { stdout } = await ctl(at, '--json', 'inspect', name)
  return (JSON.parse(stdout) as { state: Record<string, never> }).state
}
