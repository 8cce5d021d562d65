/**
 * Runs a program through `Iteration`, as a loop's author would write it. Besides, it tells a visit
 * what the loop's code saw, so that somebody can check it.
 */

import {
  captureProgress,
  defined,
  FaultError,
  type Iteration,
  type Json,
  type StepContext,
  type StepOptions,
} from '#src/loop/index.ts'
import {
  type Act,
  type Ask,
  digest,
  type Gather,
  type Guard,
  type Leaf,
  mix,
  type Program,
  type ProgramNode,
  type When,
  type Work,
} from './program.ts'

/** One trip of one process through an iteration, as its loop's code lives it. */
export interface Visit {
  /** The code asks for a step; what it does depends on `input`. */
  asked(step: string, input: number): void
  /** The code is given the step's result, or its fault. */
  handed(step: string): void
  /** The code was stopped, and may swallow that: what it does from now on means nothing. */
  lost(): void
  /** Does the work of a step. */
  work(work: Work, step: string, input: number, context: StepContext): Promise<Json | undefined>
}

export interface ProgramResult {
  readonly value: number
  readonly iteration: number
}

export interface ProgramContext {
  readonly input: Program['input']
  readonly previous: ProgramProgress | undefined
}

export interface ProgramProgress {
  readonly total: number
  readonly history: readonly Json[]
}

/** Where in the tree of branches the code is. */
interface Place {
  readonly it: Iteration
  readonly visit: Visit
  readonly path: string
  readonly counts: Map<string, number>
  readonly shared: { order: number }
  parallels: number
}

export async function runProgram(
  program: Program,
  context: ProgramContext,
  it: Iteration,
  visit: Visit,
): Promise<ProgramResult> {
  const place = { it, visit, path: '', counts: new Map(), shared: { order: 0 }, parallels: 0 }
  const start = mix(context.input.start, digest(context.previous))
  return { value: await run(program.body, place, start), iteration: it.number }
}

export function nextProgress(
  kind: Program['progress'],
  result: ProgramResult,
  previous: ProgramProgress | undefined,
): ProgramProgress {
  const total = mix(previous?.total ?? 0, result.value) % 1000
  const history = previous?.history ?? []
  switch (kind) {
    case 'constant':
      return previous ?? { total, history }
    case 'changing':
      return { total, history: [...history, result.value].slice(-3) }
    case 'growing':
      return { total, history: [...history, { iteration: result.iteration, total }] }
    case 'captured': {
      const entries = history as { iteration: number; text: string }[]
      const entry = { iteration: result.iteration, text: String(result.value).repeat(60) }
      const captured = captureProgress({ entries }, entry, { entriesMax: 2, charsMax: 100 })
      return { total, history: captured.entries.map((one) => ({ ...one })) }
    }
  }
}

async function run(node: ProgramNode, place: Place, value: number): Promise<number> {
  switch (node.type) {
    case 'sequence': {
      let result = value
      for (const part of node.nodes) result = await run(part, place, result)
      return result
    }
    case 'parallel':
      return parallel(node.branches, place, value)
    case 'gather':
      return gather(node, place, value)
    case 'guard':
      return guard(node, place, value)
    case 'when':
      return run(choose(node, place, value), place, value)
    default:
      return mix(value, digest(await leaf(node, place, value)))
  }
}

const choose = (node: When, place: Place, value: number): ProgramNode =>
  (node.by === 'shared' ? place.shared.order : value) % 2 === 0 ? node.even : node.odd

async function parallel(
  branches: readonly ProgramNode[],
  place: Place,
  value: number,
): Promise<number> {
  const index = place.parallels++
  const named = branches.map((branch, number): [string, (it: Iteration) => Promise<number>] => {
    const path = `${place.path}${index}.b${number}/`
    const inside = (it: Iteration): Place => ({
      ...place,
      it,
      path,
      counts: new Map(),
      parallels: 0,
    })
    return [`b${number}`, (it) => run(branch, inside(it), mix(value, number))]
  })
  return digest(await place.it.parallel(Object.fromEntries(named)))
}

