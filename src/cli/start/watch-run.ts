/**
 * Watches a run that a daemon drives, and puts its questions to the user. The run does not depend on it:
 * Ctrl-C only ends the watching. If the daemon goes away, this waits for it and then shows what was recorded
 * meanwhile.
 */

import type { Break, Client, QueueEntry } from '../../client/index.ts'
import { evolve, initialState, isEnd, LoopError, type RunState } from '../../loop/index.ts'
import type { RunName } from '../ask.ts'
import { renderClock } from '../display/amounts.ts'
import { visible } from '../display/render.ts'
import { exitCodeOf, interruptedExitCode, outputExitCode } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import { asksText, isQuestion } from './foreground.ts'
import type { RunEnd } from './run-end.ts'
import { createShow, type From, isAnswered, type Show } from './show-run.ts'

export async function watchRun(
  session: Session,
  client: Client,
  run: RunName,
  from: From,
  leaving: Leaving,
): Promise<void> {
  const show = createShow(session, client, run, from, leaving.leave)
  show.wait(from.waits)
  let end: RunEnd | undefined
  try {
    end = await toItsEnd(client, run, from, show, leaving.signal, session.noInput === true)
  } finally {
    show.close()
    leaving.close()
  }
  if (leaving.outputFailed()) process.exitCode = outputExitCode
  else if (end === undefined) {
    tellLeft(session, run, leaving.isOpen())
    process.exitCode = interruptedExitCode
  } else {
    const epilogue = await from.epilogue?.(end)
    show.end(run, end, epilogue)
    process.exitCode = epilogue?.exitCode ?? exitCodeOf(end, false)
  }
}

/** Handles Ctrl-C from the moment that there may be a run. */
export interface Leaving {
  readonly signal: AbortSignal
  leave(): void
  /** Whether the output is still open. */
  isOpen(): boolean
  outputFailed(): boolean
  close(): void
}

export function listenToLeave(): Leaving {
  const left = new AbortController()
  const leave = (): void => {
    // Do not wait for a daemon that does not answer.
    if (left.signal.aborted) process.exit(interruptedExitCode)
    left.abort()
  }
  let failed = false
  let isOutputOpen = true
  function onBrokenOutput({ code }: NodeJS.ErrnoException): void {
    // A reader that closes the pipe early, such as `head`, is not an error.
    failed ||= code !== 'EPIPE'
    isOutputOpen = false
    left.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of signals) process.on(name, leave)
  process.stdout.removeAllListeners('error').on('error', onBrokenOutput)
  return {
    signal: left.signal,
    leave,
    isOpen: () => isOutputOpen,
    outputFailed: () => failed,
    close() {
      for (const name of signals) process.removeListener(name, leave)
    },
  }
}

/** Undefined: the user pressed Ctrl-C before. */
async function toItsEnd(
  client: Client,
  run: RunName,
  { before }: From,
  show: Show,
  signal: AbortSignal,
  noInput: boolean,
): Promise<RunEnd | undefined> {
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const line = watchLine(client, run, show, stop)
  let state: RunState = before?.state ?? initialState
  let end: RunEnd | undefined
  try {
    const range = { afterSeq: before?.run.lastSeq ?? 0, signal: stop, onBreak: line.onBreak }
    const streaming = async (): Promise<void> => {
      for await (const recorded of client.events(run.id, range)) {
        state = evolve(state, recorded)
        line.onState(state)
        show.event(recorded)
        end = await endOf(client, run, state)
        const isAsked = isQuestion(recorded) && !(before && isAnswered(recorded, before))
        if (noInput && isAsked) end ??= suspended(asksText)
        if (end !== undefined) return
      }
    }
    const idle = await Promise.race([streaming(), line.idle])
    return end ?? (signal.aborted ? undefined : (idle ?? suspended('no process is driving it')))
  } finally {
    over.abort()
  }
}

/** A run that was paused while the daemon was away may be running again. */
async function endOf(
  client: Pick<Client, 'inspect'>,
  { id }: RunName,
  { outcome, status }: RunState,
): Promise<RunEnd | undefined> {
  if (outcome !== undefined) return { type: 'ended', outcome }
  if (status !== 'paused') return undefined
  const now = await client.inspect(id).catch(() => undefined)
  return now === undefined || now.run.status === 'paused' ? suspended('paused') : undefined
}

const suspended = (reason: string): RunEnd => ({ type: 'suspended', reason })

