/**
 * The parts of a run that a loop file defines in code: its agent, tools, checks, hooks, gate and actions.
 * Each function is identified by its key in the file, and its return value is validated.
 */

import { z } from 'zod'
import type { Agent } from '../../agents/index.ts'
import type { ActionLookup, Actions, Check, Gate, Hook, Verdict } from '../../engine/index.ts'
import {
  type AgentReport,
  defined,
  FaultError,
  type Json,
  type Receipt,
  toJson,
} from '../../loop/index.ts'
import type { Tool, ToolArgs } from '../../tools/index.ts'
import type { LentContext } from './contexts.ts'
import type { Session } from './session.ts'

export interface CodeParts {
  readonly agent?: Agent
  readonly tools: readonly Tool[]
  /** By name; checks that are commands are in the settings. */
  readonly checks: Readonly<Record<string, Check>>
  readonly hooks: readonly Hook[]
  readonly gate?: Gate
  readonly actions?: Actions
}

const count = z.int().nonnegative()
const text = z.string()
const json = z.unknown().transform((value) => value as Json)

const reportSchema: z.ZodType<AgentReport> = z.object({
  status: z.enum(['done', 'done-with-concerns', 'blocked', 'needs-context', 'failed']),
  text,
  usage: z.object({ tokens: count, costMicros: count, outputTokens: count.exactOptional() }),
  turns: count,
})
const checkSchema: z.ZodType<Awaited<ReturnType<Check>>> = z.object({
  status: z.enum(['met', 'not-met', 'error', 'timeout', 'skipped']),
  output: text,
  exitCode: z.int().exactOptional(),
})
const verdictSchema: z.ZodType<Verdict> = z.union([
  z.object({ type: z.literal('allow'), rule: text.exactOptional() }),
  z.object({ type: z.enum(['deny', 'ask']), reason: text, rule: text.exactOptional() }),
])
const receiptSchema: z.ZodType<Receipt> = z.object({
  status: z.enum(['done', 'refused', 'skipped']),
  summary: text,
  details: json.exactOptional(),
})
const foundSchema: z.ZodType<ActionLookup> = z.union([
  z.object({ type: z.literal('done'), receipt: receiptSchema }),
  z.object({ type: z.enum(['not-done', 'unknown']) }),
])

export function codeParts(session: Session): CodeParts {
  const { described } = session
  const run = async (
    code: string,
    args: readonly unknown[],
    context?: LentContext,
  ): Promise<Json | undefined> => {
    const sent = args.map(toJson)
    return (await session.connection()).run(code, sent, context)
  }
  const ask = async <T>(
    schema: z.ZodType<T>,
    code: string,
    args: readonly unknown[],
    context?: LentContext,
  ): Promise<T> => parseReturnValue(schema, await run(code, args, context), code)

  const agent: Agent = {
    work: (task, context) => ask(reportSchema, 'agent.work', [task], context),
  }
  const gate: Gate = {
    judge: async (action, at, facts) => ({
      rule: 'callback',
      ...(await ask(verdictSchema, 'gate.judge', [action, at, facts])),
    }),
  }
  const actions: Actions = {
    perform: (action, key, context) =>
      ask(receiptSchema, 'actions.perform', [action, key], context),
    find: (action, key, context) => ask(foundSchema, 'actions.find', [action, key], context),
  }
  return {
    ...(described.hasAgent ? { agent } : {}),
    ...(described.hasGate ? { gate } : {}),
    ...(described.hasActions ? { actions } : {}),
    tools: described.tools.map(({ timeoutMs, outputCharsMax, ...tool }) => ({
      ...tool,
      ...defined({ timeoutMs, outputCharsMax }),
      run: async (args: ToolArgs, context) =>
        (await run(`tools.${tool.name}`, [args], context)) ?? null,
    })),
    checks: Object.fromEntries(
      described.checks.map((name): [string, Check] => [
        name,
        (context) => ask(checkSchema, `checks.${name}`, [], context),
      ]),
    ),
    hooks: described.hooks.map(({ name, points, blocking }, index) => ({
      name,
      points,
      blocking,
      run: async (context) => void (await run(`hooks.${index}`, [withoutUndefined(context)])),
    })),
  }
}

/** A state may have keys with the value undefined. */
const withoutUndefined = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function parseReturnValue<T>(schema: z.ZodType<T>, value: unknown, code: string): T {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`
  const message = `${code} of the loop file returned an invalid value${where}: ${issue?.message}.`
  throw new FaultError({ code: 'bad-answer', message, retryable: false })
}
