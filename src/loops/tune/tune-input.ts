/** The input of a run of `tune`: the files that were captured when it was created. */

import { type Json, LoopError } from '../../loop/index.ts'
import { isJsonObject } from '../../protocol/index.ts'
import { parseAnswers } from './answers.ts'
import type { CapturedText } from './captured-text.ts'
import { parsePlan } from './plan/parse-plan.ts'
import { parseLog } from './report/parse-log.ts'
import { parseRequest } from './report/request.ts'
import type { TuneInput, TuneSettings } from './tune-session.ts'

const files = ['plan', 'log', 'request', 'answers'] as const

type Given = { readonly [name: string]: Json }
type Read = (path: string) => Promise<CapturedText | undefined>

/**
 * The files that the input names, as they are now. A file may also be given as its text, which is how a client sends one of another
 * machine. Rejects with `bad-request`.
 */
export async function captureInput(
  { manifest, pick }: Pick<TuneSettings, 'manifest' | 'pick'>,
  input: Given,
  read: Read,
): Promise<Given> {
  const captured: Record<string, Json> = { ...input }
  for (const name of files) {
    const given = input[name]
    if (typeof given === 'string' && given !== '')
      captured[name] = await captureFile(name, given, read)
  }
  const request = readCaptured(captured['request'])
  const asked = request === undefined ? undefined : parseRequest(request.text)
  const named = input['manifest'] ?? (typeof asked === 'object' ? asked.manifest : undefined)
  const path = typeof named === 'string' && named !== '' ? named : manifest
  const found = await read(path)
  if (found !== undefined) return { ...captured, manifest: { ...found } }
  const canAsk = pick === 'ask' || captured['answers'] !== undefined
  if (typeof named !== 'string' && canAsk) return captured
  throw new LoopError(
    'bad-request',
    `There is no manifest ${path}, or it is larger than 4 MB or a link. Write one (schemas/manifest.schema.json describes it), name another one with --manifest, or answer the questions that make one: loopctl tune --pick ask`,
  )
}

const problemIn: Readonly<Record<(typeof files)[number], (text: string) => string | undefined>> = {
  plan: (text) => asProblem(parsePlan(text)),
  log: (text) => asProblem(parseLog(text)),
  request: (text) => asProblem(parseRequest(text)),
  answers: (text) => asProblem(parseAnswers(text)),
}

const asProblem = (parsed: unknown): string | undefined =>
  typeof parsed === 'string' ? parsed : undefined

async function captureFile(
  name: (typeof files)[number],
  given: string,
  read: Read,
): Promise<{ readonly path: string; readonly text: string }> {
  // A text has lines, or is an object; a path has and is neither.
  const isText = given.includes('\n') || given.startsWith('{')
  const found = isText ? { path: `the given ${name}`, text: given } : await read(given)
  if (found === undefined) {
    throw new LoopError(
      'bad-request',
      `There is no ${name} file ${given.slice(0, 500)}. Name another one with --${name}.`,
    )
  }
  const problem = problemIn[name](found.text)
  if (problem === undefined) return { ...found }
  throw new LoopError(
    'bad-request',
    `${found.path} cannot be used as ${name}: ${problem}. Correct it, then run the loop again.`,
  )
}

export function readTuneInput(input: unknown): TuneInput {
  const given = isJsonObject(input) ? input : {}
  const { case: only, framing } = given
  const captured = files.flatMap((name) => {
    const file = readCaptured(given[name])
    return file === undefined ? [] : [[name, file] as const]
  })
  return {
    manifest: readCaptured(given['manifest']) ?? { path: '', text: '' },
    cases: readCases(only),
    ...Object.fromEntries(captured),
    ...(typeof framing === 'string' && framing.trim() !== '' ? { framing } : {}),
  }
}

function readCaptured(value: unknown): CapturedText | undefined {
  if (!isJsonObject(value)) return undefined
  const { path, text } = value
  return typeof path === 'string' && typeof text === 'string' ? { path, text } : undefined
}

/** A line for each case. */
function readCases(value: unknown): readonly string[] {
  const lines = Array.isArray(value) ? value : typeof value === 'string' ? value.split('\n') : []
  return lines.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []))
}
