/**
 * Starts and controls the process in which the code of one loop runs.
 *
 * 1. Its environment is PATH, HOME, LANG and TMPDIR, and the variables that the loop file names.
 * 2. It ends with all its descendants when it is no longer needed, when it violates the protocol, when it
 *    does not respond to a pending call, and when our process ends in any way.
 * 3. Its end is a fault for pending calls, and affects nothing else.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { defined, FaultError, LoopError } from '../../loop/index.ts'
import { createMark, killAll, markVariable } from '../../sandbox/index.ts'
import { baseEnvironment } from '../../system/index.ts'
import { createLoopOutput, type LoopOutput } from './loop-output.ts'
import { createPeer, type Peer, type PeerOptions } from './peer.ts'

export interface LoopProcessOptions extends Pick<PeerOptions, 'serve' | 'handleNotice' | 'attach'> {
  readonly cwd?: string
  /** Where PATH and the others come from; default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** How long it may not respond to heartbeats while a call is pending. */
  readonly unresponsiveMs: number
  readonly show: (line: string) => void
  /** Called once, after the process has ended. */
  readonly onEnd: (fault: FaultError) => void
}

export interface LoopProcess {
  readonly peer: Peer
  readonly pid: number | undefined
  /** Starts the heartbeat. Before that it loads code, which has a separate time limit. */
  watch(): void
  /** Resolves when none of its processes is alive. */
  kill(why: FaultError): Promise<void>
}

/** It is unresponsive after this many missed heartbeats. */
const missedMax = 4
/** How long to wait for the end of a pipe that another process may still hold. */
const drainMs = 500

export function startLoopProcess(options: LoopProcessOptions): LoopProcess {
  const mark = createMark()
  const child = spawnChild(options, mark.value)
  const output = createLoopOutput(options.show)
  output.watch(child.stdout)
  output.watch(child.stderr)
  const channel = openChannel(child)
  let ending: Promise<readonly number[]> | undefined
  let heartbeat: NodeJS.Timeout | undefined

  /** Resolves with the pids that could not be killed. */
  function end(fault: () => FaultError): Promise<readonly number[]> {
    ending ??= finish(fault)
    return ending
  }

  async function finish(fault: () => FaultError): Promise<readonly number[]> {
    clearInterval(heartbeat)
    const closed = new Promise((resolve) => child.once('close', resolve))
    const alive = child.pid === undefined ? [] : await killAll(child.pid, mark)
    // Its last output may not have arrived yet.
    await Promise.race([closed, sleep(drainMs)])
    const why = fault()
    peer.end(why)
    for (const stream of child.stdio) stream?.destroy()
    options.onEnd(why)
    return alive
  }

  const peer = createPeer({
    ...options,
    channel,
    onBroken: (why) => void end(() => createMisbehavedFault(why)),
  })
  child.on('error', (error) => void end(() => createStartFault(error.message)))
  child.on('exit', () => void end(() => createDiedFault(child, output)))
  // The exit of the process tells more than the end of the channel, but usually comes a little later.
  channel.on('close', () =>
    setTimeout(() => void end(() => createDiedFault(child, output)), drainMs),
  )
  return {
    peer,
    pid: child.pid,
    watch() {
      if (ending !== undefined) return
      heartbeat ??= watchHeartbeat(peer, options.unresponsiveMs, (fault) => void end(() => fault))
    },
    async kill(why) {
      const alive = await end(() => why)
      if (alive.length > 0) throw createStillAliveFault(alive)
    },
  }
}

function spawnChild(options: LoopProcessOptions, mark: string): ChildProcess {
  const env = { ...baseEnvironment(options.env), [markVariable]: mark }
  const args = ['--disable-warning=ExperimentalWarning', childEntry()]
  return spawn(process.execPath, args, {
    detached: true,
    // The first extra pipe carries messages; the second only shows that we are alive.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env,
    ...defined({ cwd: options.cwd }),
  })
}

/**
 * The child always runs the built program. If the parent runs from `src/`, as in tests, the child still runs
 * from `dist/`: build first.
 */
function childEntry(): string {
  const own = import.meta.url
  const built = own.endsWith('.ts')
    ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/').replace(/\.ts$/, '.js')
    : own
  const entry = fileURLToPath(new URL('./child/main.js', built))
  if (existsSync(entry)) return entry
  throw new LoopError('not-available', `${entry} does not exist. Build first: npm run build`)
}

function openChannel(child: ChildProcess): Duplex {
  const [, , , channel, life] = child.stdio
  // Writing to a process that has ended is not an error here; its end is handled elsewhere.
  channel?.on('error', () => {})
  life?.on('error', () => {})
  return channel as Duplex
}

/** Counts heartbeats, not time, so that a suspended machine does not look like a busy loop. */
function watchHeartbeat(
  peer: Peer,
  unresponsiveMs: number,
  onSilent: (fault: FaultError) => void,
): NodeJS.Timeout {
  let missed = 0
  let isPending = false
  const beat = (): void => {
    if (isPending && ++missed >= missedMax) return onSilent(createUnresponsiveFault(unresponsiveMs))
    if (isPending || peer.waiting === 0) return
    isPending = true
    const answered = (): void => {
      isPending = false
      missed = 0
    }
    peer.call('ping', null).then(answered, () => undefined)
  }
  return setInterval(beat, Math.max(1, unresponsiveMs / missedMax)).unref()
}

const fault = (code: string, message: string): FaultError =>
  new FaultError({ code, message, retryable: false })

const createUnresponsiveFault = (ms: number): FaultError =>
  fault(
    'loop-unresponsive',
    `The loop's process did not respond for ${ms / 1000} s and was killed: its code blocks the event loop. ` +
      'Look for an endless loop, and run long commands without …Sync.',
  )

const createMisbehavedFault = (why: string): FaultError =>
  fault('loop-misbehaved', `The loop's process was killed: ${why}.`)

const createStartFault = (why: string): FaultError =>
  fault('loop-died', `Cannot start the loop's process: ${why}.`)

function createDiedFault(child: ChildProcess, output: LoopOutput): FaultError {
  const { exitCode, signalCode } = child
  const how = signalCode === null ? `with exit code ${exitCode ?? 'unknown'}` : `by ${signalCode}`
  const printed = output.end()
  const last = printed === '' ? '' : ` Its last output: ${printed}`
  return fault('loop-died', `The loop's process ended unexpectedly, ${how}.${last}`)
}

function createStillAliveFault(pids: readonly number[]): FaultError {
  const message = `The loop left processes that cannot be killed: ${pids.join(', ')}.`
  return fault('still-alive', message)
}
