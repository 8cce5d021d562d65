/** `loopctl tune`: makes a loop of its options, and starts it, or continues an earlier one. */

import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { defined, isEnd, type Json, LoopError } from '../../loop/index.ts'
import { isJsonObject } from '../../protocol/index.ts'
import { withLookingClient } from '../connection/operate.ts'
import type { ChosenLoop } from '../inline-loop.ts'
import { openSession, readStateFolder } from '../session.ts'
import { startChosen } from '../start/start-chosen.ts'
import type { TuneOptions } from './tune-options.ts'

const fileBytesMax = 1_000_000

export async function startTuning(
  program: Command,
  file: string | undefined,
  options: TuneOptions,
): Promise<void> {
  const continued = options.continue === undefined ? undefined : await findEarlier(program, options)
  if (continued?.type === 'open') return resumeEarlier(program, continued.run, options)
  const input = await inputOf(options, continued?.text)
  const { pick: _pick, ...rest } = options
  const run = { ...rest, input }
  if (file !== undefined) {
    requireNoLoopOptions(file, options)
    const keep = async (): Promise<void> => undefined
    return startChosen(program, { file, options: run, isInline: false, close: keep })
  }
  return startChosen(program, await storeLoop(program, options, run))
}

async function storeLoop(
  program: Command,
  options: TuneOptions,
  run: Omit<TuneOptions, 'pick'>,
): Promise<ChosenLoop<Omit<TuneOptions, 'pick'>>> {
  const [{ tuneLoopFile }, { parseAgent }, { storeInlineLoop, writeTemporaryLoop }] =
    await Promise.all([
      import('../../launch/init/tune-text.ts'),
      import('../../launch/init/loop-text.ts'),
      import('../../launch/init/write-loop.ts'),
    ])
  const { composer, reviewer, framing, mode, apply } = options
  const agents = Object.entries({ composer, reviewer }).flatMap(([role, agent]) =>
    agent === undefined ? [] : [[role, parseAgent(agent)] as const],
  )
  const { terminal } = openSession(program)
  const folder = basename(resolve(options.workspace ?? '.')).replaceAll(/[^\w.-]+/g, '-')
  const loop = tuneLoopFile({
    name: `tune-${folder}`.slice(0, 60),
    pick: options.pick ?? (terminal.asks && options.answers === undefined ? 'ask' : 'policy'),
    agents: Object.fromEntries<Json>(agents),
    ...defined({ mode: mode ?? (framing === undefined ? undefined : 'custom'), apply }),
  })
  if (options.dryRun === true) {
    const { file, remove } = await writeTemporaryLoop(loop)
    return { file, options: run, isInline: true, close: remove }
  }
  const { file } = await storeInlineLoop(loop, resolve(await readStateFolder(program)))
  return { file, options: run, isInline: true, close: async () => undefined }
}

/** A loop file says these itself. */
function requireNoLoopOptions(file: string, options: TuneOptions): void {
  const { mode, pick, apply, composer, reviewer } = options
  const given = Object.entries({ mode, pick, apply, composer, reviewer }).find(
    ([, value]) => value !== undefined,
  )
  if (given === undefined) return
  throw new LoopError(
    'bad-request',
    `${file} has its own settings, so --${given[0]} cannot be used with it. Edit the file, or tune without one: loopctl tune`,
  )
}

/** Texts of files, so that a daemon on another machine needs none of them; paths of the manifest are those of the workspace. */
async function inputOf(
  options: TuneOptions,
  log: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  const { manifest, plan, answers, request, framing } = options
  const input: Record<string, string> = { ...options.input }
  if (manifest !== undefined) input['manifest'] = pathInside(options, manifest)
  if (plan !== undefined) input['plan'] = await readText(plan, '--plan')
  if (request !== undefined) input['request'] = await readText(request, '--request')
  if (answers !== undefined) input['answers'] = await readAnswers(answers)
  if (log !== undefined) input['log'] = log
  if (framing !== undefined) input['framing'] = framing
  const cases = options.case ?? []
  if (cases.length > 0) input['case'] = cases.join('\n')
  return input
}

