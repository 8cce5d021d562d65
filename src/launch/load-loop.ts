/**
 * Loop files, in YAML or in TypeScript: read, trusted, loaded, validated.
 *
 * Nothing of a file is used before its content was trusted; previewing it runs nothing of it.
 */

import { extname } from 'node:path'
import { describePolicyProblem } from '../authority/policy/policy-problem.ts'
import { codePowers } from '../definition/code-loop/code-powers.ts'
import {
  codeLoopEndings,
  type ScannedLoop,
  scanCodeLoop,
} from '../definition/code-loop/scan-code-loop.ts'
import type { LoadOptions, LoopPreview } from '../definition/load-options.ts'
import {
  describePowers,
  describeProblem,
  LoopFileError,
  type LoopFileProblem,
  openTrust,
  type ReadLoopFile,
  readLoopFile,
  requireTrusted,
  type TrustedEntry,
} from '../definition/loop-file/index.ts'
import { defined, LoopError } from '../loop/index.ts'
import type { PlannedChecks } from './checks/plan-checks.ts'
import type { LoadedLoop } from './loaded-loop.ts'
import { neededVariables, variablesOfCode } from './needed-variables.ts'
import type { ReadLoops } from './read-loops.ts'

type ReadLoop =
  | { readonly type: 'data'; readonly read: ReadLoopFile }
  | { readonly type: 'code'; readonly scanned: ScannedLoop }

export interface PreviewOptions extends Pick<LoadOptions, 'purpose' | 'types'> {
  /** What this process read before, and reads now. */
  readonly reads?: ReadLoops
}

/** What a loop file would do, and whether it is trusted. Runs nothing of it. */
export async function previewLoop(
  path: string,
  folder: string,
  { reads, ...options }: PreviewOptions = {},
): Promise<LoopPreview> {
  const loop = await readLoop(path, options, reads)
  const seen = summary(loop)
  return { ...seen, trusted: await openTrust(folder).isTrusted(seen) }
}

/** The content that was previewed, and no other. */
export async function trustLoop(
  preview: Pick<LoopPreview, 'file' | 'digest'>,
  folder: string,
): Promise<void> {
  await openTrust(folder).trust({ digest: preview.digest, file: preview.file })
}

/** Rejects with `not-trusted`, and says what the file would do. */
export const requireTrustedLoop = (
  { file, digest, powers }: Pick<LoopPreview, 'file' | 'digest' | 'powers'>,
  folder: string,
): Promise<void> => requireTrusted(openTrust(folder), { path: file, digest, powers })

/** Takes it back. What runs already goes on. */
export async function distrustLoop(
  preview: Pick<LoopPreview, 'file' | 'digest'>,
  folder: string,
): Promise<void> {
  await openTrust(folder).forget(preview)
}

/** Newest first. */
export const trustedLoops = (folder: string): Promise<readonly TrustedEntry[]> =>
  openTrust(folder).list()

/** Rejects with `not-trusted`, `bad-loop-file`, `bad-template` or `bad-request`. */
export async function loadLoop(
  path: string,
  options: LoadOptions,
  reads?: ReadLoops,
): Promise<LoadedLoop> {
  const loop = await readLoop(path, options, reads)
  const seen = summary(loop)
  if (options.trust !== undefined) await trustReviewed(seen, options.trust, options.folder)
  if (options.purpose !== 'look' || loop.type === 'code') {
    await requireTrustedLoop(seen, options.folder)
  }
  return loop.type === 'data' ? loadFile(loop.read, options) : loadCode(loop.scanned, options)
}

async function trustReviewed(
  { file, digest }: Pick<LoopPreview, 'file' | 'digest'>,
  reviewed: string,
  folder: string,
): Promise<void> {
  if (digest !== reviewed) {
    const message = `${file} has changed since it was reviewed.`
    throw new LoopError('not-trusted', `${message} Review it again, then trust it as it is now.`)
  }
  const trust = openTrust(folder)
  if (!(await trust.isTrusted({ digest, file }))) await trust.trust({ digest, file })
}

const loadFile = async (read: ReadLoopFile, options: LoadOptions): Promise<LoadedLoop> =>
  (await import('./load-file.ts')).loadFile(read, options)

const loadCode = async (scanned: ScannedLoop, options: LoadOptions): Promise<LoadedLoop> =>
  (await import('./load-code.ts')).loadCode(scanned, options)

