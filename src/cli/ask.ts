/**
 * Puts what a run asks to the person at the terminal. Without one it says how to answer from
 * elsewhere; the default is taken at the deadline either way.
 */

import type { Client } from '../client/index.ts'
import {
  isLoopError,
  type OpenQuestion,
  type Question,
  questionDeadlineMs,
  questionName,
  type RecordedEvent,
  type RunId,
} from '../loop/index.ts'
import type { Display } from './display/display.ts'
import { renderTime, visible, visibleText } from './display/render.ts'
import { who } from './session.ts'
import { shellWord } from './shell-word.ts'
import type { Terminal } from './terminal.ts'

export interface Asker {
  notice(recorded: RecordedEvent): void
  /** What is asked already. */
  put(asked: OpenQuestion): void
  close(): void
}

export interface RunName {
  readonly id: RunId
  readonly name: string
}

export type Answers = Pick<Client, 'answer'>

export function createAsker(
  answers: Answers,
  run: RunName,
  display: Display,
  /** `onLeave`: the person wants to leave instead of answering. */
  {
    terminal,
    onLeave,
    hint = String,
  }: {
    readonly terminal: Terminal
    readonly onLeave: () => void
    readonly hint?: (text: string) => string
  },
): Asker {
  /** One question at a time; each ends when it is answered anywhere. */
  const open = new Map<string, AbortController>()
  let asking: Promise<void> = Promise.resolve()

  async function ask(asked: OpenQuestion, step: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    display.pause()
    try {
      // A prompt that is over must not be ended again: it would print.
      const answer = await promptFor(asked.question, signal).finally(() => open.delete(step))
      // Answered elsewhere, or nobody waits for it any more.
      if (signal.aborted) return
      if (answer === undefined) {
        display.say(hint(howToAnswer(run.name, asked)))
        return onLeave()
      }
      await answers.answer(run.id, asked.id, answer, who())
    } catch (error) {
      // Somebody was faster, or the run has gone on without an answer.
      if (!isLoopError(error)) throw error
      display.say(visible(error.message))
      // A code that is not the one of the review.
      if (error.code === 'bad-answer') put(asked)
    } finally {
      display.resume()
    }
  }

  function put(asked: OpenQuestion): void {
    if (!terminal.asks) return display.say(hint(howToAnswer(run.name, asked)))
    const step = asked.id.slice(asked.id.indexOf('/') + 1)
    const gone = new AbortController()
    open.set(step, gone)
    asking = asking.then(() => ask(asked, step, gone.signal)).catch(() => undefined)
  }

  return {
    put(asked) {
      display.say(`  ${visibleText(asked.question.text.trimEnd()).replaceAll('\n', '\n  ')}`)
      put(asked)
    },
    notice({ event, atMs }) {
      if (event.type === 'step-started' && event.question !== undefined) {
        const { question, iteration, step } = event
        const deadlineAtMs = event.wakeAtMs ?? atMs + (question.deadlineMs ?? questionDeadlineMs)
        put({ id: `${iteration}/${step}`, question, askedAtMs: atMs, deadlineAtMs })
      } else if (event.type === 'step-finished' || event.type === 'step-interrupted') {
        open.get(event.step)?.abort()
        open.delete(event.step)
      }
    },
    close() {
      for (const gone of open.values()) gone.abort()
    },
  }
}

/** A line for each answer, as it is typed. */
export function howToAnswer(
  run: string,
  { id, question, deadlineAtMs }: Pick<OpenQuestion, 'id' | 'question' | 'deadlineAtMs'>,
): string {
  const command = `loopctl answer ${shellWord(run)} ${shellWord(questionName(id))}`
  const { confirm: needed } = question
  const answers = question.options?.map((option) =>
    option === needed?.option ? `'${option} <code>'` : shellWord(option),
  ) ?? ["'<your answer>'"]
  return [
    ...answers.map(
      (word, at) => `${at === 0 ? 'Answer with:' : '         or:'} ${command} ${word}`,
    ),
    `             ("${question.default}" is taken at ${renderTime(deadlineAtMs)})`,
  ]
    .map(visible)
    .join('\n')
}

/** Undefined when the person pressed Ctrl-C instead. */
export async function promptFor(
  question: Question,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { isCancel, select, text } = await import('@clack/prompts')
  // All of a longer one was told before.
  const message = visible(question.text.split('\n', 1)[0] ?? '')
  const answer =
    question.options === undefined
      ? await text({ message, placeholder: question.default, signal })
      : await select({
          message,
          initialValue: question.default,
          options: question.options.map((option) => ({ value: option, label: visible(option) })),
          signal,
        })
  if (isCancel(answer)) return undefined
  const { confirm: needed } = question
  if (needed === undefined || answer !== needed.option) return answer
  const code = await text({ message: 'The code at the end of loopctl diff --review:', signal })
  return isCancel(code) ? undefined : `${answer} ${code.trim()}`
}

/** The user pressed Ctrl-C at a prompt: the command ends without starting anything. */
export class CancelledError extends Error {
  constructor() {
    super('Cancelled.')
    this.name = 'CancelledError'
  }
}

/** Asks the user yes or no. */
export async function confirm(message: string): Promise<boolean> {
  const { confirm: clackConfirm, isCancel } = await import('@clack/prompts')
  const answer = await clackConfirm({ message, initialValue: false })
  if (isCancel(answer)) throw new CancelledError()
  return answer
}
