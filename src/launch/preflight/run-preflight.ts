/**
 * The second stage of the preflight, on the base, in the same kind of clean checkout as certification: installs
 * dependencies, then runs every command check once. The results are stored, and certification uses them.
 */

import { delimiter, join } from 'node:path'
import type { CheckContext, RunPreflight } from '../../engine/index.ts'
import {
  asInfrastructureError,
  type BaseResult,
  createBaseResultKey,
  type DependencyLayer,
  findBaseResult,
} from '../../evidence/index.ts'
import {
  defined,
  type Fault,
  type Preflight,
  type PreflightCheck,
  type TreeId,
} from '../../loop/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import { createTreeReader } from '../../workspace/tree-reader.ts'
import { createFileBaseAnswers } from '../certify/file-base-answers.ts'
import { openCertifyingCheckout, openLayerFor } from '../certify/open-certifying-checkout.ts'
import type { CertifyingParts } from '../checks/certifying-parts.ts'
import type { OpenedLayer } from '../dependencies/open-layer.ts'
import type { RunDependencies } from '../dependencies/run-dependencies.ts'
import { copyDependencies } from './copy-dependencies.ts'

type Base = Pick<HostPorts, 'folder' | 'blobs'> & {
  readonly clock: Pick<HostPorts['clock'], 'now'>
}

type Place = Pick<RunPlace, 'workspace' | 'checkout' | 'worktree'> & {
  readonly placed: Pick<NonNullable<RunPlace['placed']>, 'repository'> | undefined
}

export interface OpenedPreflight extends RunPreflight {
  /** Call it when this process no longer drives the run: its dependencies may then be removed. */
  close(): Promise<void>
}

/** `use` receives the dependencies for the commands of the run, whenever a process takes over the run. */
export function openPreflight(
  { folder: stateFolder, blobs, clock }: Base,
  run: Place,
  certifying: CertifyingParts,
  use: (dependencies: RunDependencies) => void,
): OpenedPreflight {
  const { workspace, checkout } = run
  const repository = run.placed?.repository
  const reader = createTreeReader({ blobs, folder: stateFolder, repository })
  const options = { reader, blobs, stateFolder, repository, workspace, checkout, certifying }
  const bases = createFileBaseAnswers(stateFolder)
  const now = (): number => clock.now()
  /** In use as long as the run is driven, by the tree of the lockfile. Certification verifies them again. */
  const layers = new Map<TreeId, OpenedLayer>()
  let digest: string | undefined
  return {
    async prepare({ base, signal }) {
      // Nothing is copied into the user's own folder.
      if (run.worktree === undefined || workspace === undefined) return
      const layer = await withInfrastructureErrors(
        openLayerFor({ lockfileTree: base, signal }, options),
      )
      await layers.get(base)?.release()
      layers.set(base, layer)
      digest = layer.digest
      const copied = await copyDependencies(layer.mounts, workspace, signal)
      use(toRunDependencies(layer, copied, workspace))
    },
    digest: () => digest,
    async close() {
      for (const layer of layers.values()) await layer.release()
      layers.clear()
    },
    async tryChecks({ base, signal }, onBegin) {
      const place = await withInfrastructureErrors(
        openCertifyingCheckout(
          { tree: base, lockfileTree: base, signal },
          { ...options, ...defined({ layer: layers.get(base) }) },
        ),
      )
      digest ??= place.layer.digest
      try {
        const context = createCheckContext(place.checkout.path, signal)
        const checks: PreflightCheck[] = []
        for (const check of place.checks) {
          if (check.kind === 'command') onBegin(check.name)
          const beganMs = now()
          const known = await bases.read(createBaseResultKey(base, check, place.layer))
          const found = known ?? (await findBaseResult(base, check, place, { context, now }, bases))
          checks.push({
            check: check.name,
            answer: toAnswer(found),
            durationMs: Math.max(0, now() - beganMs),
            ...(known === undefined ? {} : { known: true }),
            ...defined({ detail: found?.cannotRun }),
          })
        }
        return { checks, ...findFault(checks, place.layer.lacks) }
      } finally {
        await place.close()
      }
    },
  }
}

async function withInfrastructureErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asInfrastructureError(error)
  }
}

/** Copied folders are used in the workspace; the rest is mounted from the state folder. */
function toRunDependencies(
  { mounts, outsidePrograms, managerPrograms, readOnly, paths, env }: OpenedLayer,
  copied: readonly string[],
  workspace: string,
): RunDependencies {
  const toAbsolute = (path: string): string => {
    const mount = mounts.find(({ to }) => to === path)
    return mount === undefined || copied.includes(path) ? join(workspace, path) : mount.from
  }
  const inWorkspace = copied.map((path) => join(workspace, path, '.bin'))
  const outside = outsidePrograms.filter((path) => !path.endsWith('/node_modules/.bin'))
  return {
    readOnly,
    programs: [...inWorkspace, ...outside, ...managerPrograms],
    env: {
      ...env,
      ...Object.fromEntries(
        Object.entries(paths).map(([name, list]) => [name, list.map(toAbsolute).join(delimiter)]),
      ),
    },
  }
}

function toAnswer(found: BaseResult | undefined): PreflightCheck['answer'] {
  if (found === undefined) return 'unknown'
  if (found.cannotRun !== undefined) return 'cannot-run'
  if (found.status === 'met') return 'passes'
  if (found.status === 'timeout') return 'timeout'
  return found.status === 'not-met' ? 'fails' : 'unknown'
}

/** One fault for all checks that cannot run. */
function findFault(
  checks: readonly PreflightCheck[],
  lacks: DependencyLayer['lacks'] = [],
): Pick<Preflight, 'fault'> {
  const stopped = checks.filter(({ answer }) => answer === 'cannot-run')
  if (stopped.length === 0) return {}
  const message = stopped
    .map(({ check, detail = '' }) => `The check ${check} cannot run: ${detail}`)
    .concat(adviseOnMissing(lacks, stopped.map(({ detail = '' }) => detail).join('\n')))
    .join('\n')
  const fault: Fault = { code: 'cannot-run', message, retryable: false, fatal: true }
  return { fault }
}

/** Suggests what the user can approve so that the check can run. */
function adviseOnMissing(
  lacks: NonNullable<DependencyLayer['lacks']>,
  output: string,
): readonly string[] {
  return lacks.flatMap(({ kind, id, text, mentions }) => {
    if (kind === 'resolve-dependencies') {
      return [
        `There is no lockfile, and your checkout has no dependencies installed. Pass --dependencies resolve to install ${text}.`,
      ]
    }
    const isMentioned =
      mentions !== undefined && output.toLowerCase().includes(mentions.toLowerCase())
    return isMentioned
      ? [`An install script was not run: ${text}. Approve it: loopctl certify --approve '${id}'`]
      : []
  })
}

/** Command checks need no agent and no tool. */
const createCheckContext = (workspace: string, signal: AbortSignal): CheckContext => ({
  signal,
  attempt: 1,
  spend: () => undefined,
  reserve: () => Promise.reject(new Error('Preflight spends nothing.')),
  workspace,
  iteration: 0,
  work: () => Promise.reject(new Error('Preflight calls no agent.')),
  callTool: () => Promise.reject(new Error('Preflight calls no tool.')),
})
