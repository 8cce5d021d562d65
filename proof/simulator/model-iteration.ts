/**
 * What an iteration must have come to, by the journal alone: the program is run once more, without the
 * engine, and is given the recorded results one by one, in the order in which they were recorded.
 */

import {
  type CheckResult,
  FaultError,
  type Iteration,
  type Json,
  type Receipt,
  type StepOptions,
  type Stored,
} from '#src/loop/index.ts'
import { settled } from '#src/testing/simulated-time.ts'
import type { Completion, Trip } from './log-model.ts'
import type { Program } from './program.ts'
import { nextProgress, type ProgramProgress, runProgram, type Visit } from './run-program.ts'

export type ModelEnd =
  | { readonly type: 'progress'; readonly progress: ProgramProgress }
  | { readonly type: 'thrown'; readonly error: unknown }
  /** A result was recorded that the program does not ask for, or asks for later. */
  | { readonly type: 'unasked'; readonly step: string }
  | { readonly type: 'waiting' }

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const silent: Omit<Visit, 'work'> = {
  asked: () => undefined,
  handed: () => undefined,
  lost: () => undefined,
}

export async function replayTrip(
  program: Program,
  trip: Trip,
  load: (stored: Stored | undefined) => Promise<Json | undefined>,
): Promise<ModelEnd> {
  const waiting = new Map<string, Waiting>()
  const previous = trip.previous as unknown as ProgramProgress | undefined
  const visit: Visit = {
    ...silent,
    work: () => Promise.reject(new Error('the model does not work')),
  }
  const it = modelIteration(trip.iteration, '', waiting)
  let end: ModelEnd = { type: 'waiting' }
  void runProgram(program, { input: program.input, previous }, it, visit).then(
    (result) => {
      end = { type: 'progress', progress: nextProgress(program.progress, result, previous) }
    },
    (error: unknown) => {
      end = { type: 'thrown', error }
    },
  )
  const recorded = [...trip.completions].toSorted(([, a], [, b]) => a.seq - b.seq)
  for (const [step, completion] of recorded) {
    await settled()
    const asker = waiting.get(step)
    if (asker === undefined && isOver(end) && isEngineStep(step)) {
      end = afterEngineStep(end, completion)
      continue
    }
    if (asker === undefined) return { type: 'unasked', step }
    await hand(asker, completion, load)
  }
  await settled()
  return end
}

/** What the engine asks for itself, once the program is over. */
const isEngineStep = (step: string): boolean => /^(check|certify|ask):/.test(step)

/** A step of the engine that fails, because a hook refused it for example, fails the iteration. */
const afterEngineStep = (end: ModelEnd, { event }: Completion): ModelEnd =>
  event.type === 'step-failed' ? { type: 'thrown', error: new FaultError(event.fault) } : end

const isOver = (end: ModelEnd): boolean => end.type === 'progress'

async function hand(
  asker: Waiting,
  { event }: Completion,
  load: (stored: Stored | undefined) => Promise<Json | undefined>,
): Promise<void> {
  if (event.type === 'step-failed') asker.reject(new FaultError(event.fault))
  else asker.resolve(await load(event.result))
}

function modelIteration(number: number, path: string, waiting: Map<string, Waiting>): Iteration {
  const counts = new Map<string, number>()
  let parallels = 0
  function wait<T>(name: string): Promise<T> {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return new Promise<unknown>((resolve, reject) => {
      waiting.set(`${path}${name}#${count}`, { resolve, reject })
    }) as Promise<T>
  }
  return {
    number,
    signal: new AbortController().signal,
    workspace: undefined,
    guidance: async () => [],
    budget: { remaining: () => ({ iterations: 0, tokens: 0, costMicros: 0, timeMs: 0 }) },
    step: (name: string, _run: unknown, _options?: StepOptions) => wait(name),
    agent: (role) => wait(`agent:${role}`),
    tool: (name) => wait(`tool:${name}`),
    check: async (names = []) =>
      Promise.all(names.map((name) => wait<CheckResult>(`check:${name}`))),
    ask: (name) => wait(`ask:${name}`),
    sleep: (name) => wait(`sleep:${name}`),
    command: (name) => wait(`command:${name}`),
    artifact: (name) => wait(`artifact:${name}`),
    act: (action) => modelAct(action.kind, wait),
    judge: (action) => wait(`gate:${action.kind}`),
    certify: () => wait('certify:certify'),
    async parallel(branches) {
      const index = parallels++
      const failures: unknown[] = []
      const entries = await Promise.all(
        Object.entries(branches).map(async ([name, work]): Promise<[string, unknown]> => {
          const inside = modelIteration(number, `${path}${index}.${name}/`, waiting)
          try {
            return [name, await work(inside)]
          } catch (error) {
            failures.push(error)
            return [name, undefined]
          }
        }),
      )
      if (failures.length > 0) throw failures[0]
      return Object.fromEntries(entries) as never
    },
  }
}

/** The steps that an action is made of: see ADR 7. */
async function modelAct(kind: string, wait: <T>(name: string) => Promise<T>): Promise<Receipt> {
  const { type } = await wait<{ type: string }>(`gate:${kind}`)
  if (type === 'deny') return { status: 'refused', summary: '' }
  if (type === 'ask') {
    const { answer } = await wait<{ answer: string }>(`ask:allow ${kind}`)
    if (answer !== 'allow') return { status: 'refused', summary: '' }
  }
  while (true) {
    const receipt = await wait<Receipt | { unknown: true }>(`action:${kind}`)
    if (!('unknown' in receipt)) return receipt
    const { answer } = await wait<{ answer: string }>(`ask:outcome of ${kind}`)
    if (answer !== 'do it again') {
      return { status: answer === 'it happened' ? 'done' : 'skipped', summary: '' }
    }
  }
}
