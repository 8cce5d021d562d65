/** Reads what a manifest names, in steps: the cases, the expected outputs, the artifacts. */

import { FaultError, LoopError } from '../../../loop/index.ts'
import { type Manifest, parseManifest } from '../../../protocol/index.ts'
import { findKnobProblems } from '../compose/search-composer.ts'
import { findCommandProblems } from '../measure/run-case.ts'
import type { TuneSession } from '../tune-session.ts'
import { artifactCharsMax } from './limits.ts'
import { casesMax, type FoundFiles, resolveCases } from './resolve-cases.ts'
import { folderOf, inFolder, type Version, type Workload } from './workload.ts'

/** Rejects, which ends the run, with everything that is wrong with the manifest. */
export async function openWorkload(
  session: TuneSession,
  { path, text }: { readonly path: string; readonly text: string },
): Promise<Workload> {
  const manifest = requireManifest(path, text)
  const folder = folderOf(path)
  const found = await findFiles(session, manifest, folder)
  const resolved = resolveCases(manifest, folder, found)
  if (resolved.type === 'problems') throw badManifest(path, resolved.problems)
  const original = await readArtifacts(session, manifest, folder)
  const problems = findKnobProblems(manifest, original)
  if (problems.length > 0) throw badManifest(path, problems)
  const { cases, split, seed } = filterCases(resolved, session.input.cases, folder, path)
  const usesModels = session.settings.models ? { usesModels: true as const } : {}
  const review = await readReview(session, manifest, folder)
  return {
    manifestPath: path,
    manifest,
    folder,
    cases,
    split,
    original,
    seed,
    ...usesModels,
    ...review,
  }
}

async function readReview(
  { it, settings }: TuneSession,
  { agents }: Manifest,
  folder: string,
): Promise<Pick<Workload, 'review'>> {
  if (!settings.isReviewed) return {}
  const path = inFolder(folder, agents.reviewer?.promptFile ?? reviewerPromptFile)
  const read = async () => (await it.workspace?.read(path))?.slice(0, artifactCharsMax) ?? null
  const instructions = await it.step('reviewer prompt', read, { readOnly: true })
  return { review: instructions === null ? {} : { instructions } }
}

const reviewerPromptFile = 'REVIEWER_PROMPT.md'

export function requireManifest(path: string, text: string): Manifest {
  const parsed = parseManifest(text)
  if (parsed.type === 'invalid') throw badManifest(path, parsed.problems)
  const problems = findCommandProblems(parsed.manifest)
  if (problems.length > 0) throw badManifest(path, problems)
  return parsed.manifest
}

async function findFiles(
  { it, settings }: TuneSession,
  manifest: Manifest,
  folder: string,
): Promise<FoundFiles> {
  const find = settings.ports?.find
  if (find === undefined) {
    throw new LoopError(
      'not-configured',
      'This run cannot look for cases. Open its loop for a run.',
    )
  }
  const { casePaths, expectedPaths = [], split } = manifest
  const located = (patterns: readonly string[]): readonly string[] =>
    patterns.map((pattern) => inFolder(folder, pattern.replaceAll('{name}', '*')))
  return it.step(
    'cases',
    async ({ signal }) => {
      const look = (patterns: readonly string[]) =>
        patterns.length === 0
          ? []
          : find({ patterns: located(patterns), filesMax: 4 * casesMax }, signal)
      const names = async (patterns: readonly string[]): Promise<readonly string[]> =>
        (await look(patterns)).map((file) => file.path)
      const excluded = await Promise.all(
        split.exclude.map(async ({ cases, reason }) =>
          (await names([cases])).map((path) => ({ path, reason })),
        ),
      )
      return {
        cases: await look(casePaths),
        expected: await look(expectedPaths),
        excluded: excluded.flat(),
        focus: await names(split.focus),
        guards: await names(split.guards),
      }
    },
    { readOnly: true },
  )
}

async function readArtifacts(
  { it }: TuneSession,
  { artifactPaths }: Manifest,
  folder: string,
): Promise<Version> {
  return it.step(
    'artifacts',
    async () => {
      const entries = await Promise.all(
        artifactPaths.map(async (path) => {
          const text = await it.workspace?.read(inFolder(folder, path))
          if (text === undefined) throw badArtifact(path, 'it is not a text file of the workspace')
          if (text.length > artifactCharsMax) {
            throw badArtifact(path, `it has more than ${artifactCharsMax} characters`)
          }
          return [path, text] as const
        }),
      )
      return { artifacts: Object.fromEntries(entries) }
    },
    { readOnly: true, retry: { attempts: 1 } },
  )
}

type Resolved = Pick<Workload, 'cases' | 'split' | 'seed'>

/** The other cases are still known, so that no copy has them. */
function filterCases(
  resolved: Resolved,
  only: readonly string[],
  folder: string,
  at: string,
): Resolved {
  if (only.length === 0) return resolved
  const { cases, split } = resolved
  const chosen = only.map((wanted) => {
    const found = cases.find(({ id, path }) => id === wanted || path === wanted)
    if (found !== undefined) return found.id
    const where = folder === '' ? '' : ` in ${folder}`
    throw badManifest(at, [`case: ${wanted} is not one of its ${cases.length} cases${where}`])
  })
  const suite = [...new Set(chosen)]
  const within = (ids: readonly string[]) => ids.filter((id) => suite.includes(id))
  const { focus, guards } = split
  return {
    ...resolved,
    split: { ...split, suite, holdout: [], focus: within(focus), guards: within(guards) },
  }
}

const badArtifact = (path: string, reason: string): FaultError =>
  fatal('bad-manifest', `artifactPaths: ${path}: ${reason}. Correct the manifest.`)

const badManifest = (path: string, problems: readonly string[]): FaultError =>
  fatal('bad-manifest', `${path}: ${problems.join('\n')}`)

const fatal = (code: string, message: string): FaultError =>
  new FaultError({ code, message, retryable: false, fatal: true })
