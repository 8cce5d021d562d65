/**
 * Splits what a loop file exports: data is sent to the parent process, functions stay here under the names of
 * their keys. Reports all problems at once, by key.
 */

import { z } from 'zod'
import { type AnyLoopType, hookPoints } from '../../../engine/index.ts'
import { type Json, LoopError, NotJsonError, textOf, toJson } from '../../../loop/index.ts'
import { parseCondition } from '../sent-condition.ts'
import type { LoopDescription } from '../wire.ts'
import { describeTools } from './describe-tools.ts'
import {
  callMethod,
  type Functions,
  isMethod,
  isPlainObject,
  type LoopFileFindings,
  type PlainObject,
} from './loop-file-findings.ts'

export interface Definition {
  readonly described: LoopDescription
  readonly functions: Functions
  readonly loop: AnyLoopType | undefined
  readonly conditions: readonly (readonly [
    string,
    (progress: unknown, result: unknown) => unknown,
  ])[]
}

export function describeLoop(exported: unknown, file: string): Definition {
  if (!isPlainObject(exported)) {
    const message = `${file}: the default export is not an object. Write: export default defineLoop({ … })`
    throw new LoopError('bad-loop-file', message)
  }
  const problems: string[] = []
  const findings: LoopFileFindings = {
    functions: new Map(),
    conditions: [],
    addProblem: (key, what) => void problems.push(`${key}: ${what}`),
  }
  const { loop, agent, tools, checks, hooks, gate, actions, env, ...data } = exported
  const described: LoopDescription = {
    ...describeType(loop, data, findings),
    ...describeHooks(hooks, findings),
    env: readEnvNames(env, findings),
    hasAgent: describeAgent(agent, findings),
    hasGate: describeObject('gate', gate, ['judge'], findings),
    hasActions: describeObject('actions', actions, ['perform', 'find'], findings),
    ...describeTools(tools, findings),
    checks: describeChecks(checks, findings),
    settings: {},
  }
  const code = new Set(described.checks)
  const raw = {
    ...data,
    ...(typeof loop === 'string' ? { loop } : {}),
    ...(agent === undefined ? {} : { agent: described.hasAgent ? silentAgent : agent }),
    ...(Array.isArray(tools) ? { tools: tools.map(toToolName) } : {}),
    ...(checks === undefined
      ? {}
      : { checks: isPlainObject(checks) ? withoutCode(checks, code) : checks }),
  }
  const settings: Record<string, Json> = {}
  for (const [key, value] of Object.entries(raw)) {
    const sent = toData(key, value, findings)
    if (sent !== undefined) settings[key] = sent
  }
  if (problems.length > 0) {
    throw new LoopError('bad-loop-file', problems.map((one) => `${file}: ${one}`).join('\n'))
  }
  const { functions, conditions } = findings
  const type = isPlainObject(loop) ? (loop as unknown as AnyLoopType) : undefined
  return { described: { ...described, settings }, functions, conditions, loop: type }
}

/** Valid placeholders that do nothing; the code replaces them. */
const silentAgent: Json = { script: [[{ say: '' }]] }
const neverMet: Json = { run: ['false'] }

const withoutCode = (checks: PlainObject, code: ReadonlySet<string>): PlainObject =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, code.has(name) ? neverMet : check]),
  )

const toToolName = (tool: unknown): unknown => (isPlainObject(tool) ? tool['name'] : tool)

function toData(key: string, value: unknown, { addProblem }: LoopFileFindings): Json | undefined {
  try {
    return value === undefined ? undefined : toJson(value)
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error
    const where = `${key}${error.path.slice(1)}`
    addProblem(where, `${error.message.slice(error.path.length + 1)}. Only data is allowed here.`)
    return undefined
  }
}

/** Keys of the built-in loop type. */
const plainKeys = ['prompt', 'until', 'context', 'progress'] as const

const describeUnusedKey = (key: string): string =>
  `the loop type of this file does not use it. ${key === 'until' ? 'Put it into loop.' : 'Remove it.'}`

