/**
 * Drives one run: decide, perform, journal, repeat. Keeps no state outside of the journal, so killing
 * it anywhere and calling it again is a resume (E2).
 */

import {
  type AgentInfo,
  type Decision,
  decide,
  defaultLevel,
  defined,
  eventVersion,
  type Fault,
  inOneLine,
  LoopError,
  type Outcome,
  type RunEvent,
  type RunId,
  type SandboxSummary,
  textOf,
  toFault,
  type WorkspaceChanged,
} from '../loop/index.ts'
import { createLock } from '../system/index.ts'
import { codeDigest, continuesCode } from './code-digest.ts'
import { type Control, createControl } from './control.ts'
import { createHookRunner, type HookRunner } from './hooks.ts'
import { abandonMs, createInterrupter, type Interrupter, Interruption } from './interrupter.ts'
import { keepLease } from './keep-lease.ts'
import { watchLimits } from './limit-watch.ts'
import type { LiveRun } from './live-run.ts'
import { type LoadedRun, loadRun } from './load-run.ts'
import { askPolicy } from './policy.ts'
import type { AnyLoopType, Lease, Owner, Ports } from './ports.ts'
import { preflight } from './preflight.ts'
import { createRecorder } from './recorder.ts'
import { runIteration } from './run-iteration.ts'
import { describeChecks } from './steps/run-check.ts'
import { load } from './stored.ts'
import { rememberChanges } from './workspace/remember-changes.ts'
import { type OpenEvents, restoreFiles } from './workspace/restore-files.ts'

export interface DriveOptions {
  readonly owner: Owner
  /** Aborting it shuts the run down gracefully: it can be resumed. */
  readonly signal?: AbortSignal
  /** How long the step in flight may continue after that. */
  readonly graceMs?: number
  /** Aborting it ends that grace time immediately. */
  readonly hurry?: AbortSignal
  /** Resume in the middle of an iteration even if the loop's code changed: the iteration restarts. */
  readonly force?: boolean
  /** After a crash, continue with the current files instead of restoring them. */
  readonly keepFiles?: boolean
  /** The sandbox of the run's processes, recorded in the journal. */
  readonly sandbox?: SandboxSummary
  /** The agent, recorded in the journal. */
  readonly agent?: AgentInfo
  /** Called when the lease is held, the code matches and the files are restored. */
  readonly onStarted?: () => void
}

/** How driving a run ended: with an outcome, or suspended, so that it can be resumed. */
export type DriveEnd =
  | { readonly type: 'ended'; readonly outcome: Outcome }
  | { readonly type: 'suspended'; readonly reason: string }

const defaultGraceMs = 10_000
const backlogMax = 16

export async function driveRun(
  run: RunId,
  loop: AnyLoopType,
  ports: Ports,
  options: DriveOptions,
): Promise<DriveEnd> {
  const lease = await ports.journal.acquire(run, options.owner)
  const interrupter = createInterrupter(ports.clock, abandonMs)
  const stopRenewing = keepLease(ports, lease, interrupter)
  try {
    const loaded = await loadRun(ports.journal, run)
    if (loaded.state.outcome !== undefined) return { type: 'ended', outcome: loaded.state.outcome }
    return await drive(run, loop, ports, options, { lease, interrupter, loaded })
  } finally {
    stopRenewing()
    interrupter.close()
    await ports.journal.release(lease).catch(() => undefined)
  }
}

interface LeasedRun {
  readonly lease: Lease
  readonly interrupter: Interrupter
  readonly loaded: LoadedRun
}

