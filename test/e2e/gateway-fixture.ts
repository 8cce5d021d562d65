/** Shared by the tests of agents behind the gateway: programs that call a model, as agents do. */

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ModelServer } from '../../src/testing/model-server.ts'
import { ctl, type Ended, eventsOf, type Place, place } from './loop-fixture.ts'

const require = createRequire(import.meta.url)
const client = require.resolve('@anthropic-ai/sdk').replace(/index\.js$/, 'index.mjs')
const modules = client.replace(/(?<=node_modules)\/.*/, '')

/** With `ask` (one request by fetch, with its status) and `client` (the official one). */
const opening = `
import { writeFileSync } from 'node:fs'
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key } = process.env
const request = { model: 'claude-sonnet-4-5', max_tokens: 500 }
async function ask(content, more = {}) {
  const body = JSON.stringify({ ...request, ...more, messages: [{ role: 'user', content }] })
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const response = await fetch(url + '/v1/messages', { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const openClient = async () => {
  const { default: Anthropic } = await import('${client}')
  return new Anthropic({ maxRetries: 0 })
}
`

export interface AgentOptions {
  /** Checks, limits and whatever else the loop file has. */
  readonly more?: string
  /** Further settings of the agent. */
  readonly agent?: string
}

/** A loop whose agent is this program. */
export function withProgram(program: string, options: AgentOptions = {}): Place {
  const { more = 'checks: { done: test -e done.txt }\nlimits: { iterations: 2 }', agent = '' } =
    options
  return place(
    `
prompt: Go.
agent: { command: [node, agent.mjs]${agent} }
sandbox: { readOnly: [${modules}] }
${more}
`,
    { 'agent.mjs': `${opening}\n${program}\n` },
  )
}

/** Where the provider is, and the key for it. */
export const behind = (server: Pick<ModelServer, 'url'>, key: string): Record<string, string> => ({
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: key,
})

export type Note = Readonly<Record<string, unknown>>

export const notesOf = (ended: Ended, type: string): readonly Note[] =>
  eventsOf(ended, 'step-noted')
    .map(({ note }) => note as Note)
    .filter((note) => note['type'] === type)

export interface Spent {
  readonly tokens: number
  readonly costMicros: number
}

export async function spentOf(at: Place, run: string): Promise<Spent> {
  const { stdout } = await ctl(at, '--json', 'inspect', run)
  return (JSON.parse(stdout) as { readonly state: { readonly spent: Spent } }).state.spent
}

export const billOf = ({ bills }: Pick<ModelServer, 'bills'>): number =>
  bills.reduce((sum, { input, output }) => sum + input + output, 0)

export const write = (at: Place, name: string, text: string): void =>
  writeFileSync(join(at.work, name), text)
