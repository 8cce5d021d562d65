/**
 * Calls of tools, whoever makes them: hooks are told, the call is noted, the metrics count it.
 * A call by the loop is a step of its own; one by an agent is part of the agent's step.
 */

import {
  type AgentContext,
  type BlobId,
  defined,
  FaultError,
  type Json,
  plainOutput,
  remaining,
  type StepContext,
  type StepId,
  type StepNote,
  type StepNoted,
  type ToolContext,
  type ToolResult,
  textOf,
  toJson,
} from '../../loop/index.ts'
import { Interruption } from '../interrupter.ts'
import { type Branch, isInfrastructure } from '../live-run.ts'
import type { Tools } from '../ports.ts'

/** What one step may put on record besides its result (E9). */
const notesMax = 5000
/** Each is on record, so there is a limit to them as well. */
const callsMax = 10_000
const noteCharsMax = 500
const argsCharsMax = 200

export function toolContext(branch: Branch, context: StepContext): ToolContext {
  const { number, run } = branch.iteration
  return { ...context, iteration: number, workspace: run.ports.workspace?.path }
}

/** What a tool throws, and a hook that refuses it, is thrown. */
export async function callTool(
  branch: Branch,
  by: By,
  tools: Tools,
  call: { readonly name: string; readonly args: Json },
  context: ToolContext,
): Promise<ToolResult> {
  const { clock } = branch.iteration.run.ports
  const beganMs = clock.now()
  const note = (part: { ok: boolean; error?: string; outputBytes: number }): void =>
    record(branch, by, {
      type: 'tool-called',
      tool: call.name.slice(0, argsCharsMax),
      args: shortened(call.args, argsCharsMax),
      durationMs: Math.max(0, clock.now() - beganMs),
      ...part,
    })
  try {
    const { hooks } = branch.iteration.run
    const about = { step: call.name, args: call.args }
    await hooks.tell('before-tool', about)
    const result = await tools.call(call.name, call.args, context)
    await hooks.tell('after-tool', { ...about, result })
    const outputBytes = result.spilled?.bytes ?? sizeOf(result.output)
    const { ok, error } = result
    const code = error?.slice(0, argsCharsMax)
    note({ ok, outputBytes, ...defined({ error: code }) })
    return result
  } catch (error) {
    const code = error instanceof FaultError ? error.fault.code : 'tool-failed'
    note({ ok: false, error: code, outputBytes: 0 })
    throw error
  }
}

/** Where a step has several agents at work: whose notes these are, and what all of them have used. */
export interface AgentInStep {
  readonly role?: string
  readonly used?: { notes: number; calls: number }
}

/** An agent is told of failures as data, and may go on. */
export function agentContext(
  branch: Branch,
  step: StepId,
  context: StepContext,
  { role, used = { notes: 0, calls: 0 } }: AgentInStep = {},
): AgentContext {
  const { ports, recorder } = branch.iteration.run
  const base = toolContext(branch, context)
  const by = { step, ...defined({ role }) }
  return {
    ...base,
    step,
    remaining: () => remaining(recorder.state),
    tools: async () => (await ports.tools?.list?.()) ?? [],
    async callTool(name, args) {
      const { tools } = ports
      if (tools === undefined) return failure('unknown-tool', `There is no tool "${name}".`)
      if (++used.calls > callsMax) {
        return failure('too-many-calls', `${callsMax} calls were made in this step; report now.`)
      }
      try {
        return await callTool(branch, by, tools, { name, args: toJson(args) }, base)
      } catch (error) {
        const isOurs = error instanceof Interruption || isInfrastructure(error)
        if (isOurs || context.signal.aborted) throw error
        const code = error instanceof FaultError ? error.fault.code : 'tool-failed'
        return failure(code, textOf(error))
      }
    },
    note(note) {
      if (++used.notes <= notesMax) record(branch, by, bounded(note))
    },
    async keepExchange({ content, ...exchange }) {
      const { blob, bytes } = await ports.blobs.put(content)
      const { attempt } = context
      record(branch, by, bounded({ type: 'exchanged', attempt, ...exchange, blob, bytes }), [blob])
    },
    async keepPrompt(prompt) {
      const { blob, bytes } = await ports.blobs.put(prompt)
      record(branch, by, { type: 'prompted', blob, bytes }, [blob])
    },
  }
}

type By = Pick<StepNoted, 'step' | 'role'>

function record(branch: Branch, by: By, note: StepNote, blobs: readonly BlobId[] = []): void {
  const { number, run } = branch.iteration
  run.recorder.note([{ type: 'step-noted', iteration: number, ...by, note }], { blobs })
}

const failure = (error: string, output: string): ToolResult => ({ ok: false, error, output })

/** Texts of agents are as long as they like. */
function bounded<T extends StepNote>(note: T): T {
  const entries = Object.entries(note).map(([key, value]) => [
    key,
    typeof value === 'string' ? plainOutput(value).slice(0, noteCharsMax) : value,
  ])
  return Object.fromEntries(entries) as T
}

function shortened(value: Json, charsMax: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
}

const sizeOf = (output: Json): number =>
  Buffer.byteLength(typeof output === 'string' ? output : JSON.stringify(output ?? null))
