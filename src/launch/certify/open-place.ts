/**
 * Where work is certified: a clean checkout, its dependency layer, and walls that were put up for it alone.
 * Of the run's own place nothing is shown, and of its programs none is used.
 */

import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { type Blobs, type TreeReader } from '../../engine/index.ts'
import {
  type CertifyingPlace,
  type Checkout,
  type Observable,
  type PlaceRequest,
  RefusedError,
} from '../../evidence/index.ts'
import { defined, type Signal } from '../../loop/index.ts'
import type { SandboxSettings } from '../../protocol/index.ts'
import {
  createPlainCommands,
  findOpaque,
  findProgram,
  type OverlayReport,
  openSandbox,
} from '../../sandbox/index.ts'
import {
  type Apart,
  isGitTree,
  makeOwnFolder,
  type OpenedCheckout,
  openCheckout,
  type Repository,
  TreeChangedError,
} from '../../workspace/index.ts'
import type { CertifyingFolder, CertifyingParts, OpenedChecks } from '../checks/certifying-parts.ts'
import { listContent } from '../dependencies/list-content.ts'
import { type OpenedLayer, openLayer } from '../dependencies/open-layer.ts'
import { findObservable, withFileAccess } from './observe-files.ts'

export interface PlaceOptions {
  readonly reader: TreeReader
  readonly blobs: Blobs

  readonly stateFolder: string
  /** Of the run's worktree; undefined: its trees are blobs. */
  readonly repository: Repository | undefined
  /** Where the run works, and the folder that this stands for: nothing of theirs is run. */
  readonly workspace: string | undefined
  readonly checkout?: string | undefined
  readonly certifying: Pick<CertifyingParts, 'certify' | 'require' | 'open'>
}

export const certifyFolder = (stateFolder: string): string => join(stateFolder, 'certify')

/** Whoever asks for it closes it; it was as the tree says when it was opened. */
export async function openCertifyingPlace(
  request: PlaceRequest,
  options: PlaceOptions,
): Promise<CertifyingPlace & Pick<OpenedChecks, 'walls'>> {
  const { reader, stateFolder, workspace, certifying } = options
  const layer = await openLayer({
    reader,
    lockfileOf: request.lockfileOf,
    mode: certifying.certify.dependencies,
    installScripts: certifying.certify.installScripts,
    stateFolder,
    checkout: options.checkout ?? workspace,
    projects: projectsOf(options),
    signal: request.signal,
  })
  try {
    return await openWithLayer(request, options, layer)
  } catch (error) {
    await layer.release()
    throw error
  }
}

async function openWithLayer(
  request: PlaceRequest,
  options: PlaceOptions,
  layer: OpenedLayer,
): Promise<CertifyingPlace & Pick<OpenedChecks, 'walls'>> {
  const { certifying } = options
  const mode = await layerMode(certifying.require)
  const observes = await findObservable(certifying.require, certifyFolder(options.stateFolder))
  const opened = await openClean(request, options, layer, { mode, observes })
  try {
    const stop = following(request.signal)
    const folder = folderOf(opened, layer, mode)
    const { checks, agents, walls, close } = await certifying.open({
      ...folder,
      untrusted: projectsOf(options),
      signal: stop,
    })
    return {
      checkout: refusing(opened),
      observes,
      layer,
      checks: checks.map((check) => withFileAccess(check, { opened, layer, observes })),
      agents,
      walls,
      async close() {
        await close()
        await opened.remove()
        await layer.release()
      },
    }
  } catch (error) {
    await opened.remove()
    throw error
  }
}

const projectsOf = ({ workspace, checkout }: PlaceOptions): readonly string[] =>
  [workspace, checkout].filter((one) => one !== undefined)

async function openClean(
  request: PlaceRequest,
  { stateFolder, repository, blobs }: PlaceOptions,
  { mounts }: OpenedLayer,
  { mode, observes }: { readonly mode: LayerMode; readonly observes: Observable },
): Promise<OpenedCheckout> {
  const { tree, commit } = request
  const parent = certifyFolder(stateFolder)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const own = await makeOwnFolder(parent)
  const git =
    repository === undefined || !isGitTree(tree)
      ? {}
      : { git: { repository, ...defined({ commit }) } }
  const apart = mounts.map((mount) => (mode === 'copy' ? copied(mount) : mountPoint(mount.to)))
  try {
    if (mode === 'overlay') await mkdir(join(own.path, overlayFolder), { mode: 0o700 })
    const overlaid = { isOverlaid: observes.writes, findOpaque }
    return await openCheckout({ folder: own.path, tree, blobs, apart, ...overlaid, ...git })
  } catch (error) {
    await own.remove()
    throw asRefusal(error)
  }
}

function following(signal: Signal): AbortSignal {
  const stop = new AbortController()
  if (signal.aborted) stop.abort(signal.reason)
  else signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true })
  return stop.signal
}

type LayerMode = OverlayReport['mode']

/** Beside the checkout, where nothing inside can see it. */
const overlayFolder = 'overlay'

async function layerMode(required: SandboxSettings['require']): Promise<LayerMode> {
  if (required === 'none') return 'copy'
  return (await (await openSandbox()).overlay()).mode
}

function folderOf(
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
  const shown = {
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
      ...(layer.readOnly.length === 0 ? {} : shown[mode]),
    },
  }
}

/** An empty folder, over which the layer is shown. */
const mountPoint = (path: string): Apart => ({
  path,
  isIntact: async (whole) => {
    const { files } = await listContent(whole, ['.'], 'times')
    return files === 1
  },
  make: async (whole) => void (await mkdir(whole, { recursive: true })),
})

/** Looked at byte by byte: nothing kept it from being changed. */
function copied({ from, to }: OpenedLayer['mounts'][number]): Apart {
  return {
    path: to,
    isIntact: async (whole) => {
      const [is, was] = await Promise.all(
        [whole, from].map((folder) => listContent(folder, ['.'], 'bytes')),
      )
      return is?.digest === was?.digest
    },
    async make(whole) {
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

function refusing(opened: OpenedCheckout): Checkout {
  return {
    path: opened.path,
    reset: (tree, how) =>
      opened.reset(tree, how).catch((error: unknown) => {
        throw asRefusal(error)
      }),
    written: opened.written,
    remove: opened.remove,
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof TreeChangedError)) return error
  const message = `${error.message}. Something writes to the clean checkout, or the disk fails: stop it, then resume.`
  return new RefusedError({ code: 'tree-changed', message }, { cause: error })
}
