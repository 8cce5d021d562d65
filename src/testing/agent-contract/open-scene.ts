/**
 * The environment of one case of the contract: the agent, and for each task an observing context in a
 * separate folder. Everything is removed afterwards.
 */

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../../agents/index.ts'
import {
  type AgentContext,
  type AgentNote,
  type AgentTask,
  type Amount,
  add,
  defined,
  type Remaining,
  zero,
} from '../../loop/index.ts'
import { createAgentContext, type TestTool } from '../agent-context.ts'
import { ContractError, type End } from './contract-rules.ts'
import { endProcessesIn, type HandleWatch, processesIn, watchHandles } from './left-behind.ts'

/** The argument of the function that creates the agent. */
export interface ContractScene {
  /**
   * The agent will be stopped while it works: create one that works for a minute. Tools then do so by
   * themselves, so an agent that calls tools needs nothing.
   */
  readonly isSlow: boolean
  /** For a fake provider, when it is asked: what its answer costs. Was that reserved? */
  spending(amount: Amount): void
}

/** An agent, with what has to be closed after its case. */
export type ContractAgent = Agent & Partial<AsyncDisposable>

export interface SceneOptions {
  make(scene: ContractScene): ContractAgent | Promise<ContractAgent>
  /** Fills a folder to work in. */
  prepare?(folder: string): void | Promise<void>
  /** What it may call. */
  readonly tools?: Readonly<Record<string, TestTool>>
  /** The longest that it may take to end, and to be gone after that. Default: 10 seconds. */
  readonly endMs?: number
}

export interface ReservationSeen {
  readonly worst: Amount
  /** Exactly one settlement is correct. */
  readonly settled: readonly Amount[]
}

/** One piece of work. */
export interface Trial {
  readonly calls: readonly string[]
  readonly notes: readonly AgentNote[]
  readonly reservations: readonly ReservationSeen[]
  /** All its notes, calls and reports, as one text. */
  trace(): string
  /** What it did after its end. */
  late(): readonly string[]
  isOver(): boolean
  /** Stops it, for this reason. */
  stop(): unknown
  /** Waits for its end, up to a limit. */
  end(): Promise<End>
}

export interface TrialOptions {
  readonly isStopped?: boolean
  readonly withoutWorkspace?: boolean
  readonly limits?: Partial<Remaining>
  /** Over those of the options. */
  readonly tool?: TestTool
}

export interface Scene {
  start(task: AgentTask, options?: TrialOptions): Promise<Trial>
  /** At the same moment. */
  startBoth(one: AgentTask, other: AgentTask): Promise<readonly [Trial, Trial]>
  /** It spent what it had not reserved: sentences. */
  readonly unreserved: readonly string[]
}

const defaultEndMs = 10_000

/** Stops tasks that are still running when their case is over. */
const stopMs = 1000

export interface Played {
  /** What is still alive, if the case checks that. */
  readonly left: readonly string[]
  /** What `play` rejected with. */
  readonly failure?: { readonly error: unknown }
}

/** Plays it and closes the agent. Whatever it left is gone afterwards, or keeps nothing alive. */
export async function playScene(
  options: SceneOptions,
  { isSlow, looksAfter }: { readonly isSlow: boolean; readonly looksAfter: boolean },
  play: (scene: Scene) => Promise<unknown>,
): Promise<Played> {
  const folders: string[] = []
  const trials: Trial[] = []
  const unreserved: string[] = []
  const agent = await options.make({ isSlow, spending })
  const handles = watchHandles()
  try {
    const failure = await play({ unreserved, start, startBoth })
      .finally(() => agent[Symbol.asyncDispose]?.())
      .then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
    await stopAll(trials)
    const left = looksAfter ? await leftAfter(handles, folders, options.endMs ?? defaultEndMs) : []
    return { left, ...defined({ failure }) }
  } finally {
    handles.close()
    await endProcessesIn(folders)
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
  }

  async function start(task: AgentTask, more: TrialOptions = {}): Promise<Trial> {
    return begin(await newFolder(), task, more)
  }

  async function startBoth(one: AgentTask, other: AgentTask): Promise<readonly [Trial, Trial]> {
    const [left, right] = [await newFolder(), await newFolder()]
    return [begin(left, one), begin(right, other)]
  }

  async function newFolder(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-contract-')))
    folders.push(folder)
    await options.prepare?.(folder)
    return folder
  }

  function begin(folder: string, task: AgentTask, more: TrialOptions = {}): Trial {
    const stage = { ...more, folder, isSlow, options }
    const trial = handles.run(() => startTrial(agent, task, stage))
    trials.push(trial)
    return trial
  }

  function spending(amount: Amount): void {
    const held = trials.map(heldBy).reduce(add, zero)
    if (amount.tokens <= held.tokens && amount.costMicros <= held.costMicros) return
    unreserved.push(
      `It spent ${describe(amount)} when ${describe(held)} were reserved. Reserve the worst case first.`,
    )
  }
}

