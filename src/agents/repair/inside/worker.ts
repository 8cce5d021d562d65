/**
 * The process in which the project's tests run, again and again with other texts. It is started by the
 * supervisor, asked over the channel between them, and killed when it does not answer.
 */

import { join } from 'node:path'
import type { SentEdit, TextFile } from '../messages.ts'
import { bounded, giveUpWaiting, TooLong } from './bounded.ts'
import { createProjectModules, type ProjectModules, Unsupported } from './project-modules.ts'
import { createFrameworks, type Found } from './stand-ins.ts'
import { type Case, type Collector, createCaseRunner, createCollector, Skipped } from './suite.ts'

export interface OpenAsk {
  readonly type: 'open'
  readonly root: string
  readonly files: readonly TextFile[]
  readonly bases: readonly TextFile[]
  readonly preload: readonly string[]
  readonly probes: number
  readonly testTimeoutMs: number
}

export type Ask =
  | OpenAsk
  | { readonly type: 'survey'; readonly file: string; readonly skip: readonly string[] }
  | {
      readonly type: 'try'
      readonly edit: SentEdit
      readonly tests: readonly string[]
      readonly bail: boolean
      readonly timeoutMs: number
    }

export type Answer =
  | { readonly type: 'opened' }
  | { readonly type: 'starting'; readonly id: string }
  | {
      readonly type: 'test'
      readonly id: string
      readonly ok: boolean
      readonly ms: number
      readonly hits: string
      readonly error?: string
      readonly hung?: boolean
      readonly unsupported?: boolean
    }
  | { readonly type: 'loaded'; readonly file: string; readonly ms: number; readonly hits: string }
  | { readonly type: 'done' }
  | {
      readonly type: 'tried'
      readonly failed: number
      readonly hung: boolean
      readonly starved: boolean
      readonly rss: number
    }

class Exited extends Error {
  readonly code: number

  constructor(code: number) {
    super(`The test ended the process with ${code}.`)
    this.code = code
  }
}

let stray: unknown
let hits = new Uint8Array(0)
let project: Project | undefined
/** Where one test hangs others do too: the time for each gets shorter. */
let patienceMs = 0
const leastPatienceMs = 400

interface Project {
  readonly ask: OpenAsk
  readonly modules: ProjectModules
  collect(file: string): Collector
}

/** The first question comes with the program, since it could not be heard before. */
export function serve(first: OpenAsk): void {
  const goAstray = (error: unknown): void => {
    stray ??= error ?? new Error('A promise was rejected.')
    giveUpWaiting(stray)
  }
  process.on('uncaughtException', goAstray)
  process.on('unhandledRejection', goAstray)
  const { exit } = process
  process.on('disconnect', () => exit(0))
  process.exit = (code) => {
    throw new Exited(Number(code ?? process.exitCode ?? 0))
  }
  const say = process.send?.bind(process) as (answer: Answer) => void
  process.on('message', (ask: Ask) => {
    void answer(ask, say)
  })
  void answer(first, say)
}

async function answer(ask: Ask, say: (answer: Answer) => void): Promise<void> {
  if (ask.type === 'open') {
    project = await open(ask)
    return say({ type: 'opened' })
  }
  if (project === undefined) return
  if (ask.type === 'survey') await survey(project, ask.file, ask.skip, say)
  else say(await tryEdit(project, ask))
}

async function open(ask: OpenAsk): Promise<Project> {
  const { root } = ask
  process.chdir(root)
  hits = new Uint8Array(ask.probes)
  patienceMs = ask.testTimeoutMs
  Object.defineProperty(globalThis, '__loopwright', { value: hits, configurable: true })
  const texts = new Map(ask.files.map(({ path, code }) => [join(root, path), code]))
  let collector = createCollector('')
  let standIn: (specifier: string) => unknown = () => undefined
  const modules = createProjectModules({ root, texts, standIn: (name) => standIn(name) })
  const frameworks = createFrameworks(
    () => collector,
    await findFrameworks(modules),
    ask.testTimeoutMs,
  )
  standIn = frameworks.standIn
  Object.assign(globalThis, frameworks.globals)
  for (const one of ask.preload) await modules.load(join(root, one)).catch(() => undefined)
  return {
    ask,
    modules,
    collect(file) {
      collector = createCollector(file)
      return collector
    },
  }
}

async function findFrameworks(modules: ProjectModules): Promise<Found> {
  const tape = (await modules.outside('tape'))?.['default']
  const jest = await modules.outside('expect')
  const mocks = await modules.outside('jest-mock')
  if (jest !== undefined) {
    const inner = (jest['default'] ?? jest) as Record<string, unknown>
    const expect = jest['expect'] ?? inner['expect'] ?? jest['default']
    const spies = (mocks?.['default'] ?? mocks ?? {}) as Record<string, unknown>
    return { expect, spies, tape }
  }
  return { ...(await findVitest(modules)), tape }
}

async function findVitest(modules: ProjectModules): Promise<Found> {
  const found = await modules.outside('@vitest/expect')
  if (found === undefined) return {}
  const chai = (found['chai'] ?? (await modules.outside('chai'))) as
    | { readonly use: (plugin: unknown) => void; readonly expect: (...args: unknown[]) => unknown }
    | undefined
  if (chai === undefined) return {}
  for (const name of ['JestExtend', 'JestChaiExpect', 'JestAsymmetricMatchers']) {
    if (typeof found[name] === 'function') chai.use(found[name])
  }
  const expect = Object.assign((...args: unknown[]) => chai.expect(...args), chai.expect)
  const matchers = found['ASYMMETRIC_MATCHERS_OBJECT'] as symbol | undefined
  const known = matchers === undefined ? {} : (globalThis as Record<symbol, unknown>)[matchers]
  Object.assign(expect, known)
  return { expect, spies: (await modules.outside('@vitest/spy')) ?? {} }
}

