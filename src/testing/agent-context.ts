/**
 * An agent's context without an engine: tools that are functions, an account of what was reserved and
 * settled, and everything that was called and noted, in order.
 */

import {
  type AgentContext,
  type AgentGuidance,
  type AgentNote,
  type Amount,
  add,
  defined,
  FaultError,
  findExceededLimit,
  type Json,
  type Remaining,
  type Signal,
  type StepId,
  type ToolDescription,
  type ToolResult,
  toJson,
  zero,
} from '../loop/index.ts'

/** Options of `createAgentContext`. */
export interface AgentContextOptions {
  readonly tools?: Readonly<Record<string, TestTool>>
  readonly signal?: Signal
  readonly iteration?: number
  readonly workspace?: string
  readonly limits?: Partial<Remaining>
  /** What people tell it while it works. Default: nothing. */
  readonly guidance?: AgentGuidance
}

/** An error that it throws becomes a failed result, as in the engine. */
export type TestTool = (args: Json) => Json | ToolResult | Promise<Json | ToolResult>

/** A context for an agent without an engine, with what the agent did. */
export interface TestAgentContext extends AgentContext {
  readonly calls: readonly { readonly name: string; readonly args: Json }[]
  readonly notes: readonly AgentNote[]
  readonly reservations: readonly { readonly worst: Amount; readonly spent?: Amount }[]
  readonly spent: Amount
}

const plenty: Remaining = {
  iterations: 50,
  tokens: 2_000_000,
  costMicros: 5_000_000,
  timeMs: 8 * 3_600_000,
}

/** Creates a context for an agent, without an engine. */
export function createAgentContext(options: AgentContextOptions = {}): TestAgentContext {
  const { tools = {}, iteration = 1, workspace } = options
  const limits = { ...plenty, ...options.limits }
  const calls: { name: string; args: Json }[] = []
  const notes: AgentNote[] = []
  const reservations: { worst: Amount; spent?: Amount }[] = []
  const committed = (): Amount => sum(reservations.map(({ worst, spent }) => spent ?? worst))
  return {
    signal: options.signal ?? new AbortController().signal,
    attempt: 1,
    iteration,
    step: 'agent:maker#1' as StepId,
    workspace,
    calls,
    notes,
    reservations,
    get spent() {
      return sum(reservations.map(({ spent }) => spent ?? { tokens: 0, costMicros: 0 }))
    },
    spend: () => undefined,
    async reserve(worst) {
      const limit = findExceededLimit(limits, committed(), worst)
      if (limit !== undefined) {
        const message = `The ${limit} limit would be exceeded.`
        throw new FaultError({ code: 'budget', message, retryable: false, limit })
      }
      const reservation: { worst: Amount; spent?: Amount } = { worst }
      reservations.push(reservation)
      return {
        async settle(spent) {
          reservation.spent = spent
        },
      }
    },
    remaining() {
      const { tokens, costMicros } = committed()
      const left = { tokens: limits.tokens - tokens, costMicros: limits.costMicros - costMicros }
      return { ...limits, ...left }
    },
    tools: async () => Object.keys(tools).map(describe),
    async callTool(name, args) {
      calls.push({ name, args })
      const tool = tools[name]
      if (tool === undefined)
        return { ok: false, error: 'unknown-tool', output: `No tool ${name}.` }
      try {
        const output = await tool(args)
        return isResult(output) ? output : { ok: true, output: toJson(output) }
      } catch (error) {
        return { ok: false, error: 'tool-failed', output: String(error) }
      }
    },
    note: (note) => void notes.push(note),
    ...defined({ guidance: options.guidance }),
  }
}

const sum = (amounts: readonly Amount[]): Amount => amounts.reduce(add, zero)

const describe = (name: string): ToolDescription => ({
  name,
  description: `The tool ${name} of a test.`,
  parameters: { type: 'object', properties: {}, additionalProperties: true },
  risk: 'read-only',
})

const isResult = (value: Json | ToolResult): value is ToolResult =>
  typeof value === 'object' && value !== null && 'ok' in value && 'output' in value
