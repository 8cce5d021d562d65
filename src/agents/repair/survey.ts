/**
 * Surveys the tests before anything is tried: which fail, which code each of them runs, and which
 * are useless because their results vary or they cannot be run one by one.
 */

import type { ProjectFile, ProjectFiles } from './find-files.ts'
import type { SurveyJob, TextFile } from './messages.ts'
import { insertProbes, regionTable } from './probes.ts'
import { addTopLevelSuspicion, computeSuspicion, type FileRegions, isHit } from './rank.ts'
import { type RunSandboxedOptions, runSandboxed } from './run-sandboxed.ts'
import { isTypeScript, type SourceFile, toLoadable } from './source-file.ts'

export interface SurveyedTest {
  readonly id: string
  readonly ok: boolean
  readonly ms: number
  readonly hits: Uint8Array
  readonly hung: boolean
}

export interface Survey {
  readonly tests: readonly SurveyedTest[]
  /** Tests with varying results. */
  readonly unstable: number
  readonly unsupported: number
  readonly loadMs: number
  /** From 0 to 1, for each offset of each source file. */
  readonly suspicionAt: (file: string, offset: number) => number
}

export interface SurveyOptions extends Omit<RunSandboxedOptions, 'onMessage'> {
  readonly root: string
  readonly files: ProjectFiles
  readonly sources: readonly SourceFile[]
  readonly preload: readonly string[]
  readonly deadlineMs: number
  readonly checkTimeoutMs: number
}

/** One test is shorter than a check, which runs all of them. */
const testTimeoutMsMax = 4000
const shareOfCheck = 0.1

export async function surveyTests(options: SurveyOptions): Promise<Survey> {
  const { root, files, sources, preload, deadlineMs, checkTimeoutMs } = options
  const regions = new Map<string, FileRegions>()
  let probes = 0
  const texts: TextFile[] = toPlainTexts(files, sources)
  for (const file of sources) {
    const probed = insertProbes(file, probes)
    const table = regionTable(file.code.length, probed.regions, probes)
    regions.set(file.path, { regions: probed.regions, table, firstNumber: probes })
    probes += probed.regions.length
    texts.push({ path: file.path, code: probed.code })
  }
  const job: SurveyJob = {
    type: 'survey',
    root,
    files: texts,
    tests: files.tests.map(({ path }) => path),
    probes,
    preload,
    testTimeoutMs: Math.min(testTimeoutMsMax, shareOfCheck * checkTimeoutMs),
    deadlineMs,
  }
  const result = await runSurvey(job, options)
  const tests = result.tests.filter(({ id }) => !result.unstable.has(id))
  const scores = computeSuspicion(tests, probes)
  const isLoaded = (one: number): boolean => result.loaded.some((hits) => isHit(hits, one))
  for (const file of sources) {
    const found = regions.get(file.path)
    if (found !== undefined) addTopLevelSuspicion(scores, file, found, isLoaded)
  }
  return {
    tests,
    unstable: result.unstable.size,
    unsupported: result.unsupported,
    loadMs: result.loadMs,
    suspicionAt: (file, offset) => scores[regions.get(file)?.table[offset] ?? -1] ?? 0,
  }
}

/** TypeScript as JavaScript; JavaScript is read from disk. */
export function toPlainTexts(files: ProjectFiles, sources: readonly SourceFile[]): TextFile[] {
  const searched = new Set(sources.map(({ path }) => path))
  const rest: readonly ProjectFile[] = [...files.sources, ...files.tests, ...files.others]
  return rest
    .filter(({ path }) => isTypeScript(path) && !searched.has(path))
    .map(({ path, text }) => toLoadable(path, text))
}

interface SurveyResult {
  readonly tests: SurveyedTest[]
  readonly unstable: Set<string>
  readonly loaded: Uint8Array[]
  loadMs: number
  unsupported: number
}

async function runSurvey(job: SurveyJob, options: SurveyOptions): Promise<SurveyResult> {
  const result: SurveyResult = {
    tests: [],
    unstable: new Set(),
    loaded: [],
    loadMs: 0,
    unsupported: 0,
  }
  const secondRuns = new Map<string, { readonly ok: boolean; readonly ms: number }>()
  const loads = new Map<string, number>()
  await runSandboxed(job, {
    ...options,
    onMessage(message) {
      if (message.type === 'test') {
        if (message.unsupported === true) result.unsupported++
        else
          result.tests.push({
            ...message,
            hits: Buffer.from(message.hits, 'base64'),
            hung: message.hung === true,
          })
      } else if (message.type === 'again') secondRuns.set(message.id, message)
      else if (message.type === 'loaded') {
        result.loaded.push(Buffer.from(message.hits, 'base64'))
        // The first load includes modules that then stay loaded.
        loads.set(message.file, Math.min(message.ms, loads.get(message.file) ?? message.ms))
      }
    },
  })
  result.loadMs = Math.max(0, ...loads.values())
  // Without a second result there was no time for one.
  const tests = result.tests.map((one) => ({
    ...one,
    ms: Math.min(one.ms, secondRuns.get(one.id)?.ms ?? one.ms),
  }))
  for (const { id, ok } of tests) {
    if (secondRuns.size > 0 && secondRuns.get(id)?.ok !== ok) result.unstable.add(id)
  }
  return { ...result, tests }
}
