/**
 * A run in the foreground: shows it, puts its questions to the user, and suspends it on Ctrl-C. The first
 * Ctrl-C lets the current step finish, the second does not; either way the run can be resumed.
 */

import type { RecordedEvent } from '../../loop/index.ts'
import type { Answers, RunName } from '../ask.ts'
import { exitCodeOf, outputExitCode } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import type { RunEnd } from './run-end.ts'
import { createShow, type From, isAnswered } from './show-run.ts'

/** A run that this process drives. */
export interface FollowedRun extends RunName {
  readonly done: Promise<RunEnd>
  /** Ends when `done` does, after the last event. */
  events(options?: { readonly afterSeq?: number }): AsyncIterable<RecordedEvent>
  shutDown(options?: { readonly now?: boolean }): void
}

export interface Foreground {
  /** Aborts when the user wants to suspend the run. */
  readonly signal: AbortSignal
  /** Prints a line among those of the run; before there is a run, on standard error. */
  say(line: string): void
  /** Follows the run to its end, and sets the exit code. */
  follow(answers: Answers, run: FollowedRun, from: From): Promise<void>
  close(): void
}

export const asksText = 'waiting for an answer: loopctl inbox'

/** Without prompts the question is answered by `loopctl answer` or `inbox`, and the run resumed. */
export const isQuestion = ({ event }: RecordedEvent): boolean =>
  event.type === 'step-started' && event.question !== undefined

export function createForeground(session: Session): Foreground {
  const stop = new AbortController()
  const hurry = new AbortController()
  let interrupts = 0
  let firstMessage = 'Interrupted before the run started.'
  let outputFailed = false
  let say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`)

  function onSignal(): void {
    interrupts++
    stop.abort()
    if (interrupts === 1) say(firstMessage)
    else hurry.abort()
  }

  /** The output was closed: the run is suspended. */
  function onBrokenOutput({ code }: NodeJS.ErrnoException): void {
    interrupts++
    // A reader that closes the pipe early, such as `head`, is not an error.
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
      firstMessage = 'Finishing the current step, 10 s at most; press Ctrl-C again to exit now.'
      const abandon = (): void => run.shutDown({ now: true })
      hurry.signal.addEventListener('abort', abandon, { once: true })
      if (hurry.signal.aborted) abandon()
      let isAsking = false
      let end: RunEnd
      try {
        for await (const recorded of run.events({ afterSeq: before?.run.lastSeq ?? 0 })) {
          show.event(recorded)
          if (session.noInput !== true || !isQuestion(recorded)) continue
          if (before !== undefined && isAnswered(recorded, before)) continue
          isAsking = true
          stop.abort()
        }
        end = await run.done
        // It was suspended because of the question.
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
