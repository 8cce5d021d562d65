/**
 * A model through the real client of its provider, against a scripted server, on a manual clock.
 */

import { resolveModel } from '../../src/agents/index.ts'
import { type ModelAgentOptions, modelAgent } from '../../src/agents/model-agent.ts'
import { type AgentReport, type Fault, FaultError } from '../../src/loop/index.ts'
import { createAgentContext, type TestAgentContext } from '../../src/testing/agent-context.ts'
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../src/testing/model-server.ts'

export const key = 'sk-secret-0123456789'
const env = {
  ANTHROPIC_API_KEY: key,
  OPENAI_API_KEY: key,
  GOOGLE_GENERATIVE_AI_API_KEY: key,
  LOCAL_KEY: key,
}

export const ids = [
  'anthropic/claude-sonnet-5',
  'openai/gpt-4o',
  'google/gemini-3.8-flash',
  'openai-compatible/local',
] as const
export const [anthropic, openai, , local] = ids

export interface ModelWorker extends AsyncDisposable {
  readonly server: ModelServer
  readonly clock: ManualClock
  /** What the server received, as text. */
  readonly bodies: () => readonly string[]
  work(context?: TestAgentContext, prompt?: string): Promise<AgentReport>
}

export async function createModelWorker(
  id: string,
  script: ModelScript,
  options: Partial<ModelAgentOptions> = {},
): Promise<ModelWorker> {
  const server = await startModelServer(script)
  const clock = createManualClock()
  const apiKeyEnv = id === local ? { apiKeyEnv: 'LOCAL_KEY' } : {}
  const resolved = await resolveModel(id, { baseUrl: server.url, env, ...apiKeyEnv })
  const agent = modelAgent({ ...resolved, clock, ...options })
  return {
    server,
    clock,
    bodies: () => server.requests.map(({ body }) => JSON.stringify(body)),
    work: (context = createAgentContext(), prompt = 'Add one and one.') =>
      clock.pass(agent.work({ prompt }, context)),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof FaultError) return error.fault
  throw new Error('expected a fault', { cause: error })
}

export const done = { text: 'Done.' }
export const add = (a: number) => ({ calls: [{ name: 'add', args: { a } }] })