function describeType(
  loop: unknown,
  data: PlainObject,
  findings: LoopFileFindings,
): Pick<LoopDescription, 'loop'> {
  if (loop === undefined || typeof loop === 'string') return {}
  if (!isPlainObject(loop)) {
    findings.addProblem('loop', 'give a loop type, or the name of one')
    return {}
  }
  if (typeof loop['name'] !== 'string' || loop['name'] === '') {
    findings.addProblem('loop.name', 'give it as text')
  }
  for (const name of ['createContext', 'iterate', 'extractProgress']) {
    if (!isMethod(loop, name)) findings.addProblem(`loop.${name}`, 'give a function')
  }
  const until = loop['until'] ?? []
  if (!Array.isArray(until)) findings.addProblem('loop.until', 'give a list of conditions')
  const list = Array.isArray(until) ? until : []
  const sent = list.map((one, index) => describeCondition(one, `loop.until[${index}]`, findings))
  for (const key of plainKeys) {
    if (data[key] !== undefined) findings.addProblem(key, describeUnusedKey(key))
  }
  return { loop: { name: String(loop['name']), until: sent } }
}

function describeCondition(condition: unknown, path: string, findings: LoopFileFindings): Json {
  if (!isPlainObject(condition) || typeof condition['type'] !== 'string') {
    findings.addProblem(path, 'give a condition with its type')
    return null
  }
  const { met, of, ...data } = condition
  if (Array.isArray(of)) {
    const parts = of.map((one, at) => describeCondition(one, `${path}.of[${at}]`, findings))
    return { ...(toData(path, data, findings) as object), of: parts }
  }
  const sent = toData(path, data, findings) as { readonly [key: string]: Json }
  if (condition['type'] !== 'custom') return requireCondition(sent, path, findings)
  if (typeof met !== 'function') findings.addProblem(`${path}.met`, 'give a function')
  if (typeof condition['name'] !== 'string') findings.addProblem(`${path}.name`, 'give it as text')
  findings.conditions.push([path, (...made) => callMethod(condition, 'met', made)])
  return { ...sent, code: path }
}

function requireCondition(sent: Json, path: string, { addProblem }: LoopFileFindings): Json {
  try {
    parseCondition(sent)
  } catch (error) {
    addProblem(path, textOf(error))
  }
  return sent
}

function describeAgent(agent: unknown, findings: LoopFileFindings): boolean {
  if (!isMethod(agent, 'work')) {
    if (agent !== undefined && typeof agent !== 'string' && !isPlainObject(agent))
      findings.addProblem('agent', 'give an agent')
    return false
  }
  findings.functions.set('agent.work', ([task], context) =>
    callMethod(agent, 'work', [task, context]),
  )
  return true
}

function describeObject(
  key: string,
  value: unknown,
  methods: readonly string[],
  { functions, addProblem }: LoopFileFindings,
): boolean {
  if (value === undefined) return false
  for (const name of methods) {
    if (!isMethod(value, name)) addProblem(`${key}.${name}`, 'give a function')
    functions.set(`${key}.${name}`, (args, context) => callMethod(value, name, [...args, context]))
  }
  return true
}

function describeChecks(checks: unknown, { functions, addProblem }: LoopFileFindings): string[] {
  // A list contains only data.
  if (checks === undefined || Array.isArray(checks)) return []
  if (!isPlainObject(checks)) {
    addProblem('checks', 'give an object: names, and a function or a command for each')
    return []
  }
  const code = Object.entries(checks).filter(([, check]) => typeof check === 'function')
  for (const [name] of code) {
    functions.set(`checks.${name}`, (_args, context) => callMethod(checks, name, [context]))
  }
  return code.map(([name]) => name)
}

const hookSchema = z.object({
  name: z.string(),
  points: z.array(z.enum(hookPoints)).min(1),
  blocking: z.boolean().optional(),
  run: z.function(),
})

function describeHooks(
  hooks: unknown,
  { functions, addProblem }: LoopFileFindings,
): Pick<LoopDescription, 'hooks'> {
  if (hooks === undefined) return { hooks: [] }
  if (!Array.isArray(hooks)) {
    addProblem('hooks', 'give a list of hooks')
    return { hooks: [] }
  }
  return {
    hooks: hooks.flatMap((hook: unknown, index) => {
      const { data, error } = hookSchema.safeParse(hook)
      for (const issue of error?.issues ?? []) {
        addProblem([`hooks[${index}]`, ...issue.path].join('.'), issue.message)
      }
      if (data === undefined) return []
      functions.set(`hooks.${index}`, async ([context]) => {
        await callMethod(hook, 'run', [context])
      })
      const { name, points, blocking = false } = data
      return [{ name, points, blocking }]
    }),
  }
}

function readEnvNames(env: unknown, { addProblem }: LoopFileFindings): string[] {
  const { data } = z.array(z.string().regex(/^[A-Za-z_]\w*$/)).safeParse(env ?? [])
  if (data === undefined) addProblem('env', 'give a list of names of variables')
  return data ?? []
}
