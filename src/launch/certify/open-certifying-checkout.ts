/**
 * Opens what certification runs in: a clean checkout, its dependency layer, and a separate sandbox. Nothing of
 * the run's workspace is visible there, and none of its programs is used.
 */

import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { type Blobs, type TreeReader } from '../../engine/index.ts'
import {
  type CertificationCheckout,
  type CertificationCheckoutRequest,
  type Checkout,
  type Observable,
  type OpenCheck,
  RefusedError,
} from '../../evidence/index.ts'
import { defined, type Signal } from '../../loop/index.ts'
import type { SandboxSettings } from '../../protocol/index.ts'
import {
  createPlainCommands,
  findOpaqueFolders,
  findProgram,
  type OverlayReport,
  openSandbox,
} from '../../sandbox/index.ts'
import {
  isGitTree,
  type ManagedPath,
  makePrivateFolder,
  type OpenedCheckout,
  openCheckout,
  type Repository,
  TreeChangedError,
} from '../../workspace/index.ts'
import type { CertifyingFolder, CertifyingParts, OpenedChecks } from '../checks/certifying-parts.ts'
import { listContent } from '../dependencies/list-content.ts'
import { type OpenedLayer, openLayer } from '../dependencies/open-layer.ts'
import { createPhaseClock, type PhaseClock } from './phase-times.ts'
import { findObservable, withFileAccess } from './with-file-access.ts'

export interface CertifyingCheckoutOptions {
  readonly reader: TreeReader
  readonly blobs: Blobs

  readonly stateFolder: string
  /** The repository of the run's worktree; undefined: its trees are blobs. */
  readonly repository: Repository | undefined
  /** The run's workspace and the user's checkout: no program is run from there. */
  readonly workspace: string | undefined
  readonly checkout?: string | undefined
  readonly certifying: Pick<CertifyingParts, 'certify' | 'require' | 'readAhead' | 'open'>
  /** The layer of this lockfile, opened and released by the caller; default: opened for this checkout. */
  readonly layer?: OpenedLayer
  /** Gets the times of the phases. */
  readonly clock?: PhaseClock
}

export const checkoutsFolder = (stateFolder: string): string => join(stateFolder, 'certify')

/** Opens a checkout that matches the tree. The caller closes it. */
export async function openCertifyingCheckout(
  request: CertificationCheckoutRequest,
  options: CertifyingCheckoutOptions,
): Promise<CertificationCheckout & Pick<OpenedChecks, 'sandbox'>> {
  options.certifying.readAhead?.()
  const layer =
    options.layer === undefined
      ? await clockOf(options).during('dependencies', () => openLayerFor(request, options))
      : { ...options.layer, release: async () => undefined }
  try {
    return await openWithLayer(request, options, layer)
  } catch (error) {
    await layer.release()
    throw error
  }
}

const clockOf = ({ clock = createPhaseClock() }: CertifyingCheckoutOptions): PhaseClock => clock

/** Opens the layer that the checks of a checkout need. The caller releases it. */
export const openLayerFor = (
  { lockfileTree, signal }: Pick<CertificationCheckoutRequest, 'lockfileTree' | 'signal'>,
  options: CertifyingCheckoutOptions,
): Promise<OpenedLayer> =>
  openLayer({
    reader: options.reader,
    lockfileTree,
    mode: options.certifying.certify.dependencies,
    installScripts: options.certifying.certify.installScripts,
    stateFolder: options.stateFolder,
    checkout: options.checkout ?? options.workspace,
    projects: listProjects(options),
    signal,
  })

async function openWithLayer(
  request: CertificationCheckoutRequest,
  options: CertifyingCheckoutOptions,
  layer: OpenedLayer,
): Promise<CertificationCheckout & Pick<OpenedChecks, 'sandbox'>> {
  const { certifying } = options
  const clock = clockOf(options)
  const [mode, observes] = await clock.during('sandbox', async () => [
    await layerMode(certifying.require),
    await findObservable(certifying.require, checkoutsFolder(options.stateFolder)),
  ])
  const opened = await clock.during('checkout', () =>
    openCleanCheckout(request, options, layer, { mode, observes }),
  )
  try {
    const stop = toAbortSignal(request.signal)
    const folder = toCertifyingFolder(opened, layer, mode)
    const { checks, agents, sandbox, close } = await clock.during('sandbox', () =>
      certifying.open({ ...folder, untrusted: listProjects(options), signal: stop }),
    )
    return {
      checkout: withRefusals(opened, clock),
      observes,
      layer,
      checks: checks.map((check) =>
        timed(withFileAccess(check, { opened, layer, observes }), clock),
      ),
      agents,
      sandbox,
      async close() {
        await clock.during('sandbox', close)
        await clock.during('checkout', opened.remove)
        await clock.during('dependencies', layer.release)
      },
    }
  } catch (error) {
    await opened.remove()
    throw error
  }
}

const listProjects = ({ workspace, checkout }: CertifyingCheckoutOptions): readonly string[] =>
  [workspace, checkout].filter((one) => one !== undefined)