const describe = ({ tokens, costMicros }: Amount): string =>
  `${tokens} tokens and ${costMicros} micro-dollars`

const heldBy = ({ reservations }: Trial): Amount =>
  reservations
    .filter(({ settled }) => settled.length === 0)
    .map(({ worst }) => worst)
    .reduce(add, zero)

/** What they need for their own end is theirs until then. */
async function stopAll(trials: readonly Trial[]): Promise<void> {
  for (const trial of trials) trial.stop()
  const untilMs = performance.now() + stopMs
  do {
    // Also for finished tasks: resources that they created a moment ago are visible only now.
    await new Promise((resolve) => setTimeout(resolve, 20))
  } while (trials.some((trial) => !trial.isOver()) && performance.now() < untilMs)
}

/** Some resources take a moment to be released. */
async function leftAfter(
  handles: HandleWatch,
  folders: readonly string[],
  endMs: number,
): Promise<readonly string[]> {
  const untilMs = performance.now() + endMs
  for (;;) {
    const living = await processesIn(folders)
    const left = [...handles.alive(), ...living.map((id) => `process ${id}`)]
    if (left.length === 0 || performance.now() > untilMs) return left
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

interface Stage extends TrialOptions {
  readonly folder: string
  readonly isSlow: boolean
  readonly options: SceneOptions
}

function startTrial(agent: Agent, task: AgentTask, stage: Stage): Trial {
  const stopper = new AbortController()
  const reason = new DOMException('The run was stopped.', 'AbortError')
  const stop = (): unknown => {
    stopper.abort(reason)
    return reason
  }
  if (stage.isStopped === true) stop()
  const seen = watch(stage, stopper.signal)
  let over: End | undefined
  const ending = beginWork(agent, task, seen.context).then((end) => {
    over = end
    seen.close()
    return end
  })
  return {
    ...seen.seen,
    late: () => seen.late,
    isOver: () => over !== undefined,
    stop,
    end: () => within(ending, stage.options.endMs ?? defaultEndMs),
    trace: () => JSON.stringify([seen.seen, over?.type === 'reported' ? over.report : undefined]),
  }
}

/** A task that throws synchronously has ended too. */
async function beginWork(agent: Agent, task: AgentTask, context: AgentContext): Promise<End> {
  try {
    return { type: 'reported', report: await agent.work(task, context) }
  } catch (error) {
    return { type: 'threw', error }
  }
}

function within(ending: Promise<End>, endMs: number): Promise<End> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const advice = 'Listen to context.signal, and give everything that waits a limit.'
      reject(new ContractError(`It did not end within ${endMs} ms. ${advice}`))
    }, endMs)
    void ending.then((end) => {
      clearTimeout(timer)
      resolve(end)
    })
  })
}

interface Watch {
  readonly context: AgentContext
  readonly seen: Pick<Trial, 'calls' | 'notes' | 'reservations'>
  readonly late: readonly string[]
  close(): void
}

/** A context like the engine's, and a list of all calls on it. */
function watch(stage: Stage, signal: AbortSignal): Watch {
  const { tools = {} } = stage.options
  const named = stage.tool
  const base = createAgentContext({
    signal,
    tools: named === undefined ? tools : mapped(tools, named),
    ...defined({ limits: stage.limits }),
    ...(stage.withoutWorkspace === true ? {} : { workspace: stage.folder }),
  })
  const calls: string[] = []
  const reservations: { worst: Amount; settled: Amount[] }[] = []
  const late: string[] = []
  let isClosed = false
  const at = (what: string): void => {
    if (isClosed) late.push(what)
  }
  const context: AgentContext = {
    ...base,
    spend(amount) {
      at('spent')
      reservations.push({ worst: zero, settled: [amount] })
    },
    async reserve(worst) {
      at('reserved')
      const { settle } = await base.reserve(worst)
      const reservation = { worst, settled: [] as Amount[] }
      reservations.push(reservation)
      return {
        async settle(spent) {
          at('settled')
          reservation.settled.push(spent)
          await settle(spent)
        },
      }
    },
    async callTool(name, args) {
      at(`called ${name}`)
      signal.throwIfAborted()
      calls.push(`${name} ${JSON.stringify(args)}`)
      return stage.isSlow ? stopped(signal) : base.callTool(name, args)
    },
    note(note) {
      at('noted')
      base.note(note)
    },
  }
  const seen = { calls, notes: base.notes, reservations }
  return { context, seen, late, close: () => void (isClosed = true) }
}

const mapped = (
  tools: Readonly<Record<string, TestTool>>,
  tool: TestTool,
): Readonly<Record<string, TestTool>> =>
  Object.fromEntries(Object.keys(tools).map((name) => [name, tool]))

/** Never resolves: a tool that waits until the run is stopped. */
const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