async function drive(
  id: RunId,
  loop: AnyLoopType,
  given: Ports,
  options: DriveOptions,
  leased: LeasedRun,
): Promise<DriveEnd> {
  const { workspace } = given
  const ports: Ports =
    workspace === undefined ? given : { ...given, workspace: rememberChanges(workspace) }
  const { interrupter, loaded, lease } = leased
  const digest = codeDigest(loop)
  const restart = requireSameLoop(id, loop, loaded, options.force === true)
  const input = await load(loaded.created.input, ports.blobs)
  const recorder = createRecorder(ports, lease, loaded.state, (error) =>
    interrupter.abort(error.code),
  )
  const { owner, fence } = lease
  const { sandbox, agent } = options
  const details = {
    ...defined({ sandbox, agent, policy: ports.policy?.inEffect, seals: ports.seals }),
    ...(ports.level === undefined || ports.level === defaultLevel ? {} : { level: ports.level }),
    ...describeChecks(ports.checks),
  }
  await recorder.record([{ type: 'run-started', owner, fence, ...details }])
  const stopListening = ports.prints?.listen((text) => {
    if (recorder.state.outcome !== undefined) return false
    recorder.note([{ type: 'loop-printed', text }])
    return true
  })
  const limits = watchLimits(ports.clock, recorder, interrupter)
  const control = createControl(id, ports, recorder, interrupter, (decision) => {
    interruptFor(decision, interrupter)
    limits.rearm()
  })
  const stopWatching = watchSignals(options, interrupter)
  const live: LiveRun = {
    id,
    loop,
    input,
    ports,
    recorder,
    interrupter,
    limits,
    hooks: createHookRunner(ports.hooks ?? [], id, () => recorder.state, interrupter, ports.clock),
    answers: control,
    workspaceLock: createLock(),
  }
  try {
    const open = await restoreFiles(live, loaded, {
      restart,
      keepFiles: options.keepFiles === true,
    })
    options.onStarted?.()
    await control.apply()
    limits.start()
    return await driveIterations(live, control, digest, open)
  } catch (error) {
    throw await suspendOnError(live, error)
  } finally {
    limits.stop()
    control.stop()
    stopListening?.()
    recorder.close()
    stopWatching()
  }
}

/** Shuts the run down when its caller asks for it. */
function watchSignals(
  { signal, hurry, graceMs = defaultGraceMs }: DriveOptions,
  interrupter: Interrupter,
): () => void {
  const shutDown = (): void => interrupter.drain('shut down', graceMs)
  const shutDownNow = (): void => interrupter.drain('shut down', 0)
  signal?.addEventListener('abort', shutDown, { once: true })
  hurry?.addEventListener('abort', shutDownNow, { once: true })
  if (signal?.aborted === true) shutDown()
  if (hurry?.aborted === true) shutDownNow()
  return () => {
    signal?.removeEventListener('abort', shutDown)
    hurry?.removeEventListener('abort', shutDownNow)
  }
}

async function driveIterations(
  live: LiveRun,
  control: Control,
  digest: string,
  openAtStart: OpenEvents,
): Promise<DriveEnd> {
  const { ports, recorder, interrupter, hooks } = live
  const refusal = await askBeforeRunHooks(hooks)
  if (refusal !== undefined && recorder.state.cancel === undefined) {
    return finish(live, { type: 'failed', fault: refusal })
  }
  let seen = await preflight(live)
  let openEvents = openAtStart
  while (true) {
    const command = decide(recorder.state, ports.clock.now())
    switch (command.type) {
      case 'finish':
        return finish(live, command.outcome)
      case 'suspend':
        return suspend(live, command.reason)
      case 'ask-policy':
        await askPolicy(live, command.iteration)
        break
      case 'wait':
        if (interrupter.draining.aborted) return suspend(live, interrupter.reason ?? 'stopped')
        await ports.clock
          .sleep(command.untilMs - ports.clock.now(), interrupter.draining)
          .catch(() => undefined)
        break
      case 'iterate': {
        if (interrupter.draining.aborted) return suspend(live, interrupter.reason ?? 'stopped')
        const { iteration, again } = command
        openEvents = again ? (openEvents ?? (await readOpenEvents(live))) : undefined
        await runIteration(live, { iteration, events: openEvents, codeDigest: digest, seen })
        openEvents = undefined
        seen = undefined
        await control.applied()
        // Iterations without steps never wait for the disk; pending writes must not pile up (E9).
        if (recorder.backlog > backlogMax) await recorder.flushed()
      }
    }
  }
}

async function finish(live: LiveRun, decided: Outcome): Promise<DriveEnd> {
  const { recorder, ports } = live
  await ports.prints?.flush()
  const unfinished = await findUnfinishedFiles(live)
  const last = unfinished.findLast((event) => event.type === 'workspace-changed')
  await commitUnfinishedWork(live, last)
  // A person may have cancelled it while the files were being read.
  const command = decide(recorder.state, ports.clock.now())
  const outcome = command.type === 'finish' ? command.outcome : decided
  await recorder.record([...unfinished, { type: 'run-ended', outcome }], {
    boundary: true,
    trees: last === undefined ? [] : [last.found],
  })
  await live.hooks.tell('after-run')
  return { type: 'ended', outcome }
}

