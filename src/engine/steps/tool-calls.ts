/**
 * Tool calls, by the loop or by an agent: hooks are called, the call is noted, the metrics count it.
 * A call by the loop is a separate step; one by an agent is part of the agent's step.
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
  tooManyFiles,
} from '../../loop/index.ts'
import { Interruption } from '../interrupter.ts'
import { type Branch, isInfrastructure } from '../live-run.ts'
import { askPolicyAboutTool } from '../policy.ts'
import type { Tools } from '../ports.ts'
import type { FileGuard } from './file-guard.ts'
import { boundTodo } from './watch-todo.ts'

/** How many notes one step may record (E9). */
const notesMax = 5000
/** Each is recorded, so these are limited too. */
const callsMax = 10_000
const noteCharsMax = 500
const argsCharsMax = 200

export function toolContext(branch: Branch, context: StepContext): ToolContext {
  const { number, run } = branch.iteration
  return { ...context, iteration: number, workspace: run.ports.workspace?.path }
}

const deniedByPolicy = 'denied-by-policy'

/** Errors of a tool, and refusals of hooks, are thrown. A call that the policy denies is a result. */
export async function callTool(
  branch: Branch,
  by: By,
  tools: Tools,
  call: { readonly name: string; readonly args: Json },
  context: ToolContext,
): Promise<ToolResult> {
  const { number: iteration, run } = branch.iteration
  const { clock } = run.ports
  const beganMs = clock.now()
  const { step } = by
  const asker = by.agent ?? by.role
  const ruling = await askPolicyAboutTool(
    run,
    { iteration, step, ...defined({ agent: asker }) },
    tools,
    call.name,
  )
  const note = (part: { ok: boolean; error?: string; outputBytes: number }): void =>
    record(branch, by, {
      type: 'tool-called',
      tool: call.name.slice(0, argsCharsMax),
      args: shortened(call.args, argsCharsMax),
      durationMs: Math.max(0, clock.now() - beganMs),
      ...part,
      ...defined({ policy: ruling?.rules }),
    })
  if (ruling?.isDenied === true) {
    note({ ok: false, error: deniedByPolicy, outputBytes: 0 })
    const reason = ruling.reason ?? 'no rule permits it'
    return failure(deniedByPolicy, `The policy does not allow this call: ${reason}.`)
  }
  const file = by.guard === undefined ? undefined : tools.changes?.(call.name, call.args, context)
  const refusal = file === undefined ? undefined : await by.guard?.refuse(file)
  if (refusal !== undefined) {
    note({ ok: false, error: tooManyFiles, outputBytes: 0 })
    return failure(tooManyFiles, refusal)
  }
  try {
    const { hooks } = run
    const about = { step: call.name, args: call.args }
    await hooks.tell('before-tool', about)
    const result = await tools.call(call.name, call.args, context)
    await hooks.tell('after-tool', { ...about, result })
    const outputBytes = result.spilled?.bytes ?? sizeOf(result.output)
    const { ok, error } = result
    const code = error?.slice(0, argsCharsMax)
    note({ ok, outputBytes, ...defined({ error: code }) })
    if (ok && file !== undefined) by.guard?.changed(file)
    return result
  } catch (error) {
    const code = error instanceof FaultError ? error.fault.code : 'tool-failed'
    note({ ok: false, error: code, outputBytes: 0 })
    throw error
  }
}

export interface AgentInStep {
  /** The role of the agent that works: whose limits and rules apply. Default: `role`. */
  readonly agent?: string
  /** If several agents work in a step: whose notes these are, and what all of them have used together. */
  readonly role?: string
  readonly used?: { notes: number; calls: number }
  /** Refuses to change too many files. Absent: any number. */
  readonly guard?: FileGuard
}

/** An agent gets failures as data, and may continue. */
export function agentContext(
  branch: Branch,
  step: StepId,
  context: StepContext,
  { agent, role, used = { notes: 0, calls: 0 }, guard }: AgentInStep = {},
): AgentContext {
  const { ports, recorder } = branch.iteration.run
  const base = toolContext(branch, context)
  const by = { step, ...defined({ agent, role, guard }) }
  return {
    ...base,
    step,
    remaining: () => remaining(recorder.state, agent),
    tools: async () => (await ports.tools?.list?.()) ?? [],
    async callTool(name, args) {
      const { tools } = ports
      if (tools === undefined) return failure('unknown-tool', `There is no tool "${name}".`)
      if (++used.calls > callsMax) {
        return failure(
          'too-many-calls',
          `The limit of ${callsMax} calls in this step is reached. Report now.`,
        )
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

type By = Pick<StepNoted, 'step' | 'role'> & Pick<AgentInStep, 'agent' | 'guard'>

function record(
  branch: Branch,
  { step, role }: By,
  note: StepNote,
  blobs: readonly BlobId[] = [],
): void {
  const { number: iteration, run } = branch.iteration
  const noted = { type: 'step-noted', iteration, step, ...defined({ role }), note } as const
  run.recorder.note([noted], { blobs })
}

const failure = (error: string, output: string): ToolResult => ({ ok: false, error, output })

/** Texts of agents can be of any length. */
function bounded<T extends StepNote>(note: T): T {
  if (note.type === 'todo') return { ...note, ...boundTodo(note) }
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