interface LoadedFile {
  readonly cases: readonly Case[]
  /** Why it could not be loaded. */
  readonly error?: unknown
}

async function loadCases(
  { modules, collect, ask }: Project,
  file: string,
  timeoutMs: number,
): Promise<LoadedFile> {
  const collector = collect(file)
  stray = undefined
  process.exitCode = 0
  try {
    await bounded(() => modules.load(join(ask.root, file)), timeoutMs)
    await Promise.all(collector.promises)
    if (collector.cases.length === 0) await new Promise((resolve) => setImmediate(resolve))
    if (process.exitCode !== 0) throw new Exited(process.exitCode)
    if (stray !== undefined) throw stray
  } catch (error) {
    if (!(error instanceof Exited && error.code === 0)) return { cases: [], error }
  } finally {
    process.exitCode = 0
  }
  const { cases } = collector
  const only = cases.filter(({ isOnly }) => isOnly)
  return { cases: (only.length > 0 ? only : cases).filter(({ isSkipped }) => !isSkipped) }
}

async function survey(
  one: Project,
  file: string,
  skip: readonly string[],
  say: (answer: Answer) => void,
): Promise<void> {
  one.modules.reset()
  hits.fill(0)
  say({ type: 'starting', id: file })
  const beganMs = performance.now()
  const { cases, error } = await loadCases(one, file, patienceMs)
  const loadMs = performance.now() - beganMs
  const loadHits = encodeHits()
  say({ type: 'loaded', file, ms: loadMs, hits: loadHits })
  if (error !== undefined || cases.length === 0) {
    say({
      type: 'test',
      id: file,
      ms: loadMs,
      hits: loadHits,
      ok: error === undefined,
      ...failureOf(error),
    })
  }
  const run = createCaseRunner(() => patienceMs)
  for (const test of cases) {
    if (skip.includes(test.id)) continue
    say({ type: 'starting', id: test.id })
    hits.fill(0)
    stray = undefined
    const startMs = performance.now()
    const result = await run(test)
    const failure = stray ?? result.error
    if (failure instanceof TooLong) patienceMs = Math.max(leastPatienceMs, patienceMs / 2)
    if (failure instanceof Skipped) continue
    const ms = performance.now() - startMs
    const ok = result.ok && stray === undefined
    say({
      type: 'test',
      id: test.id,
      ok,
      ms,
      hits: encodeHits(),
      ...(ok ? {} : failureOf(failure)),
    })
  }
  say({ type: 'done' })
}

interface Failure {
  readonly error?: string
  readonly hung?: boolean
  readonly unsupported?: boolean
}

function failureOf(error: unknown): Failure {
  if (error === undefined) return {}
  const text = error instanceof Error ? error.message : `thrown: ${typeof error}`
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  // What is not installed or not built is nothing that an edit could mend.
  const unsupported =
    error instanceof Unsupported ||
    /^(ERR_)?MODULE_NOT_FOUND$|ERR_PACKAGE_PATH_NOT_EXPORTED/.test(code)
  const hung = error instanceof TooLong
  return {
    error: text.slice(0, 300),
    ...(hung ? { hung } : {}),
    ...(unsupported ? { unsupported } : {}),
  }
}

function encodeHits(): string {
  const bits = Buffer.alloc(Math.ceil(hits.length / 8))
  for (const [index, hit] of hits.entries()) {
    if (hit !== 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return bits.toString('base64')
}

async function tryEdit(one: Project, ask: Extract<Ask, { readonly type: 'try' }>): Promise<Answer> {
  const [file, start, end, text] = ask.edit
  const base = one.ask.bases[file]
  const tried = (failed: number, error?: unknown): Answer => ({
    type: 'tried',
    failed,
    hung: error instanceof TooLong,
    starved: error instanceof TooLong && error.starved,
    rss: process.memoryUsage.rss(),
  })
  if (base === undefined) return tried(1)
  const code = base.code.slice(0, start) + text + base.code.slice(end)
  const changed = new Map([[join(one.ask.root, base.path), code]])
  let failed = 0
  for (const [path, ids] of byFile(ask.tests)) {
    one.modules.reset(changed)
    const { cases, error } = await loadCases(one, path, ask.timeoutMs)
    if (error !== undefined) return tried(failed + ids.size, error)
    const run = createCaseRunner(() => ask.timeoutMs)
    let known = ids.has(path) ? 1 : 0
    for (const test of cases) {
      if (!ids.has(test.id)) continue
      known++
      stray = undefined
      const result = await run(test)
      if (result.ok && stray === undefined) continue
      failed++
      if (ask.bail || result.error instanceof TooLong) {
        return tried(failed, result.error)
      }
    }
    // A test that is no longer there has not passed.
    failed += ids.size - known
    if (failed > 0 && ask.bail) return tried(failed)
  }
  return tried(failed)
}

function byFile(ids: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>()
  for (const id of ids) {
    const [file = ''] = id.split(' > ')
    const known = files.get(file) ?? new Set()
    files.set(file, known.add(id))
  }
  return files
}