/**
 * A run that ends in the middle of an iteration leaves the files as they are. They are recorded; if they
 * cannot be read, the run still ends, with a warning.
 */
async function findUnfinishedFiles(
  live: LiveRun,
): Promise<readonly (WorkspaceChanged | Warning)[]> {
  const { open, tree } = live.recorder.state
  if (open === undefined || tree === undefined) return []
  try {
    const found = await live.ports.workspace?.snapshot()
    if (found === undefined || found === tree) return []
    return [{ type: 'workspace-changed', why: 'unfinished-step', found, tree: found }]
  } catch (error) {
    const message = `The files that the run left could not be recorded: ${textOf(error)}`
    return [{ type: 'warning', code: 'files-unknown', message }]
  }
}

type Warning = Extract<RunEvent, { type: 'warning' }>

/** Commits the work and marks it as unfinished. A run whose files are gone can still end. */
async function commitUnfinishedWork(
  live: LiveRun,
  changed: WorkspaceChanged | undefined,
): Promise<void> {
  const { open, tree } = live.recorder.state
  const last = changed?.tree ?? tree
  if (open === undefined || last === undefined) return
  const work = { iteration: open.iteration, tree: last, isUnfinished: true } as const
  await live.ports.workspace?.keep?.(work)?.catch(() => undefined)
}

/** A blocking hook may refuse the whole run: returns its reason. */
async function askBeforeRunHooks(hooks: HookRunner): Promise<Fault | undefined> {
  try {
    await hooks.tell('before-run')
    return undefined
  } catch (error) {
    // An interruption is not a refusal.
    return error instanceof Interruption ? undefined : toFault(error)
  }
}

/** Events of the iteration that was just interrupted. */
async function readOpenEvents(live: LiveRun): Promise<LoadedRun['openEvents']> {
  await live.recorder.flushed()
  return (await loadRun(live.ports.journal, live.id)).openEvents
}

async function suspend(live: LiveRun, reason: string): Promise<DriveEnd> {
  await live.ports.prints?.flush()
  const tree = await live.ports.workspace?.snapshot()
  await live.recorder.record([{ type: 'run-suspended', reason, ...defined({ tree }) }], {
    trees: tree === undefined ? [] : [tree],
  })
  return { type: 'suspended', reason }
}

/** For errors that are not the run's fault: it stays resumable, and the caller gets the error. */
async function suspendOnError(live: LiveRun, error: unknown): Promise<unknown> {
  if (live.recorder.failure === undefined) {
    const reason = inOneLine(textOf(error))
    await live.recorder.record([{ type: 'run-suspended', reason }]).catch(() => undefined)
  }
  return live.recorder.failure ?? error
}

function interruptFor(decision: Decision, interrupter: Interrupter): void {
  if (decision.type === 'pause') interrupter.drain('paused')
  if (decision.type === 'cancel') interrupter.abort('cancelled')
}

/** True if the open iteration must restart, because the code of the loop changed. */
function requireSameLoop(id: RunId, loop: AnyLoopType, loaded: LoadedRun, force: boolean): boolean {
  const { state, created } = loaded
  if (state.loop !== loop.name) {
    throw new LoopError(
      'code-changed',
      `Run ${id} belongs to the loop "${state.loop}", not "${loop.name}".`,
    )
  }
  if (created.eventVersion > eventVersion) {
    throw new LoopError(
      'store-newer',
      `Run ${id} was written by a newer version. Upgrade loopwright.`,
    )
  }
  if (state.open === undefined) return false
  const changed = !continuesCode(loop, state.open.codeDigest ?? state.codeDigest, state.source)
  if (!changed && !force) return false
  if (force) return true
  throw new LoopError(
    'code-changed',
    `The code of loop "${loop.name}" changed while run ${id} was in the middle of iteration ` +
      `${state.open.iteration}. Restore the old code, or resume with force: the iteration then ` +
      'restarts and its finished steps run again.',
  )
}
