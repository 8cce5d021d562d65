/**
 * What a loop file exports, taken apart: data is sent to our process, functions stay here under the
 * names of their places. Everything wrong is said at once, each by its key.
 */

import { z } from 'zod'
import { type AnyLoopType, hookPoints } from '../../../engine/index.ts'
import { type Json, LoopError, NotJsonError, textOf, toJson } from '../../../loop/index.ts'
import { parseCondition } from '../sent-condition.ts'
import type { Described } from '../wire.ts'
import { describeTools } from './describe-tools.ts'
import {
  callMethod,
  type Findings,
  type Functions,
  isMethod,
  isParts,
  type Parts,
} from './findings.ts'

export interface Definition {
  readonly described: Described
  readonly functions: Functions
  readonly loop: AnyLoopType | undefined
  readonly conditions: readonly (readonly [
    string,
    (progress: unknown, result: unknown) => unknown,
  ])[]
}

export function describeLoop(exported: unknown, file: string): Definition {
  if (!isParts(exported)) {
    const message = `${file}: the default export is no object. Write: export default defineLoop({ … })`
    throw new LoopError('bad-loop-file', message)
  }
  const problems: string[] = []
  const findings: Findings = {
    functions: new Map(),
    conditions: [],
    wrong: (key, what) => void problems.push(`${key}: ${what}`),
  }
  const { loop, agent, tools, checks, hooks, gate, actions, env, ...data } = exported
  const described: Described = {
    ...describeType(loop, data, findings),
    ...describeHooks(hooks, findings),
    env: namesIn(env, findings),
    hasAgent: describeAgent(agent, findings),
    hasGate: describeObject('gate', gate, ['judge'], findings),
    hasActions: describeObject('actions', actions, ['perform', 'find'], findings),
    ...describeTools(tools, findings),
    checks: describeChecks(checks, findings),
    settings: {},
  }
  const code = new Set(described.checks)
  const written = {
    ...data,
    ...(typeof loop === 'string' ? { loop } : {}),
    ...(agent === undefined ? {} : { agent: described.hasAgent ? silentAgent : agent }),
    ...(Array.isArray(tools) ? { tools: tools.map(nameOf) } : {}),
    ...(checks === undefined
      ? {}
      : { checks: isParts(checks) ? withoutCode(checks, code) : checks }),
  }
  const settings: Record<string, Json> = {}
  for (const [key, value] of Object.entries(written)) {
    const sent = asData(key, value, findings)
    if (sent !== undefined) settings[key] = sent
  }
  if (problems.length > 0) {
    throw new LoopError('bad-loop-file', problems.map((one) => `${file}: ${one}`).join('\n'))
  }
  const { functions, conditions } = findings
  const type = isParts(loop) ? (loop as unknown as AnyLoopType) : undefined
  return { described: { ...described, settings }, functions, conditions, loop: type }
}

/** They fit and do nothing; the code is put over them. */
const silentAgent: Json = { script: [[{ say: '' }]] }
const neverMet: Json = { run: ['false'] }

const withoutCode = (checks: Parts, code: ReadonlySet<string>): Parts =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, code.has(name) ? neverMet : check]),
  )

const nameOf = (tool: unknown): unknown => (isParts(tool) ? tool['name'] : tool)

function asData(key: string, value: unknown, { wrong }: Findings): Json | undefined {
  try {
    return value === undefined ? undefined : toJson(value)
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error
    const where = `${key}${error.path.slice(1)}`
    wrong(where, `${error.message.slice(error.path.length + 1)}. Only data can stand here.`)
    return undefined
  }
}

/** Keys of the built-in loop type. */
const ofPlain = ['prompt', 'until', 'context', 'progress'] as const

const unusedBy = (key: string): string =>
  `the loop type of this file would not see it. ${key === 'until' ? 'Put it into loop.' : 'Leave it out.'}`

function describeType(loop: unknown, data: Parts, findings: Findings): Pick<Described, 'loop'> {
  if (loop === undefined || typeof loop === 'string') return {}
  if (!isParts(loop)) {
    findings.wrong('loop', 'give a loop type, or the name of one')
    return {}
  }
  if (typeof loop['name'] !== 'string' || loop['name'] === '') {
    findings.wrong('loop.name', 'give it as text')
  }
  for (const name of ['createContext', 'iterate', 'extractProgress']) {
    if (!isMethod(loop, name)) findings.wrong(`loop.${name}`, 'give a function')
  }
  const until = loop['until'] ?? []
  if (!Array.isArray(until)) findings.wrong('loop.until', 'give a list of conditions')
  const list = Array.isArray(until) ? until : []
  const sent = list.map((one, index) => describeCondition(one, `loop.until[${index}]`, findings))
  for (const key of ofPlain) {
    if (data[key] !== undefined) findings.wrong(key, unusedBy(key))
  }
  return { loop: { name: String(loop['name']), until: sent } }
}

function describeCondition(condition: unknown, place: string, findings: Findings): Json {
  if (!isParts(condition) || typeof condition['type'] !== 'string') {
    findings.wrong(place, 'give a condition with its type')
    return null
  }
  const { met, of, ...data } = condition
  if (Array.isArray(of)) {
    const parts = of.map((one, at) => describeCondition(one, `${place}.of[${at}]`, findings))
    return { ...(asData(place, data, findings) as object), of: parts }
  }
  const sent = asData(place, data, findings) as { readonly [key: string]: Json }
  if (condition['type'] !== 'custom') return requireCondition(sent, place, findings)
  if (typeof met !== 'function') findings.wrong(`${place}.met`, 'give a function')
  if (typeof condition['name'] !== 'string') findings.wrong(`${place}.name`, 'give it as text')
  findings.conditions.push([place, (...made) => callMethod(condition, 'met', made)])
  return { ...sent, code: place }
}

function requireCondition(sent: Json, place: string, { wrong }: Findings): Json {
  try {
    parseCondition(sent)
  } catch (error) {
    wrong(place, textOf(error))
  }
  return sent
}

function describeAgent(agent: unknown, findings: Findings): boolean {
  if (!isMethod(agent, 'work')) {
    if (agent !== undefined && typeof agent !== 'string' && !isParts(agent))
      findings.wrong('agent', 'give an agent')
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
  { functions, wrong }: Findings,
): boolean {
  if (value === undefined) return false
  for (const name of methods) {
    if (!isMethod(value, name)) wrong(`${key}.${name}`, 'give a function')
    functions.set(`${key}.${name}`, (args, context) => callMethod(value, name, [...args, context]))
  }
  return true
}

function describeChecks(checks: unknown, { functions, wrong }: Findings): string[] {
  // A list has only data.
  if (checks === undefined || Array.isArray(checks)) return []
  if (!isParts(checks)) {
    wrong('checks', 'give an object: names, and a function or a command for each')
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

function describeHooks(hooks: unknown, { functions, wrong }: Findings): Pick<Described, 'hooks'> {
  if (hooks === undefined) return { hooks: [] }
  if (!Array.isArray(hooks)) {
    wrong('hooks', 'give a list of hooks')
    return { hooks: [] }
  }
  return {
    hooks: hooks.flatMap((hook: unknown, index) => {
      const { data, error } = hookSchema.safeParse(hook)
      for (const issue of error?.issues ?? []) {
        wrong([`hooks[${index}]`, ...issue.path].join('.'), issue.message)
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

function namesIn(env: unknown, { wrong }: Findings): string[] {
  const { data } = z.array(z.string().regex(/^[A-Za-z_]\w*$/)).safeParse(env ?? [])
  if (data === undefined) wrong('env', 'give a list of names of variables')
  return data ?? []
}
