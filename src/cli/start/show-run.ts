/** Shows a run while it is running: to a person, who can answer questions, or as lines of JSON. */

import { initialState, type RecordedEvent } from '../../loop/index.ts'
import type { RunDetail } from '../../protocol/api/index.ts'
import { type Answers, createAsker, type RunName } from '../ask.ts'
import { createDisplay } from '../display/display.ts'
import { renderJson, visible } from '../display/render.ts'
import { renderNotice } from '../display/wrap.ts'
import type { Session } from '../session.ts'
import type { RunEnd } from './run-end.ts'

/** Where watching starts, and what is printed when it ends. */
export interface From {
  readonly before: RunDetail | undefined
  readonly title: string
  /** Lines for people, under the title. */
  readonly notes?: readonly string[]
  /** No prompts; with --json only the end is printed. */
  readonly isReplay?: boolean
  /** Another process already drives it and has put its questions. */
  readonly isUnderWay?: boolean
  /** Why it does not start at once. */
  readonly waits?: string
  readonly epilogue?: (end: RunEnd) => Promise<Epilogue | undefined>
}

export interface Epilogue {
  /** For people. */
  readonly lines: readonly string[]
  /** For programs: printed with the end. */
  readonly value: object
  /** Overrides the exit code of the end. */
  readonly exitCode?: number
}

export const createShow = (
  session: Session,
  answers: Answers,
  run: RunName,
  from: From,
  onLeave: () => void,
): Show =>
  session.json ? createJsonShow(from) : createPersonShow(session, answers, run, from, onLeave)

export interface Show {
  event(recorded: RecordedEvent): void
  say(line: string): void
  /** Why the run is waiting; undefined: it no longer is. */
  wait(why: string | undefined): void
  end(run: RunName, end: RunEnd, epilogue: Epilogue | undefined): void
  close(): void
}

/** One line per event, and one for the end. */
function createJsonShow({ isReplay = false }: From): Show {
  const print = (value: unknown): void => void process.stdout.write(`${renderJson(value)}\n`)
  return {
    event: isReplay ? () => undefined : print,
    say: (line) => void process.stderr.write(`${line}\n`),
    wait: () => undefined,
    end: ({ id, name }, end, epilogue) => print({ run: id, name, ...end, ...epilogue?.value }),
    close: () => undefined,
  }
}

/** A question that was already answered, and is repeated only to take that answer. */
export function isAnswered(
  { event }: RecordedEvent,
  { questions }: Pick<RunDetail, 'questions'>,
): boolean {
  if (event.type !== 'step-started' || event.question === undefined) return false
  return event.attempt > 1 && !questions.some(({ id }) => id === `${event.iteration}/${event.step}`)
}

/** Shortens one. */
function answeredBefore(
  recorded: RecordedEvent,
  { questions }: Pick<RunDetail, 'questions'>,
): RecordedEvent | undefined {
  const { event } = recorded
  if (event.type !== 'step-started' || event.question === undefined) return undefined
  if (!isAnswered(recorded, { questions })) return undefined
  const [first = ''] = event.question.text.split('\n', 1)
  const question = { ...event.question, text: `${first} (answered)` }
  return { ...recorded, event: { ...event, question } }
}

function createPersonShow(
  session: Session,
  answers: Answers,
  run: RunName,
  { before, title, notes = [], isReplay = false, isUnderWay = false }: From,
  onLeave: () => void,
): Show {
  const { terminal, quiet } = session
  const { hint } = session
  const state = before?.state ?? initialState
  const display = createDisplay(process.stdout, terminal, state, { quiet, hint })
  const asker = createAsker(answers, run, display, { hint, terminal, onLeave })
  const head = visible(run.name)
  const [first = '', ...more] = [`${run.name}  ${title}`, ...notes].flatMap((text) =>
    renderNotice(text, terminal),
  )
  if (!quiet) {
    display.say(`${terminal.style.bold(head)}${first.slice(head.length)}`)
    for (const line of more) display.say(line)
  }
  if (isUnderWay) for (const asked of before?.questions ?? []) asker.put(asked)
  return {
    event(recorded) {
      const answered = before === undefined ? undefined : answeredBefore(recorded, before)
      display.show(answered ?? recorded)
      if (!isReplay && answered === undefined) asker.notice(recorded)
    },
    say: (line) => display.say(line),
    wait: (why) => display.wait(why),
    end({ name }, end, epilogue) {
      for (const line of epilogue?.lines ?? []) process.stdout.write(`${line}\n`)
      if (end.type !== 'suspended') return
      process.stdout.write(
        `${terminal.style.yellow(`suspended: ${visible(end.reason)}`)}\n` +
          hint(`Resume it: loopctl resume ${visible(name)}\n`),
      )
    },
    close() {
      asker.close()
      display.close()
    },
  }
}
