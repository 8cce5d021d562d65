/**
 * The process in which the code of one loop runs, as ours sees it.
 *
 * 1. It has PATH, HOME, LANG and TMPDIR of our environment, what the loop file names, and no more.
 * 2. It ends with everything that it started: when it is no longer wanted, when it breaks the rules,
 *    when it does not answer while something waits for it, and when our process ends in any way.
 * 3. Its end is a fault for whoever waits for it; nobody else notices.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { defined, FaultError, LoopError } from '../../loop/index.ts'
import { killAll, markVariable, newMark } from '../../sandbox/index.ts'
import { baseEnvironment } from '../../system/index.ts'
import { createLoopOutput, type LoopOutput } from './loop-output.ts'
import { createPeer, type Peer, type PeerOptions } from './peer.ts'

export interface LoopProcessOptions extends Pick<PeerOptions, 'serve' | 'hear' | 'attach'> {
  readonly cwd?: string
  /** Of which it gets the PATH and the like; default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** How long it may leave a question after its life unanswered while something waits for it. */
  readonly unresponsiveMs: number
  readonly show: (line: string) => void
  /** Told once, when it can do nothing more. */
  readonly onEnd: (fault: FaultError) => void
}

export interface LoopProcess {
  readonly peer: Peer
  readonly pid: number | undefined
  /** From now on it must answer. Before, it loads code, and whoever waits for that has a limit. */
  watch(): void
  /** Resolves when nothing of it is alive. */
  kill(why: FaultError): Promise<void>
}

/** Questions after its life, in the time that it may leave them unanswered. */
const heartbeats = 4
/** How long something may still hold the other end of a pipe. */
const drainMs = 500

export function startLoopProcess(options: LoopProcessOptions): LoopProcess {
  const mark = newMark()
  const child = spawnChild(options, mark.value)
  const output = createLoopOutput(options.show)
  output.watch(child.stdout)
  output.watch(child.stderr)
  const channel = openChannel(child)
  let ending: Promise<readonly number[]> | undefined
  let heart: NodeJS.Timeout | undefined

  /** Resolves with what would not die. */
  function end(fault: () => FaultError): Promise<readonly number[]> {
    ending ??= finish(fault)
    return ending
  }

  async function finish(fault: () => FaultError): Promise<readonly number[]> {
    clearInterval(heart)
    const closed = new Promise((resolve) => child.once('close', resolve))
    const alive = child.pid === undefined ? [] : await killAll(child.pid, mark)
    // What it printed last is still on its way.
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
    onBroken: (why) => void end(() => misbehaved(why)),
  })
  child.on('error', (error) => void end(() => cannotStart(error.message)))
  child.on('exit', () => void end(() => died(child, output)))
  // The end of the process says more than the end of the channel, and mostly comes a little later.
  channel.on('close', () => setTimeout(() => void end(() => died(child, output)), drainMs))
  return {
    peer,
    pid: child.pid,
    watch() {
      if (ending !== undefined) return
      heart ??= watchLife(peer, options.unresponsiveMs, (fault) => void end(() => fault))
    },
    async kill(why) {
      const alive = await end(() => why)
      if (alive.length > 0) throw stillAlive(alive)
    },
  }
}

function spawnChild(options: LoopProcessOptions, mark: string): ChildProcess {
  const env = { ...baseEnvironment(options.env), [markVariable]: mark }
  const args = ['--disable-warning=ExperimentalWarning', childEntry()]
  return spawn(process.execPath, args, {
    detached: true,
    // The first pipe carries messages; the second only tells that we are alive.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env,
    ...defined({ cwd: options.cwd }),
  })
}

/**
 * The program of the child is always the built one. Running from the sources, as tests do, the
 * parent's half is in `src/` and the child's half in `dist/`: build first.
 */
function childEntry(): string {
  const own = import.meta.url
  const built = own.endsWith('.ts')
    ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/').replace(/\.ts$/, '.js')
    : own
  const entry = fileURLToPath(new URL('./child/main.js', built))
  if (existsSync(entry)) return entry
  throw new LoopError('not-available', `${entry} is not there. Build first: npm run build.`)
}

function openChannel(child: ChildProcess): Duplex {
  const [, , , channel, life] = child.stdio
  // Writing to a process that is gone is no error of ours; its end is told elsewhere.
  channel?.on('error', () => {})
  life?.on('error', () => {})
  return channel as Duplex
}

/** Beats are counted, not time: a machine that slept is not taken for a loop that spins. */
function watchLife(
  peer: Peer,
  unresponsiveMs: number,
  onSilent: (fault: FaultError) => void,
): NodeJS.Timeout {
  let missed = 0
  let asked = false
  const beat = (): void => {
    if (asked && ++missed >= heartbeats) return onSilent(unresponsive(unresponsiveMs))
    if (asked || peer.waiting === 0) return
    asked = true
    const answered = (): void => {
      asked = false
      missed = 0
    }
    peer.call('ping', null).then(answered, () => undefined)
  }
  return setInterval(beat, Math.max(1, unresponsiveMs / heartbeats)).unref()
}

const fault = (code: string, message: string): FaultError =>
  new FaultError({ code, message, retryable: false })

const unresponsive = (ms: number): FaultError =>
  fault(
    'loop-unresponsive',
    `The loop's process did not answer for ${ms / 1000} s and was killed: its code computes without ` +
      'ever waiting. Look for a loop without an end, and run long commands without …Sync.',
  )

const misbehaved = (why: string): FaultError =>
  fault('loop-misbehaved', `The loop's process was killed: ${why}.`)

const cannotStart = (why: string): FaultError =>
  fault('loop-died', `The loop's process cannot be started: ${why}.`)

function died(child: ChildProcess, output: LoopOutput): FaultError {
  const { exitCode, signalCode } = child
  const how = signalCode === null ? `with exit code ${exitCode ?? 'unknown'}` : `by ${signalCode}`
  const said = output.end()
  const last = said === '' ? '' : ` It printed last: ${said}`
  return fault('loop-died', `The loop's process ended by itself, ${how}.${last}`)
}

function stillAlive(pids: readonly number[]): FaultError {
  const message = `The loop left processes that cannot be killed: ${pids.join(', ')}.`
  return fault('still-alive', message)
}