/** What `validateLoop` found in a loop file. */
export interface LoopReport {
  readonly file: string
  readonly ok: boolean
  readonly problems: readonly (Partial<LoopFileProblem> & { readonly text: string })[]
  readonly warnings: readonly string[]
  /** What its templates expect to be given; absent when that is not known. */
  readonly variables?: readonly string[]
  /** What the agent may change without asking, as the workspace is now; absent when that is not known. */
  readonly scope?: PlannedChecks['scope']
  /** How ready it is to run without a person. Absent: its loop type does not say. */
  readonly readiness?: { readonly score: number; readonly missing: readonly string[] }
}

/** A loop that is code must be trusted first, since only running it tells what it holds. */
export async function validateLoop(path: string, folder: string): Promise<LoopReport> {
  try {
    const loop = await readLoop(path)
    if (loop.type === 'code') return await validateCode(path, folder, loop.scanned)
    const loaded = await loadFile(loop.read, { folder, purpose: 'look' })
    return await reportOf(path, loaded)
  } catch (error) {
    return { file: path, ok: false, problems: problemsOf(error), warnings: [] }
  }
}

async function validateCode(
  path: string,
  folder: string,
  scanned: ScannedLoop,
): Promise<LoopReport> {
  if (!(await openTrust(folder).isTrusted(scanned))) {
    const warning = `only its syntax was checked: trust it to have the rest checked (loopctl trust ${path})`
    return { file: path, ok: true, problems: [], warnings: [warning] }
  }
  return reportOf(path, await loadCode(scanned, { folder }))
}

async function reportOf(path: string, loaded: LoadedLoop): Promise<LoopReport> {
  const { warnings, variables, workspace } = loaded
  const { planChecks } = await import('./checks/plan-checks.ts')
  const { readinessOf } = await import('./to-loop-type.ts')
  const { scope } = await planChecks(loaded, workspace)
  const problems = await findPolicyProblems(loaded)
  const found = { file: path, ok: problems.length === 0, problems, warnings, variables, scope }
  return { ...found, ...defined({ readiness: readinessOf(loaded) }) }
}

/** A run would not start with them. */
async function findPolicyProblems({ policies }: LoadedLoop): Promise<LoopReport['problems']> {
  if (policies.length === 0) return []
  const { checkPolicy } = await import('./policy/check-policies.ts')
  const reports = await Promise.all(policies.map(({ file }) => checkPolicy(file)))
  return reports.flatMap(({ problems }) =>
    problems.map((problem) => ({ text: describePolicyProblem(problem) })),
  )
}

function problemsOf(error: unknown): LoopReport['problems'] {
  if (error instanceof LoopFileError) {
    return error.problems.map((problem) => ({ ...problem, text: describeProblem(problem) }))
  }
  if (error instanceof LoopError && error.code !== 'unknown-file')
    return error.message.split('\n').map((text) => ({ text }))
  throw error
}

async function readLoop(
  path: string,
  options: Pick<LoadOptions, 'purpose' | 'types' | 'trust' | 'defaults' | 'changes'> = {},
  reads?: ReadLoops,
): Promise<ReadLoop> {
  if (codeLoopEndings.includes(extname(path))) {
    return { type: 'code', scanned: await scanCodeLoop(path) }
  }
  const { purpose, types, trust } = options
  const defaults = defaultsIn(options)
  const isResumed = purpose === 'resume'
  const reader = {
    // A deadline that has passed matters only to a new run.
    name: `${isResumed ? 'resume' : 'run'}${defaults === undefined ? '' : JSON.stringify(defaults)}`,
    read: (file: string) =>
      readLoopFile(file, { ...(isResumed ? { nowMs: 0 } : {}), ...defined({ types, defaults }) }),
  }
  return { type: 'data', read: await (reads?.read(path, reader, trust) ?? reader.read(path)) }
}

/** Those that a run was created with, if it is loaded again. */
const defaultsIn = ({
  changes,
  defaults,
}: Pick<LoadOptions, 'defaults' | 'changes'>): LoadOptions['defaults'] =>
  changes?.defaults === undefined ? defaults : { [buildTypeName]: changes.defaults }

/** The loop type that has defaults in the configuration. */
const buildTypeName = 'build'

function summary(loop: ReadLoop): Omit<LoopPreview, 'trusted'> {
  if (loop.type === 'data') {
    const { path, digest, file } = loop.read
    return { file: path, digest, powers: describePowers(file), variables: neededVariables(file) }
  }
  const { file, digest } = loop.scanned
  const { scanned } = loop
  return { file, digest, powers: codePowers(scanned), variables: variablesOfCode(scanned) }
}
