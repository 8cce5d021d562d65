/** Types and schemas of what a loop's process sends: its requests and the description of its loop file. */

import { z } from 'zod'
import { type Hook, hookPoints } from '../../engine/index.ts'
import {
  type Action,
  type ActOptions,
  type AgentNote,
  type AgentTask,
  type Amount,
  type BlobId,
  type IterationWorkspace,
  type Json,
  type JudgeOptions,
  LoopError,
  type Question,
  type StepId,
  type StepNote,
  type StepOptions,
  type ToolDescription,
} from '../../loop/index.ts'
import type { CommandTask } from '../../loop/step/command-task.ts'
import { stepNoteSchema } from '../../protocol/index.ts'

/** One request of a loop to its iteration. `code` names a function in the loop's process. */
export type Op =
  | {
      readonly type: 'step'
      readonly name: string
      readonly options: StepOptions
      readonly code: string
    }
  | { readonly type: 'parallel'; readonly branches: readonly string[]; readonly code: string }
  | {
      readonly type: 'agent'
      readonly role: string
      readonly task: AgentTask
      readonly options: StepOptions
    }
  | {
      readonly type: 'tool'
      readonly name: string
      readonly args: Json
      readonly options: StepOptions
    }
  | {
      readonly type: 'command'
      readonly name: string
      readonly task: CommandTask
      readonly options: StepOptions
    }
  | { readonly type: 'check'; readonly names?: readonly string[] }
  | { readonly type: 'ask'; readonly name: string; readonly question: Question }
  | { readonly type: 'act'; readonly action: Action; readonly options: ActOptions }
  | { readonly type: 'judge'; readonly action: Action; readonly options: JudgeOptions }
  | { readonly type: 'certify'; readonly names?: readonly string[] }
  | { readonly type: 'sleep'; readonly name: string; readonly ms: number }
  | { readonly type: 'artifact'; readonly name: string; readonly content: SentContent }
  | { readonly type: 'workspace'; readonly call: WorkspaceCall; readonly args: readonly string[] }
  | { readonly type: 'guidance' }

/** The methods of an iteration's workspace. */
export type WorkspaceCall = Exclude<keyof IterationWorkspace, 'path' | 'tree'>

/** Text, base64, or the name of a function in the loop's process that returns pieces. */
export type SentContent =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly pieces: string }

/** The content of a loop file, with names instead of functions. */
export interface LoopDescription {
  /** All data, in the format of a YAML loop file. */
  readonly settings: { readonly [key: string]: Json }
  readonly env: readonly string[]
  readonly loop?: { readonly name: string; readonly until: readonly Json[] }
  readonly hasAgent: boolean
  readonly tools: readonly DescribedTool[]
  /** Checks in code; the others are in the settings. */
  readonly checks: readonly string[]
  readonly hooks: readonly DescribedHook[]
  readonly hasGate: boolean
  readonly hasActions: boolean
}

export interface DescribedTool extends ToolDescription {
  readonly timeoutMs?: number
  readonly outputCharsMax?: number
}

export type DescribedHook = Required<Omit<Hook, 'run'>>

/** The outcome of an iteration. The result itself stays in the loop's process. */
export interface IterationSummary {
  readonly progress?: Json
  /** For each condition in code: whether it is met, or what it threw. */
  readonly met: { readonly [code: string]: boolean | { readonly error: Json } }
}

const text = z.string()
/** The engine validates names, amounts and times; only their types are checked here. */
const amount: z.ZodType<Amount> = z.object({
  tokens: z.number(),
  costMicros: z.number(),
  outputTokens: z.number().exactOptional(),
})
const json: z.ZodType<Json> = z.unknown().transform((value) => value as Json)
const jsonObject = z.record(text, json)

const options: z.ZodType<StepOptions> = z.object({
  timeoutMs: z.number().exactOptional(),
  retry: z
    .object({
      attempts: z.number().exactOptional(),
      firstDelayMs: z.number().exactOptional(),
      factor: z.number().exactOptional(),
      delayMsMax: z.number().exactOptional(),
    })
    .exactOptional(),
  reserve: amount.exactOptional(),
  readOnly: z.boolean().exactOptional(),
  tools: z
    .object({
      only: z.array(text).exactOptional(),
      deny: z.array(text).exactOptional(),
      allow: z.array(text).exactOptional(),
      risks: z.array(z.enum(['read-only', 'idempotent', 'network', 'destructive'])).exactOptional(),
    })
    .exactOptional(),
  role: z.string().max(200).exactOptional(),
})

