/**
 * Loop files that were spoilt in every way: each is either used, and means the same when it is read
 * again, or refused with a line, a column and a reason. Nothing else ever comes out.
 */

import { isDeepStrictEqual } from 'node:util'
import { isLoopError, LoopFileError } from 'loopwright'
import { parseLoopFile } from '#src/definition/loop-file/index.ts'
import { seededRandom } from '#src/testing/seeded-random.ts'
import { atMost, type Suite, type SuiteOptions } from '../bench/report.ts'
import { mutate } from './loop-file-mutations.ts'
import { loopFileSeeds } from './loop-file-seeds.ts'

const filesWanted = 5000
/** Deadlines of the seeds are later. */
const nowMs = Date.parse('2026-11-15T12:00:00Z')
const fileName = 'fuzz.yaml'

export const loopFileFuzz: Suite = {
  area: 'host',
  title: 'loop files that were spoilt are refused with a line and a reason',
  share: 0.2,
  async run(options) {
    const { files, accepted, slowestMs, failures } = await fuzzLoopFiles(options)
    const detail = `${files} files, ${accepted} still usable, the slowest took ${Math.round(slowestMs)} ms`
    const shown = failures[0] === undefined ? detail : `${detail}; ${failures[0]}`
    return [atMost('host.loop-file-fuzz', failures.length, 0, 'failures', shown)]
  },
}

export interface FuzzReport {
  readonly files: number
  readonly accepted: number
  readonly slowestMs: number
  /** Each begins with its seed. */
  readonly failures: readonly string[]
}

type Parse = typeof parseLoopFile

let reads = 0

const broken = {
  throws: () => Promise.reject(new TypeError('x is not a function')),
  'never the same': async (content, file, options) => {
    const parsed = await parseLoopFile(content, file, options)
    return { ...parsed, file: { ...parsed.file, name: `${reads++}` } }
  },
  'no place': async (content, file, options) => {
    const problem = { file, line: 0, column: 1, path: 'the file', reason: 'it is wrong' }
    return parseLoopFile(content, file, options).catch(() => {
      throw new LoopFileError(file, [problem])
    })
  },
} satisfies Record<string, Parse>

export interface FuzzOptions extends Pick<SuiteOptions, 'scale'> {
  /** Only this one. */
  readonly seed?: number | undefined
  /** Another reader: to show that the proof would notice. */
  readonly sabotage?: keyof typeof broken
}

export async function fuzzLoopFiles(options: FuzzOptions): Promise<FuzzReport> {
  const { scale, seed, sabotage } = options
  const parse = sabotage === undefined ? parseLoopFile : broken[sabotage]
  const first = seed ?? 1
  const files = seed === undefined ? Math.max(1, Math.round(filesWanted * scale)) : 1
  const failures: string[] = []
  let accepted = 0
  let slowestMs = 0
  for (let current = first; current < first + files; current++) {
    const content = mutate(seededRandom(current), loopFileSeeds)
    const startMs = performance.now()
    const problem = await judge(content, parse)
    slowestMs = Math.max(slowestMs, performance.now() - startMs)
    if (problem === 'accepted') accepted++
    else if (problem !== 'refused') failures.push(`seed ${current}: ${problem}`)
  }
  return { files, accepted, slowestMs, failures }
}

/** `accepted`, `refused`, or what is wrong with the answer. */
async function judge(content: Uint8Array, parse: Parse): Promise<string> {
  const first = await answer(content, parse)
  const second = await answer(content, parse)
  if (!isDeepStrictEqual(first, second)) return 'it means something else when it is read again'
  if (!('thrown' in first)) return 'accepted'
  const { thrown } = first
  if (!isLoopError(thrown, 'bad-loop-file') || !(thrown instanceof LoopFileError)) {
    return `it threw ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`
  }
  return messageProblem(thrown, content) ?? 'refused'
}

type Answer = { readonly file: unknown } | { readonly thrown: unknown }

async function answer(content: Uint8Array, parse: Parse): Promise<Answer> {
  try {
    const { file, templates } = await parse(content, fileName, { nowMs })
    return { file: { file, templates } }
  } catch (thrown) {
    return { thrown }
  }
}

const problemLine = /^.+:\d+:\d+: .+: .+$/u
const linesMax = 22
const charsMax = 20_000

function messageProblem(error: LoopFileError, content: Uint8Array): string | undefined {
  const { message, problems } = error
  const [head = '', ...told] = message.split('\n')
  const lastLine = Buffer.from(content).toString().split('\n').length
  if (problems.length === 0) return 'it was refused without a reason'
  if (!head.includes('loopctl validate')) return `the first line names no next step: ${head}`
  if (told.length > linesMax || message.length > charsMax) return 'the message is too long'
  if (/\n\s+at |\[object|undefined|NaN/.test(message)) return `not for people: ${message}`
  // oxlint-disable-next-line no-control-regex -- these are what is looked for.
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(message)) return 'it has control characters'
  const unplaced = told.slice(0, problems.length).find((line) => !problemLine.test(line))
  if (unplaced !== undefined) return `no line, column and reason: ${unplaced}`
  const beyond = problems.find(({ line, column }) => line < 1 || line > lastLine || column < 1)
  return beyond === undefined ? undefined : `line ${beyond.line} of ${lastLine}: ${beyond.reason}`
}
