/**
 * Creates a run: empty, from a checkpoint, or as a fork of another run.
 *
 * E10. The run has a durable row before its id is returned.
 */

import {
  type Carried,
  changeLimits,
  defaultLimits,
  defined,
  eventVersion,
  findLimitProblem,
  type Json,
  type Limits,
  LoopError,
  type Origin,
  type OutsideDigests,
  type Preflight,
  type RunCreated,
  type RunId,
  type RunWorktree,
  type ScheduledTick,
  type Source,
  type TreeId,
  toJson,
} from '../loop/index.ts'
import { codeDigest } from './code-digest.ts'
import { loadRun, readCreated, stateAt } from './load-run.ts'
import type { AnyLoopType, Blobs, Clock, Journal, Owner } from './ports.ts'
import { createRecorder } from './recorder.ts'
import { load, prepare } from './stored.ts'

export interface CreatePorts {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly clock: Clock
}

export interface CreateOptions {
  readonly id: RunId
  readonly name: string
  readonly input?: unknown
  readonly limits?: Partial<Limits>
  readonly workspace?: string
  /** The file that defines the loop. */
  readonly source?: Source
  /** A unique number that marks a requested repetition. */
  readonly repeat?: number
  readonly outside?: OutsideDigests
  readonly schedule?: ScheduledTick
  /** Present if the workspace is a worktree. */
  readonly worktree?: RunWorktree
  /** The workspace is neither a worktree nor a repository. */
  readonly withoutGit?: boolean
}

/** The result of earlier iterations, for a run that does not start empty. */
export interface Beginning {
  readonly origin: Origin
  readonly iteration: number
  readonly progress?: Json
  readonly tree?: TreeId
  /** The files before the first iteration. */
  readonly baseTree?: TreeId
  /** The results of the checks on those files. */
  readonly preflight?: Pick<Preflight, 'checks'>
  readonly carried?: Carried
}

export async function createRun(
  loop: AnyLoopType,
  ports: CreatePorts,
  options: CreateOptions,
  beginning?: Beginning,
): Promise<void> {
  const { id, name, workspace } = options
  const input = options.input === undefined ? undefined : toJson(options.input)
  const { stored, blobs } = await prepare(input, ports.blobs)
  const event: RunCreated = {
    type: 'run-created',
    eventVersion,
    loop: loop.name,
    codeDigest: codeDigest(loop),
    limits: requireLimits({ ...defaultLimits, ...options.limits }),
    ...defined({
      loopType: loop.type,
      roles: loop.roles,
      input: stored,
      source: options.source,
      worktree: options.worktree,
      repeat: options.repeat,
      outside: options.outside,
      schedule: options.schedule,
    }),
    ...(options.withoutGit === true ? { withoutGit: true } : {}),
    ...beginning,
  }
  await ports.journal.createRun({
    id,
    name,
    loop: loop.name,
    atMs: ports.clock.now(),
    event,
    blobs,
    trees: [beginning?.tree, beginning?.baseTree].filter((tree) => tree !== undefined),
    ...defined({ workspace }),
  })
}

export interface ForkOptions extends CreateOptions {
  readonly from: RunId
  readonly iteration: number
  /** The tree id of the same files in the new run's workspace. */
  readonly tree?: TreeId
  /** The tree id of the base in the new run's workspace. */
  readonly baseTree?: TreeId
}

/** A new run that continues from a checkpoint of another run. It has spent nothing yet. */
export async function forkRun(
  loop: AnyLoopType,
  ports: CreatePorts,
  options: ForkOptions,
): Promise<void> {
  const { from, iteration } = options
  const origin = { type: 'fork', run: from, iteration } as const
  const state = await stateAt(ports.journal, from, iteration)
  const created = await readCreated(ports.journal, from)
  const input = options.input ?? (await load(created.input, ports.blobs))
  const { progress } = state
  const tree = options.tree ?? state.tree
  // Changes that were made before the fork still apply.
  const baseTree = options.baseTree ?? (options.tree === undefined ? state.baseTree : undefined)
  // The deadline of the other run does not apply to this one.
  const { deadlineAtMs: _deadline, ...inherited } = created.limits
  const limits = changeLimits(inherited, options.limits ?? {})
  await createRun(
    loop,
    ports,
    { ...options, limits, ...defined({ input }) },
    {
      origin,
      iteration,
      ...defined({ progress, tree, baseTree }),
      ...(state.preflight === undefined ? {} : { preflight: { checks: state.preflight.checks } }),
    },
  )
}

/** Rewinds a run to one of its checkpoints. What was spent since stays spent. */
export async function rewindRun(
  run: RunId,
  iteration: number,
  ports: CreatePorts,
  owner: Owner,
): Promise<void> {
  const { journal } = ports
  const lease = await journal.acquire(run, owner)
  try {
    const { state } = await loadRun(journal, run)
    if (state.outcome !== undefined) {
      const { name } = await journal.findRun(run)
      throw new LoopError(
        'wrong-status',
        `Run "${name}" has ended (${state.status}) and cannot be changed. Fork it: loopctl fork ${name} --at ${iteration}`,
      )
    }
    const { progress, tree } = await stateAt(journal, run, iteration)
    const recorder = createRecorder(ports, lease, state, () => undefined)
    await recorder.record(
      [
        {
          type: 'run-rewound',
          toIteration: iteration,
          ...defined({ progress, tree }),
        },
      ],
      { boundary: true },
    )
  } finally {
    await journal.release(lease)
  }
}

export function requireLimits(limits: Limits): Limits {
  const problem = findLimitProblem(limits)
  if (problem !== undefined) throw new LoopError('bad-request', problem)
  return limits
}