interface Line {
  onState(state: RunState): void
  onBreak(broken: Break): void
  /** Resolves when the run is no longer driven or queued; rejects when the daemon stays away. */
  readonly idle: Promise<RunEnd | undefined>
}

const lookMs = 1000
const noAnswer = 'the daemon does not answer (loopctl daemon start); trying again'
/** A running run is polled rarely, since its events show its state. */
const quietMs = 5000
const awayMs = 600_000
/** A daemon that is being restarted answers again within this time. */
const restartMs = 10_000
const daemonStoppedText = 'the daemon was stopped; start it to continue: loopctl daemon start'
/** The longest wait for a retry during which `run` keeps watching. */
const tryMsMax = 30_000

/** Polls the queue while the run is not driven. */
function watchLine(client: Client, run: RunName, show: Show, signal: AbortSignal): Line {
  let lastEventAtMs = Date.now()
  let isAtWork = false
  let brokenAtMs: number | undefined
  let wasStopped = false
  let missing = 0

  async function checkQueue(): Promise<RunEnd | undefined> {
    const entry = (await client.queue()).find((one) => one.run === run.id)
    if (entry !== undefined) {
      missing = 0
      show.wait(entry.state === 'queued' ? waitText(entry) : undefined)
      return isFarOff(entry) ? suspended(laterText(entry)) : undefined
    }
    const { run: row, why } = await client.inspect(run.id)
    // Events report a run that ended or that another process drives.
    if (row.held || isEnd(row.status) || row.status === 'paused') return undefined
    missing++
    return missing < 3 ? undefined : suspended(why ?? 'no process is driving it')
  }

  async function idle(): Promise<RunEnd | undefined> {
    while (!signal.aborted) {
      await pause(lookMs, signal)
      const sinceMs = Date.now() - lastEventAtMs
      if (brokenAtMs !== undefined) {
        const sinceBreakMs = Date.now() - brokenAtMs
        if (wasStopped && sinceBreakMs > restartMs) return suspended(daemonStoppedText)
        if (sinceBreakMs > awayMs) throw createAwayError(client, run)
      } else if (!isAtWork || sinceMs > quietMs) {
        const end = await checkQueue().catch(() => undefined)
        if (end !== undefined) return end
      }
    }
    return undefined
  }

  return {
    onState(state) {
      lastEventAtMs = Date.now()
      isAtWork = state.status === 'running' || state.status === 'waiting'
      wasStopped = state.status === 'suspended'
      missing = 0
      if (isAtWork) show.wait(undefined)
    },
    onBreak({ retryInMs }) {
      if (retryInMs === undefined) brokenAtMs = undefined
      else brokenAtMs ??= Date.now()
      show.wait(retryInMs === undefined ? undefined : noAnswer)
    },
    idle: idle(),
  }
}

const isFarOff = ({ state, waitsFor, retryAtMs = 0 }: QueueEntry): boolean =>
  state === 'queued' && waitsFor === 'time' && retryAtMs - Date.now() > tryMsMax

const laterText = ({ why = 'it could not continue', retryAtMs = 0 }: QueueEntry): string =>
  `${why} (the daemon retries at ${renderClock(retryAtMs, Date.now())})`

export function waitText({ position, why, waitsFor, retryAtMs }: QueueEntry): string {
  if (why === undefined && waitsFor === undefined) return 'about to start'
  if (retryAtMs !== undefined) {
    return `Retrying at ${renderClock(retryAtMs, Date.now())} because: ${why ?? 'it could not continue'}`
  }
  const place = position === undefined ? '' : `number ${position} in the queue, `
  return `${place}${why ?? `waiting for a ${waitsFor}`}`
}

const createAwayError = ({ where }: Client, { name }: RunName): LoopError =>
  new LoopError(
    'not-available',
    `The daemon at ${where} has not answered for ${awayMs / 60_000} min. ${name} resumes when it ` +
      `starts again: loopctl daemon start, then loopctl watch ${name}`,
  )

function tellLeft({ hint, json, terminal }: Session, { id, name }: RunName, isOpen: boolean): void {
  if (!isOpen) return
  if (json) {
    process.stdout.write(`${JSON.stringify({ run: id, name, type: 'left' })}\n`)
    return
  }
  const run = visible(name)
  const { bold } = terminal.style
  process.stdout.write(
    [
      `${bold(run)} keeps running in the daemon.`,
      hint(`  Watch it again: loopctl watch ${run}`),
      hint(`  Pause it:       loopctl pause ${run}`),
      hint(`  End it:         loopctl cancel ${run}`),
      '',
    ].join('\n'),
  )
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