function pathInside({ workspace = '.' }: TuneOptions, path: string): string {
  const inner = relative(resolve(workspace), resolve(path))
  if (inner !== '' && !inner.startsWith('..') && !isAbsolute(inner)) return inner
  throw new LoopError(
    'bad-request',
    `--manifest ${path} is not in ${resolve(workspace)}. A manifest lies with the code of its workload; use another folder: --workspace <folder>`,
  )
}

async function readText(path: string, option: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true) {
    throw new LoopError(
      'unknown-file',
      `${option} ${path}: there is no such file. Name another file.`,
    )
  }
  if (found.size > fileBytesMax) {
    throw new LoopError(
      'bad-request',
      `${option} ${path}: the file has more than 1 MB. Name another file.`,
    )
  }
  const text = await readFile(path, 'utf8')
  // The input takes a text with a line break as text, else as a path.
  return text.includes('\n') ? text : `${text}\n`
}

/** YAML and JSON mean the same here. */
async function readAnswers(path: string): Promise<string> {
  const text = await readText(path, '--answers')
  const { parse } = await import('yaml')
  try {
    const parsed: unknown = parse(text)
    if (isJsonObject(parsed)) return `${JSON.stringify(parsed)}\n`
  } catch {
    // Lines such as "pick: a: b" are no YAML, and have a meaning.
  }
  return text
}

type Earlier =
  | { readonly type: 'open'; readonly run: string }
  | { readonly type: 'log'; readonly text: string }

/** The log of an ended run, or the name of one that has not ended. */
async function findEarlier(program: Command, options: TuneOptions): Promise<Earlier> {
  const given = options.continue
  if (
    typeof given === 'string' &&
    (given.endsWith('.md') || given.includes('/')) &&
    existsSync(given)
  ) {
    return { type: 'log', text: await readText(given, '--continue') }
  }
  return withLookingClient(program, async (client) => {
    const folder = resolve(options.workspace ?? '.')
    const recent = given === true ? await client.runs({ workspace: folder, limit: 50 }) : undefined
    const names = recent?.items.map(({ name }) => name) ?? [String(given)]
    for (const name of names) {
      const log = await client
        .operate('tune', { name: 'log', method: 'get', about: 'run' }, { run: name })
        .catch((error: unknown) => {
          if (given === true) return undefined
          throw error
        })
      const text = isJsonObject(log) ? log['text'] : undefined
      if (typeof text !== 'string') continue
      const { run } = await client.inspect(name)
      if (!isEnd(run.status)) return { type: 'open', run: name }
      if (text.length > fileBytesMax) throw tooLong(name)
      return { type: 'log', text }
    }
    throw new LoopError(
      'unknown-run',
      `No run in ${folder} was tuned. Name a run, or a LOOP_LOG.md: loopctl tune --continue <run or file>`,
    )
  })
}

/** The input of a request is limited; a file of the workspace may be four times as long. */
const tooLong = (run: string): LoopError =>
  new LoopError(
    'bad-request',
    `The log of ${run} has more than 1 MB. Save it in the workspace (loopctl tune log ${run} > LOOP_LOG.md), and continue with a loop file: loopctl run <file> --input log=LOOP_LOG.md`,
  )

async function resumeEarlier(program: Command, run: string, options: TuneOptions): Promise<void> {
  const [{ resumeRun }, { withStarter }] = await Promise.all([
    import('../start/start-runs.ts'),
    import('../start/with-starter.ts'),
  ])
  await withStarter(program, options, async (starter) => {
    const before = await starter.client.inspect(run)
    return resumeRun(
      openSession(program),
      starter,
      before,
      defined({
        attended: options.attended,
        detach: options.detach,
        trust: options.trust,
      }),
    )
  })
}
