/** How a run is shown while it goes on: to a person, who may be asked, or as lines of JSON. */

import { initialState, type RecordedEvent } from '../../loop/index.ts'
import type { RunDetail } from '../../protocol/api/index.ts'
import { type Answers, createAsker, type RunName } from '../ask.ts'
import { createDisplay } from '../display/display.ts'
import { renderJson, visible } from '../display/render.ts'
import { renderNotice } from '../display/wrap.ts'
import type { Session } from '../session.ts'
import type { RunEnd } from './run-end.ts'

/** Where watching starts, and what is printed at the end. */
export interface From {
  readonly before: RunDetail | undefined
  readonly title: string
  /** Lines for people, under the title. */
  readonly notes?: readonly string[]
  /** It asks no questions, and with --json only its end is printed. */
  readonly isReplay?: boolean
  /** It is driven already: its open questions were asked before. */
  readonly isUnderWay?: boolean
  /** Why it does not begin at once. */
  readonly waits?: string
  readonly epilogue?: (end: RunEnd) => Promise<Epilogue | undefined>
}

export interface Epilogue {
  /** For people. */
  readonly lines: readonly string[]
  /** For programs: goes with the end. */
  readonly value: object
  /** In place of the one that the end has. */
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
  /** Why nothing happens now; undefined: something does again. */
  wait(why: string | undefined): void
  end(run: RunName, end: RunEnd, epilogue: Epilogue | undefined): void
  close(): void
}

/** Each event is a line, and so is the end. */
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

/** A question that is asked again only to take the answer that waits: in short. */
function answeredBefore(
  recorded: RecordedEvent,
  { questions }: Pick<RunDetail, 'questions'>,
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
