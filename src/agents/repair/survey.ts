/**
 * What the tests say before anything is tried: which fail, which parts of the code each of them runs,
 * and which are of no use, because they answer differently each time or cannot be run one by one.
 */

import type { FoundFile, ProjectFiles } from './find-files.ts'
import type { SurveyJob, TextFile } from './messages.ts'
import { probe, regionTable } from './probes.ts'
import { type FileRegions, isHit, suspectTopLevel, suspicion } from './rank.ts'
import { type RunInsideOptions, runInside } from './run-inside.ts'
import { isTypeScript, loadable, type SourceFile } from './source-file.ts'

export interface SurveyedTest {
  readonly id: string
  readonly ok: boolean
  readonly ms: number
  readonly hits: Uint8Array
  readonly hung: boolean
}

export interface Survey {
  readonly tests: readonly SurveyedTest[]
  /** Tests that cannot be relied on. */
  readonly unstable: number
  readonly unsupported: number
  readonly loadMs: number
  /** From 0 to 1, for each place of each source file. */
  readonly suspicionAt: (file: string, offset: number) => number
}

export interface SurveyOptions extends Omit<RunInsideOptions, 'onSaid'> {
  readonly root: string
  readonly files: ProjectFiles
  readonly sources: readonly SourceFile[]
  readonly preload: readonly string[]
  readonly deadlineMs: number
}

const testTimeoutMs = 4000

export async function surveyTests(options: SurveyOptions): Promise<Survey> {
  const { root, files, sources, preload, deadlineMs } = options
  const regions = new Map<string, FileRegions>()
  let probes = 0
  const texts: TextFile[] = plainTexts(files, sources)
  for (const file of sources) {
    const probed = probe(file, probes)
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
    testTimeoutMs,
    deadlineMs,
  }
  const heard = await listen(job, options)
  const tests = heard.tests.filter(({ id }) => !heard.unstable.has(id))
  const scores = suspicion(tests, probes)
  const isLoaded = (one: number): boolean => heard.loaded.some((hits) => isHit(hits, one))
  for (const file of sources) {
    const found = regions.get(file.path)
    if (found !== undefined) suspectTopLevel(scores, file, found, isLoaded)
  }
  return {
    tests,
    unstable: heard.unstable.size,
    unsupported: heard.unsupported,
    loadMs: heard.loadMs,
    suspicionAt: (file, offset) => scores[regions.get(file)?.table[offset] ?? -1] ?? 0,
  }
}

/** TypeScript as JavaScript; what is JavaScript is read where it is. */
export function plainTexts(files: ProjectFiles, sources: readonly SourceFile[]): TextFile[] {
  const searched = new Set(sources.map(({ path }) => path))
  const rest: readonly FoundFile[] = [...files.sources, ...files.tests, ...files.others]
  return rest
    .filter(({ path }) => isTypeScript(path) && !searched.has(path))
    .map(({ path, text }) => loadable(path, text))
}

interface Heard {
  readonly tests: SurveyedTest[]
  readonly unstable: Set<string>
  readonly loaded: Uint8Array[]
  loadMs: number
  unsupported: number
}

async function listen(job: SurveyJob, options: SurveyOptions): Promise<Heard> {
  const heard: Heard = { tests: [], unstable: new Set(), loaded: [], loadMs: 0, unsupported: 0 }
  const again = new Map<string, { readonly ok: boolean; readonly ms: number }>()
  const loads = new Map<string, number>()
  await runInside(job, {
    ...options,
    onSaid(said) {
      if (said.type === 'test') {
        if (said.unsupported === true) heard.unsupported++
        else
          heard.tests.push({
            ...said,
            hits: Buffer.from(said.hits, 'base64'),
            hung: said.hung === true,
          })
      } else if (said.type === 'again') again.set(said.id, said)
      else if (said.type === 'loaded') {
        heard.loaded.push(Buffer.from(said.hits, 'base64'))
        // The first time others are loaded with it, and stay.
        loads.set(said.file, Math.min(said.ms, loads.get(said.file) ?? said.ms))
      }
    },
  })
  heard.loadMs = Math.max(0, ...loads.values())
  // Without a second answer there was no time for one.
  const tests = heard.tests.map((one) => ({
    ...one,
    ms: Math.min(one.ms, again.get(one.id)?.ms ?? one.ms),
  }))
  for (const { id, ok } of tests) {
    if (again.size > 0 && again.get(id)?.ok !== ok) heard.unstable.add(id)
  }
  return { ...heard, tests }
}
