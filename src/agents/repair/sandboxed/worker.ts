/**
 * The process that runs the project's tests repeatedly with different texts. The supervisor starts
 * it, sends requests over IPC, and kills it if it does not answer.
 */

import { join } from 'node:path'
import type { TextFile, WireEdit } from '../messages.ts'
import { createFrameworks, type InstalledFrameworks } from './frameworks.ts'
import { createProjectModules, type ProjectModules, Unsupported } from './project-modules.ts'
import { CallTimeout, rejectPendingCalls, runWithTimeout } from './run-with-timeout.ts'
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
      readonly edit: WireEdit
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

let strayError: unknown
let hits = new Uint8Array(0)
let project: Project | undefined
/** If one test hangs, others do too: the time limit for each gets shorter. */
let currentTimeoutMs = 0
const timeoutMsMin = 400

interface Project {
  readonly ask: OpenAsk
  readonly modules: ProjectModules
  collect(file: string): Collector
}

/** The first request comes with the program, since nothing listens before. */
export function serve(first: OpenAsk): void {
  const onStrayError = (error: unknown): void => {
    strayError ??= error ?? new Error('A promise was rejected.')
    rejectPendingCalls(strayError)
  }
  process.on('uncaughtException', onStrayError)
  process.on('unhandledRejection', onStrayError)
  const { exit } = process
  process.on('disconnect', () => exit(0))
  process.exit = (code) => {
    throw new Exited(Number(code ?? process.exitCode ?? 0))
  }
  const report = process.send?.bind(process) as (answer: Answer) => void
  process.on('message', (ask: Ask) => {
    void answer(ask, report)
  })
  void answer(first, report)
}

async function answer(ask: Ask, report: (answer: Answer) => void): Promise<void> {
  if (ask.type === 'open') {
    project = await open(ask)
    return report({ type: 'opened' })
  }
  if (project === undefined) return
  if (ask.type === 'survey') await survey(project, ask.file, ask.skip, report)
  else report(await tryEdit(project, ask))
}

async function open(ask: OpenAsk): Promise<Project> {
  const { root } = ask
  process.chdir(root)
  hits = new Uint8Array(ask.probes)
  currentTimeoutMs = ask.testTimeoutMs
  Object.defineProperty(globalThis, '__loopwright', { value: hits, configurable: true })
  const texts = new Map(ask.files.map(({ path, code }) => [join(root, path), code]))
  let collector = createCollector('')
  let findReplacement: (specifier: string) => unknown = () => undefined
  const modules = createProjectModules({
    root,
    texts,
    findReplacement: (name) => findReplacement(name),
  })
  const frameworks = createFrameworks(
    () => collector,
    await findFrameworks(modules),
    ask.testTimeoutMs,
  )
  findReplacement = frameworks.findReplacement
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

async function findFrameworks(modules: ProjectModules): Promise<InstalledFrameworks> {
  const tape = (await modules.loadInstalled('tape'))?.['default']
  const jest = await modules.loadInstalled('expect')
  const mocks = await modules.loadInstalled('jest-mock')
  if (jest !== undefined) {
    const inner = (jest['default'] ?? jest) as Record<string, unknown>
    const expect = jest['expect'] ?? inner['expect'] ?? jest['default']
    const spies = (mocks?.['default'] ?? mocks ?? {}) as Record<string, unknown>
    return { expect, spies, tape }
  }
  return { ...(await findVitest(modules)), tape }
}

async function findVitest(modules: ProjectModules): Promise<InstalledFrameworks> {
  const found = await modules.loadInstalled('@vitest/expect')
  if (found === undefined) return {}
  const chai = (found['chai'] ?? (await modules.loadInstalled('chai'))) as
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
  return { expect, spies: (await modules.loadInstalled('@vitest/spy')) ?? {} }
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
  strayError = undefined
  process.exitCode = 0
  try {
    await runWithTimeout(() => modules.load(join(ask.root, file)), timeoutMs)
    await Promise.all(collector.promises)
    if (collector.cases.length === 0) await new Promise((resolve) => setImmediate(resolve))
    if (process.exitCode !== 0) throw new Exited(process.exitCode)
    if (strayError !== undefined) throw strayError
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
  report: (answer: Answer) => void,
): Promise<void> {
  one.modules.reset()
  hits.fill(0)
  report({ type: 'starting', id: file })
  const beganMs = performance.now()
  const { cases, error } = await loadCases(one, file, currentTimeoutMs)
  const loadMs = performance.now() - beganMs
  const loadHits = encodeHits()
  report({ type: 'loaded', file, ms: loadMs, hits: loadHits })
  if (error !== undefined || cases.length === 0) {
    report({
      type: 'test',
      id: file,
      ms: loadMs,
      hits: loadHits,
      ok: error === undefined,
      ...toFailure(error),
    })
  }
  const run = createCaseRunner(() => currentTimeoutMs)
  for (const test of cases) {
    if (skip.includes(test.id)) continue
    report({ type: 'starting', id: test.id })
    hits.fill(0)
    strayError = undefined
    const startMs = performance.now()
    const result = await run(test)
    const failure = strayError ?? result.error
    if (failure instanceof CallTimeout)
      currentTimeoutMs = Math.max(timeoutMsMin, currentTimeoutMs / 2)
    if (failure instanceof Skipped) continue
    const ms = performance.now() - startMs
    const ok = result.ok && strayError === undefined
    report({
      type: 'test',
      id: test.id,
      ok,
      ms,
      hits: encodeHits(),
      ...(ok ? {} : toFailure(failure)),
    })
  }
  report({ type: 'done' })
}

interface Failure {
  readonly error?: string
  readonly hung?: boolean
  readonly unsupported?: boolean
}

function toFailure(error: unknown): Failure {
  if (error === undefined) return {}
  const text = error instanceof Error ? error.message : `thrown: ${typeof error}`
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  // No edit can fix what is not installed or not built.
  const unsupported =
    error instanceof Unsupported ||
    /^(ERR_)?MODULE_NOT_FOUND$|ERR_PACKAGE_PATH_NOT_EXPORTED/.test(code)
  const hung = error instanceof CallTimeout
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
    hung: error instanceof CallTimeout,
    starved: error instanceof CallTimeout && error.starved,
    rss: process.memoryUsage.rss(),
  })
  if (base === undefined) return tried(1)
  const code = base.code.slice(0, start) + text + base.code.slice(end)
  const changed = new Map([[join(one.ask.root, base.path), code]])
  let failed = 0
  for (const [path, ids] of groupByFile(ask.tests)) {
    one.modules.reset(changed)
    const { cases, error } = await loadCases(one, path, ask.timeoutMs)
    if (error !== undefined) return tried(failed + ids.size, error)
    const run = createCaseRunner(() => ask.timeoutMs)
    let known = ids.has(path) ? 1 : 0
    for (const test of cases) {
      if (!ids.has(test.id)) continue
      known++
      strayError = undefined
      const result = await run(test)
      if (result.ok && strayError === undefined) continue
      failed++
      if (ask.bail || result.error instanceof CallTimeout) {
        return tried(failed, result.error)
      }
    }
    // A test that no longer exists has not passed.
    failed += ids.size - known
    if (failed > 0 && ask.bail) return tried(failed)
  }
  return tried(failed)
}

function groupByFile(ids: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>()
  for (const id of ids) {
    const [file = ''] = id.split(' > ')
    const known = files.get(file) ?? new Set()
    files.set(file, known.add(id))
  }
  return files
}