async function openCleanCheckout(
  request: CertificationCheckoutRequest,
  { stateFolder, repository, blobs }: CertifyingCheckoutOptions,
  { mounts }: OpenedLayer,
  { mode, observes }: { readonly mode: LayerMode; readonly observes: Observable },
): Promise<OpenedCheckout> {
  const { tree, commit } = request
  const parent = checkoutsFolder(stateFolder)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const temporary = await makePrivateFolder(parent)
  const git =
    repository === undefined || !isGitTree(tree)
      ? {}
      : { git: { repository, ...defined({ commit }) } }
  const managedPaths = mounts.map((mount) =>
    mode === 'copy' ? createCopy(mount) : createMountPoint(mount.to),
  )
  try {
    if (mode === 'overlay') await mkdir(join(temporary.path, overlayFolder), { mode: 0o700 })
    const overlaid = { isOverlaid: observes.writes, findOpaqueFolders }
    return await openCheckout({
      folder: temporary.path,
      tree,
      blobs,
      managedPaths,
      ...overlaid,
      ...git,
    })
  } catch (error) {
    await temporary.remove()
    throw asRefusal(error)
  }
}

function toAbortSignal(signal: Signal): AbortSignal {
  const stop = new AbortController()
  if (signal.aborted) stop.abort(signal.reason)
  else signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true })
  return stop.signal
}

type LayerMode = OverlayReport['mode']

/** Next to the checkout, where processes in the sandbox cannot see it. */
const overlayFolder = 'overlay'

async function layerMode(required: SandboxSettings['require']): Promise<LayerMode> {
  if (required === 'none') return 'copy'
  return (await (await openSandbox()).overlay()).mode
}

function toCertifyingFolder(
  { path, readOnly, overlayFolder: writesTo }: OpenedCheckout,
  layer: OpenedLayer,
  mode: LayerMode,
): CertifyingFolder {
  const inCheckout = (inner: string): string => join(path, inner)
  const paths = Object.entries(layer.paths).map(([name, inner]) => [
    name,
    inner.map(inCheckout).join(delimiter),
  ])
  const mounts = layer.mounts.map(({ from, to }) => ({ from, to: inCheckout(to) }))
  const folder = join(dirname(path), overlayFolder)
  const byMode = {
    overlay: { mounts, overlay: { folder, lower: layer.readOnly } },
    scratch: { mounts, scratch: layer.scratch.map(inCheckout) },
    copy: {},
  }
  return {
    workspace: path,
    ...(writesTo === undefined ? {} : { workspaceOverlay: { folder: writesTo } }),
    readOnly: [...readOnly, ...layer.readOnly],
    programs: layer.outsidePrograms,
    layer: {
      programs: [...layer.programs.map(inCheckout), ...layer.managerPrograms],
      env: { ...layer.env, ...Object.fromEntries(paths) },
      ...(layer.readOnly.length === 0 ? {} : byMode[mode]),
    },
  }
}

/** An empty folder, on which the layer is mounted. */
const createMountPoint = (path: string): ManagedPath => ({
  path,
  isIntact: async (whole) => {
    const { files } = await listContent(whole, ['.'], 'times')
    return files === 1
  },
  create: async (whole) => void (await mkdir(whole, { recursive: true })),
})

/** A copy is compared byte by byte, because nothing prevents changes to it. */
function createCopy({ from, to }: OpenedLayer['mounts'][number]): ManagedPath {
  return {
    path: to,
    isIntact: async (whole) => {
      const [now, before] = await Promise.all(
        [whole, from].map((folder) => listContent(folder, ['.'], 'bytes')),
      )
      return now?.digest === before?.digest
    },
    async create(whole) {
      const program = findProgram('cp')
      const command = { program: program ?? 'cp', args: ['-RPp', '--', from, whole], cwd: '/' }
      const { exitCode, stderr } = await createPlainCommands().run(
        command,
        AbortSignal.timeout(600_000),
      )
      if (exitCode !== 0) throw new Error(`The dependencies could not be copied: ${stderr.trim()}`)
    },
  }
}

function timed(check: OpenCheck, clock: PhaseClock): OpenCheck {
  const { run, observe } = check
  return {
    ...check,
    run: (context) => clock.during('checks', () => run(context)),
    ...(observe === undefined
      ? {}
      : { observe: (context, how) => clock.during('checks', () => observe(context, how)) }),
  }
}

function withRefusals(opened: OpenedCheckout, clock: PhaseClock): Checkout {
  return {
    path: opened.path,
    reset: (tree, how) =>
      clock
        .during('checkout', () => opened.reset(tree, how))
        .catch((error: unknown) => {
          throw asRefusal(error)
        }),
    written: opened.written,
    remove: opened.remove,
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof TreeChangedError)) return error
  const message = `${error.message}. Another process writes to the clean checkout, or the disk is failing. Fix that, then resume.`
  return new RefusedError({ code: 'tree-changed', message }, { cause: error })
}
