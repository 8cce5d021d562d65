/** `loopctl answer` and `loopctl tell`: what a person says to a run. */

import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type AnswerInput, defined, type Json, LoopError, questionName } from '../../loop/index.ts'
import { readSmallFile } from '../../system/small-file.ts'
import type { Inspected, Runs } from '../connection/runs.ts'
import { visible } from '../display/render.ts'
import { who, withRuns } from '../session.ts'

interface AnswerOptions {
  readonly accept?: true
  readonly edit?: string
  readonly respond?: string
  readonly reject?: true
  readonly code?: string
}

interface TellOptions {
  readonly file?: string
  readonly line?: number
}

export function addAnswerCommands(program: Command): void {
  const kinds = ['accept', 'edit', 'respond', 'reject']
  const only = (option: Option, kind: string): Option =>
    option.conflicts(kinds.filter((other) => other !== kind))
  program
    .command('answer <run> [question] [answer]')
    .description('answer a question of a run')
    .addOption(only(new Option('--accept', 'accept what is proposed'), 'accept'))
    .addOption(
      only(new Option('--edit <value>', 'accept it with changes: a JSON file or text'), 'edit'),
    )
    .addOption(only(new Option('--respond <text>', 'tell the agent what to do instead'), 'respond'))
    .addOption(only(new Option('--reject', 'reject what is proposed'), 'reject'))
    .option('--code <code>', 'the code at the end of loopctl diff --review')
    .action((run: string, question: string | undefined, answer: string | undefined, options) =>
      withRuns(program, async (runs, { hint, print }) => {
        const said = readWords(question, answer, options as AnswerOptions)
        const given = await readAnswer(said.answer, options as AnswerOptions)
        const asked = said.question ?? (await onlyQuestion(runs, run))
        await runs.answer(run, asked, given, who())
        const { run: row, queue } = await runs.inspect(run)
        const { name, status, held } = row
        // A run that is not driven does not read the answer until it is resumed.
        const isDriven = held || queue !== undefined
        const next = isDriven
          ? ''
          : `; ${name} is not running: ${await describeHowToResume(runs, row)}`
        print({ run, answered: asked, status, held }, () =>
          visible(`answered ${questionName(asked)} of ${name}${hint(next)}`),
        )
      }),
    )
  program
    .command('tell <run> <text>')
    .description('send guidance to the agent of a run')
    .option('--file <path>', 'the file that it is about, with its path in the diff')
    .option('--line <n>', 'the line of that file', lineNumber)
    .action((run: string, text: string, options: TellOptions) =>
      withRuns(program, async (runs, { print }) => {
        if (text.trim() === '') {
          throw new LoopError('bad-request', 'There is nothing to tell: the text is empty.')
        }
        await runs.sendDecision(run, { type: 'tell', text, ...readPlace(options) }, who())
        const { status, held } = (await runs.inspect(run)).run
        const note = held
          ? 'reaches its agent before its next model call, or the next iteration'
          : 'reaches its agent when the run continues'
        print({ run, told: 'tell', status, held }, () => visible(`told ${run}: ${note}`))
      }),
    )
}

function lineNumber(text: string): number {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of a line, from 1.')
}

function readPlace({ file, line }: TellOptions): {
  readonly at?: { readonly file: string; readonly line: number }
} {
  if (file === undefined && line === undefined) return {}
  if (file === undefined || file === '' || line === undefined) {
    throw new LoopError('bad-request', 'A comment on a line needs both --file and --line.')
  }
  return { at: { file, line } }
}

/** A single word without a kind is the answer to the only question. */
function readWords(
  question: string | undefined,
  answer: string | undefined,
  { accept, edit, respond, reject }: AnswerOptions,
): { readonly question: string | undefined; readonly answer: string | undefined } {
  const hasKind = [accept, edit, respond, reject].some((kind) => kind !== undefined)
  return answer === undefined && !hasKind
    ? { question: undefined, answer: question }
    : { question, answer }
}

/** Exactly one of an answer and a kind. */
async function readAnswer(
  answer: string | undefined,
  { accept, edit, respond, reject, code }: AnswerOptions,
): Promise<AnswerInput> {
  const byKind: readonly AnswerInput[] = [
    ...(accept === true ? [{ kind: 'accept', ...defined({ code }) } as const] : []),
    ...(reject === true ? [{ kind: 'reject' } as const] : []),
    ...(respond === undefined ? [] : [{ kind: 'respond', answer: respond } as const]),
    ...(edit === undefined
      ? []
      : [{ kind: 'edit', value: await readEdited(edit), ...defined({ code }) } as const]),
  ]
  const [first] = byKind
  if ((answer === undefined) !== (first === undefined)) {
    return first ?? { answer: code === undefined ? (answer ?? '') : `${answer} ${code}` }
  }
  const message =
    first === undefined
      ? 'Pass an answer, or one of --accept, --edit, --respond and --reject.'
      : 'Pass an answer or a kind of answer, not both.'
  throw new LoopError('bad-request', `${message} See the question with: loopctl inbox`)
}

const editedBytesMax = 1_000_000

/** A file with JSON, JSON, or any other text. */
async function readEdited(given: string): Promise<Json> {
  const text = existsSync(given) ? await readSmallFile(given, editedBytesMax) : given
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

async function onlyQuestion(runs: Runs, run: string): Promise<string> {
  const { questions } = await runs.inspect(run)
  const [first, ...others] = questions
  if (first === undefined) {
    throw new LoopError(
      'unknown-question',
      `Run "${run}" has no open question. See all questions: loopctl inbox`,
    )
  }
  if (others.length === 0) return first.id
  const names = questions.map(({ id }) => questionName(id)).join(', ')
  throw new LoopError('bad-request', `Run "${run}" has several questions: ${names}. Name one.`)
}

/** A run that a stopped daemon was driving continues with the next daemon. */
async function describeHowToResume(runs: Runs, { id, name }: Inspected['run']): Promise<string> {
  const isQueued = (await runs.queue()).some(({ run }) => run === id)
  return isQueued
    ? 'it resumes when the daemon starts: loopctl daemon start'
    : `to resume it: loopctl resume ${name}`
}