async function gather(node: Gather, place: Place, value: number): Promise<number> {
  const parts = node.nodes.map((one, index) => run(one, place, mix(value, index)))
  if (node.wait === 'all') return digest(await Promise.all(parts))
  const ends = await Promise.allSettled(parts)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return digest(ends.map((end) => (end.status === 'fulfilled' ? end.value : 0)))
}

async function guard(node: Guard, place: Place, value: number): Promise<number> {
  try {
    return await run(node.node, place, value)
  } catch (error) {
    if (error instanceof FaultError) return mix(value, digest(error.fault.code))
    if (node.catches === 'faults') throw error
    return mix(value, 1)
  }
}

async function leaf(node: Leaf, place: Place, value: number): Promise<unknown> {
  const { it } = place
  switch (node.type) {
    case 'work':
      return work(node, place, value)
    case 'sleep':
      return follow(place, `sleep:${node.name}`, value, () => it.sleep(node.name, node.ms))
    case 'ask':
      return ask(node, place, value)
    case 'act':
      return act(node, place, value)
    case 'check': {
      const [result] = await follow(place, `check:${node.name}`, value, () => it.check([node.name]))
      return result?.status
    }
    case 'artifact': {
      const content = `${value}`.padEnd(node.chars, 'x')
      return follow(place, `artifact:${node.name}`, value, () => it.artifact(node.name, content))
    }
    case 'fail': {
      if (node.iteration !== undefined && node.iteration !== it.number) return 0
      const message = `the loop's own ${node.kind}`
      if (node.kind === 'bug') throw new TypeError(message)
      throw new FaultError({ code: 'loop', message, retryable: false })
    }
  }
}

async function work(node: Work, place: Place, value: number): Promise<unknown> {
  const { it, visit } = place
  const input = node.usesShared ? mix(value, place.shared.order) : value
  const prefix = node.via === 'step' ? '' : `${node.via}:`
  const options = optionsOf(node)
  return follow<unknown>(place, `${prefix}${node.name}`, input, (step) => {
    if (node.via === 'step') {
      return it.step(node.name, (context) => visit.work(node, step, input, context), options)
    }
    const settings = { node: node as unknown as Json, step, input }
    if (node.via === 'tool') return it.tool(node.name, settings, options)
    return it.agent(node.name, { prompt: `work in ${it.number}`, settings }, options)
  })
}

function optionsOf(node: Work): StepOptions {
  const { readOnly, timeoutMs, attempts, reserve } = node
  return {
    readOnly,
    ...defined({ timeoutMs }),
    ...(attempts === undefined ? {} : { retry: { attempts } }),
    ...defined({ reserve }),
  }
}

async function ask(node: Ask, place: Place, value: number): Promise<string> {
  const { name, options, deadlineMs } = node
  const question = { text: `Which way, ${value}?`, options, default: 'a', deadlineMs }
  return (await follow(place, `ask:${name}`, value, () => place.it.ask(name, question))).answer
}

/** An action is several steps; they are looked at in the journal. */
async function act(node: Act, place: Place, value: number): Promise<string> {
  const details = { node: node as unknown as Json, value }
  const action = { kind: node.kind, summary: `do ${node.kind}`, details }
  const receipt = await unlessStopped(place.visit, place.it.act(action))
  return receipt.status
}

async function follow<T>(
  place: Place,
  name: string,
  input: number,
  call: (step: string) => Promise<T>,
): Promise<T> {
  const { visit, counts, shared, path } = place
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  const step = `${path}${name}#${count}`
  visit.asked(step, input)
  const noteOrder = (): void => {
    visit.handed(step)
    shared.order = mix(shared.order, digest(step))
  }
  const result = await unlessStopped(visit, call(step), noteOrder)
  noteOrder()
  return result
}

/** From the moment at which the code is stopped, what it does means nothing. */
async function unlessStopped<T>(
  visit: Visit,
  call: Promise<T>,
  onFault: () => void = () => undefined,
): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (error instanceof FaultError) onFault()
    else visit.lost()
    throw error
  }
}
