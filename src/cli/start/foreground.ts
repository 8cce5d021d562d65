/**
 * A run that this process drives: shows it, asks its questions at the terminal, and suspends it on Ctrl-C.
 * The first Ctrl-C lets the step in flight finish, the second does not; either way the run can be resumed.
 */

import type { RecordedEvent } from '../../loop/index.ts'
import type { Answers, RunName } from '../ask.ts'
import { exitCodeOf, outputExitCode } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import type { RunEnd } from './run-end.ts'
import { createShow, type From } from './show-run.ts'

/** A run that this process drives. */
export interface FollowedRun extends RunName {
  readonly done: Promise<RunEnd>
  /** Ends when `done` does, after the last event. */
  events(options?: { readonly afterSeq?: number }): AsyncIterable<RecordedEvent>
  shutDown(options?: { readonly now?: boolean }): void
}

export interface Foreground {
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
  /** A line among those of the run; before there is one, on standard error. */
  say(line: string): void
  /** Follows the run to its end, and sets the exit code. */
  follow(answers: Answers, run: FollowedRun, from: From): Promise<void>
  close(): void
}

export const asksText = 'it asks a question; answer it: loopctl inbox'

/** With --no-input it is answered by `loopctl answer` or `loopctl inbox`, then the run is resumed. */
export const isQuestion = ({ event }: RecordedEvent): boolean =>
  event.type === 'step-started' && event.question !== undefined

export function createForeground(session: Session): Foreground {
  const stop = new AbortController()
  const hurry = new AbortController()
  let interrupts = 0
  let firstWords = 'Leaving before the run begins.'
  let outputFailed = false
  let say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`)

  function onSignal(): void {
    interrupts++
    stop.abort()
    if (interrupts === 1) say(firstWords)
    else hurry.abort()
  }

  /** The output is closed: the run is suspended. */
  function onBrokenOutput({ code }: NodeJS.ErrnoException): void {
    interrupts++
    // A reader that has enough, such as `head`, is not an error.
    outputFailed ||= code !== 'EPIPE'
    say = () => undefined
    stop.abort()
    hurry.abort()
  }

  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of signals) process.on(name, onSignal)
  process.stdout.removeAllListeners('error').on('error', onBrokenOutput)

  return {
    signal: stop.signal,
    say: (line) => say(line),
    async follow(answers, run, from) {
      const { before } = from
      const show = createShow(session, answers, run, from, onSignal)
      say = show.say
      firstWords = 'Finishing the step in flight, 10 s at most; Ctrl-C again to leave at once.'
      const abandon = (): void => run.shutDown({ now: true })
      hurry.signal.addEventListener('abort', abandon, { once: true })
      if (hurry.signal.aborted) abandon()
      let isAsking = false
      let end: RunEnd
      try {
        for await (const recorded of run.events({ afterSeq: before?.run.lastSeq ?? 0 })) {
          show.event(recorded)
          if (session.noInput !== true || !isQuestion(recorded)) continue
          isAsking = true
          stop.abort()
        }
        end = await run.done
        // It was left for the question's sake.
        if (isAsking && end.type === 'suspended') end = { ...end, reason: asksText }
      } finally {
        show.close()
        hurry.signal.removeEventListener('abort', abandon)
      }
      const epilogue = await from.epilogue?.(end)
      show.end(run, end, epilogue)
      const exitCode = epilogue?.exitCode ?? exitCodeOf(end, interrupts > 0)
      process.exitCode = outputFailed ? outputExitCode : exitCode
    },
    close() {
      for (const name of signals) process.removeListener(name, onSignal)
    },
  }
}
