/**
 * A run in the foreground: shows it, asks the person at the terminal what it asks, and leaves it in
 * good order on Ctrl-C. The first Ctrl-C lets the step in flight finish, the second does not; either
 * way the run can be resumed.
 */

import type { DriveEnd, Host, Inspection, RunHandle } from '../host/index.ts'
import { initialState, type RecordedEvent } from '../loop/index.ts'
import { createAsker } from './ask.ts'
import { createDisplay } from './display/display.ts'
import { renderJson, visible } from './display/render.ts'
import { renderNotice } from './display/wrap.ts'
import { exitCodeOf, outputExitCode } from './exit-codes.ts'
import type { Session } from './session.ts'

export interface Foreground {
  /** Aborts when the person wants the run to end for now. */
  readonly signal: AbortSignal
  /** A line among those of the run; before there is one, on standard error. */
  say(line: string): void
  /** Follows the run to its end, and sets the exit code. */
  follow(host: Host, handle: RunHandle, from: From): Promise<void>
  close(): void
}

/** Where the watching begins, and what is said when it is over. */
export interface From {
  readonly before: Inspection | undefined
  readonly title: string
  /** Lines for people, under the title. */
  readonly notes?: readonly string[]
  /** Nobody can be asked anything, and programs want the end alone. */
  readonly isReplay?: boolean
  readonly epilogue?: (end: DriveEnd) => Promise<Epilogue | undefined>
}

export interface Epilogue {
  /** For people. */
  readonly lines: readonly string[]
  /** For programs: goes with the end. */
  readonly value: object
  /** In place of the one that the end has. */
  readonly exitCode?: number
}

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

  /** Nobody reads any more: the run is left, not lost. */
  function onBrokenOutput({ code }: NodeJS.ErrnoException): void {
    interrupts++
    // Who has seen enough, as `head` does, is no error.
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
    async follow(host, handle, from) {
      const { before } = from
      const show = session.json
        ? createJsonShow(from)
        : createPersonShow(session, host, handle, from, onSignal)
      say = show.say
      firstWords = 'Finishing the step in flight, 10 s at most; Ctrl-C again to leave at once.'
      const abandon = (): void => handle.shutDown({ now: true })
      hurry.signal.addEventListener('abort', abandon, { once: true })
      if (hurry.signal.aborted) abandon()
      let end: DriveEnd
      try {
        for await (const recorded of handle.events({ afterSeq: before?.run.lastSeq ?? 0 })) {
          show.event(recorded)
        }
        end = await handle.done
      } finally {
        show.close()
        hurry.signal.removeEventListener('abort', abandon)
      }
      const epilogue = await from.epilogue?.(end)
      show.end(handle, end, epilogue)
      const exitCode = epilogue?.exitCode ?? exitCodeOf(end, interrupts > 0)
      process.exitCode = outputFailed ? outputExitCode : exitCode
    },
    close() {
      for (const name of signals) process.removeListener(name, onSignal)
    },
  }
}

interface Show {
  event(recorded: RecordedEvent): void
  say(line: string): void
  end(handle: RunHandle, end: DriveEnd, epilogue: Epilogue | undefined): void
  close(): void
}

/** Each event is a line, and so is the end. */
function createJsonShow({ isReplay = false }: From): Show {
  const print = (value: unknown): void => void process.stdout.write(`${renderJson(value)}\n`)
  return {
    event: isReplay ? () => undefined : print,
    say: (line) => void process.stderr.write(`${line}\n`),
    end: ({ id, name }, end, epilogue) => print({ run: id, name, ...end, ...epilogue?.value }),
    close: () => undefined,
  }
}

/** A question that is asked again only to take the answer that waits: in short. */
function answeredBefore(
  recorded: RecordedEvent,
  { questions }: Pick<Inspection, 'questions'>,
): RecordedEvent | undefined {
  const { event } = recorded
  if (event.type !== 'step-started' || event.question === undefined) return undefined
  const id = `${event.iteration}/${event.step}`
  if (event.attempt === 1 || questions.some((open) => open.id === id)) return undefined
  const [first = ''] = event.question.text.split('\n', 1)
  const question = { ...event.question, text: `${first} (it was answered)` }
  return { ...recorded, event: { ...event, question } }
}

function createPersonShow(
  session: Session,
  host: Host,
  handle: RunHandle,
  { before, title, notes = [], isReplay = false }: From,
  onLeave: () => void,
): Show {
  const { terminal } = session
  const display = createDisplay(process.stdout, terminal, before?.state ?? initialState)
  const asker = createAsker(host, handle, display, { terminal, onLeave })
  const head = visible(handle.name)
  const [first = '', ...more] = [`${handle.name}  ${title}`, ...notes].flatMap((text) =>
    renderNotice(text, terminal),
  )
  display.say(`${terminal.style.bold(head)}${first.slice(head.length)}`)
  for (const line of more) display.say(line)
  return {
    event(recorded) {
      const answered = before === undefined ? undefined : answeredBefore(recorded, before)
      display.show(answered ?? recorded)
      if (!isReplay && answered === undefined) asker.notice(recorded)
    },
    say: (line) => display.say(line),
    end({ name }, end, epilogue) {
      for (const line of epilogue?.lines ?? []) process.stdout.write(`${line}\n`)
      if (end.type !== 'suspended') return
      process.stdout.write(
        `${terminal.style.yellow(`suspended: ${visible(end.reason)}`)}\n` +
          `Go on with: loopctl resume ${visible(name)}\n`,
      )
    },
    close() {
      asker.close()
      display.close()
    },
  }
}
