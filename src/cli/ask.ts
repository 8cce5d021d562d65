/**
 * Puts the questions of a run to the user at the terminal. Without a terminal it prints how to answer from
 * elsewhere. Either way, the default is used at the deadline.
 */

import type { Client } from '../client/index.ts'
import {
  isLoopError,
  listAnswerKinds,
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
  /** Questions that are already open. */
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
  /** `onLeave`: the user pressed Ctrl-C instead of answering. */
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
  /** One question at a time; a prompt closes when its question is answered anywhere. */
  const open = new Map<string, AbortController>()
  let asking: Promise<void> = Promise.resolve()

  async function ask(asked: OpenQuestion, step: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    display.pause()
    try {
      // Aborting a prompt that has ended would print again.
      const answer = await promptFor(asked.question, signal).finally(() => open.delete(step))
      // Answered elsewhere, or no longer needed.
      if (signal.aborted) return
      if (answer === undefined) {
        display.say(hint(howToAnswer(run.name, asked)))
        return onLeave()
      }
      await answers.answer(run.id, asked.id, answer, who())
    } catch (error) {
      // Answered elsewhere meanwhile, or the run continued without an answer.
      if (!isLoopError(error)) throw error
      display.say(visible(error.message))
      // The code is not the one of the review.
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

/** The command to type for each answer. */
export function howToAnswer(
  run: string,
  { id, question, deadlineAtMs }: Pick<OpenQuestion, 'id' | 'question' | 'deadlineAtMs'>,
): string {
  const command = `loopctl answer ${shellWord(run)} ${shellWord(questionName(id))}`
  const { confirm: needed } = question
  const answers = question.options?.map((option) =>
    option === needed?.option ? `'${option} <code>'` : shellWord(option),
  ) ?? ["'<your answer>'"]
  const responds = question.options !== undefined && listAnswerKinds(question).includes('respond')
  const words = !responds ? answers : [...answers, `--respond '<what to do instead>'`]
  return [
    ...words.map((word, at) => `${at === 0 ? 'Answer with:' : '         or:'} ${command} ${word}`),
    `             (default "${question.default}" at ${renderTime(deadlineAtMs)})`,
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
  // A longer question was already printed in full.
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