const task = z.object({
  prompt: text,
  basis: text.exactOptional(),
  settings: jsonObject.exactOptional(),
})
const questionEvidence = z.object({ happened: z.array(text) })
const commandFile = z.union([
  z.object({ text }),
  z.object({ blob: text.transform((blob) => blob as BlobId) }),
  z.object({ from: text }),
])
const command: z.ZodType<CommandTask> = z.object({
  command: text,
  env: z.record(text, text).exactOptional(),
  cwd: text.exactOptional(),
  files: z.record(text, commandFile).exactOptional(),
  without: z.array(text).max(100_000).exactOptional(),
  shared: z.record(text, commandFile).exactOptional(),
  concurrency: z.number().exactOptional(),
  prepare: z.object({ command: text, timeoutMs: z.number() }).exactOptional(),
  output: text.exactOptional(),
  timeoutMs: z.number().exactOptional(),
  streamBytesMax: z.number().exactOptional(),
  repeat: z.number().exactOptional(),
  reuse: z.boolean().exactOptional(),
})
const question = z.object({
  text,
  options: z.array(text).exactOptional(),
  default: text,
  deadlineMs: z.number().exactOptional(),
  kinds: z
    .object({
      accept: text.exactOptional(),
      reject: text.exactOptional(),
      respond: text.exactOptional(),
      edit: z.object({ option: text, value: json }).exactOptional(),
    })
    .exactOptional(),
  evidence: questionEvidence.exactOptional(),
})
const action = z.object({ kind: text, summary: text, details: json.exactOptional() })
/** Only its step counts: the engine kept what its gate decided. */
const judged = z.object({
  type: z.enum(['allow', 'deny', 'ask']),
  step: text.transform((step) => step as StepId),
})
const content = z.union([
  z.object({ text }),
  z.object({ base64: text }),
  z.object({ pieces: text }),
])
const names = z.array(text).max(100_000)

const op: z.ZodType<Op> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step'), name: text, options, code: text }),
  z.object({ type: z.literal('parallel'), branches: names, code: text }),
  z.object({ type: z.literal('agent'), role: text, task, options }),
  z.object({ type: z.literal('tool'), name: text, args: json, options }),
  z.object({ type: z.literal('command'), name: text, task: command, options }),
  z.object({ type: z.literal('check'), names: names.exactOptional() }),
  z.object({ type: z.literal('ask'), name: text, question }),
  z.object({
    type: z.literal('act'),
    action,
    options: z.object({
      judged: judged.exactOptional(),
      ask: text.exactOptional(),
      about: text.exactOptional(),
      evidence: questionEvidence.exactOptional(),
      deadlineMs: z.number().exactOptional(),
    }),
  }),
  z.object({
    type: z.literal('judge'),
    action,
    options: z.object({ checked: z.boolean().exactOptional() }),
  }),
  z.object({ type: z.literal('certify'), names: names.exactOptional() }),
  z.object({ type: z.literal('sleep'), name: text, ms: z.number() }),
  z.object({ type: z.literal('artifact'), name: text, content }),
  z.object({
    type: z.literal('workspace'),
    call: z.enum(['changedSince', 'patchSince', 'read', 'write', 'restore', 'git']),
    args: z.array(text).max(2),
  }),
  z.object({ type: z.literal('guidance') }),
])
export const opSchema: z.ZodType<{ readonly it: number; readonly op: Op }> = z.object({
  it: z.int(),
  op,
})

interface ContextReference {
  readonly context: number
}
type Sent<T> = z.ZodType<ContextReference & T>

const context = z.int()
export const reserveSchema: Sent<{ readonly worst: Amount }> = z.object({ context, worst: amount })
export const settleSchema: Sent<{ readonly reservation: number; readonly spent: Amount }> =
  z.object({ context, reservation: z.int(), spent: amount })
export const toolsSchema: Sent<unknown> = z.object({ context })
export const callToolSchema: Sent<{ readonly name: string; readonly args: Json }> = z.object({
  context,
  name: text,
  args: json,
})
export const spendSchema: Sent<{ readonly amount: Amount }> = z.object({ context, amount })
const isAgentNote = (note: StepNote): note is AgentNote =>
  note.type !== 'tool-called' && note.type !== 'exchanged' && note.type !== 'prompted'
/** Only the engine notes calls of tools and models. */
export const noteSchema: Sent<{ readonly note: AgentNote }> = z.object({
  context,
  note: stepNoteSchema.refine(isAgentNote),
})

export const loopDescriptionSchema: z.ZodType<LoopDescription> = z.object({
  settings: jsonObject,
  env: z.array(text).max(100),
  loop: z.object({ name: text, until: z.array(json).max(1000) }).exactOptional(),
  hasAgent: z.boolean(),
  tools: z
    .array(
      z.object({
        name: text,
        description: text,
        parameters: jsonObject,
        risk: z.enum(['read-only', 'idempotent', 'network', 'destructive']),
        timeoutMs: z.number().exactOptional(),
        outputCharsMax: z.number().exactOptional(),
      }),
    )
    .max(1000),
  checks: z.array(text).max(1000),
  hooks: z
    .array(z.object({ name: text, points: z.array(z.enum(hookPoints)), blocking: z.boolean() }))
    .max(100),
  hasGate: z.boolean(),
  hasActions: z.boolean(),
})

export const iterationSummarySchema: z.ZodType<IterationSummary> = z.object({
  progress: json.exactOptional(),
  met: z.record(text, z.union([z.boolean(), z.object({ error: json })])),
})

export function parseSent<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  const path = issue?.path.join('.') ?? ''
  const where = path === '' ? '' : ` (${path})`
  throw new LoopError(
    'bad-request',
    `${what}${where}: ${issue?.message ?? 'it cannot be read'}. Correct the value.`,
  )
}
