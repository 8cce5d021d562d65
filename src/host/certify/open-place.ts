/**
 * Where work is certified: a clean checkout, its dependency layer, and walls that were put up for it alone.
 * Of the run's own place nothing is shown, and of its programs none is used.
 */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs } from '../../engine/index.ts'
import {
  type Checkout,
  type PlaceRequest,
  RefusedError,
  type TreeReader,
} from '../../evidence/index.ts'
import type { LoopFile } from '../../protocol/index.ts'
import { createPlainCommands, findProgram, openSandbox } from '../../sandbox/index.ts'
import {
  type Apart,
  isGitTree,
  type OpenedCheckout,
  openCheckout,
  type Repository,
  TreeChangedError,
} from '../../workspace/index.ts'
import type { OpenPlace } from '../loaded-loop.ts'
import { type OpenWalls, openWalls } from '../open-walls.ts'
import { makeOwnFolder } from '../own-folder.ts'
import { listContent } from './list-content.ts'
import { type OpenedLayer, openLayer } from './open-layer.ts'

export interface CleanPlaceOptions {
  readonly reader: TreeReader
  readonly blobs: Blobs
  /** Of the run's worktree; undefined: its trees are blobs. */
  readonly repository: Repository | undefined
  /** What the loop file says of the sandbox, and where its paths begin. */
  readonly file: Pick<LoopFile, 'sandbox' | 'certify'>
  readonly base: string
  /** The place of the run itself. */
  readonly place: Pick<OpenPlace, 'folder' | 'workspace' | 'checkout' | 'attended'>
}

/** Everything but the checks. */
export interface CleanPlace {
  readonly checkout: Checkout
  readonly layer: OpenedLayer
  readonly walls: OpenWalls
  /** As `openWalls` was given it, for whatever else is opened in the checkout. */
  readonly place: OpenPlace
  close(): Promise<void>
}

export const certifyFolder = (record: string): string => join(record, 'certify')

export async function openCleanPlace(
  request: PlaceRequest,
  options: CleanPlaceOptions,
): Promise<CleanPlace> {
  const { reader, blobs, repository, file, base, place } = options
  const { folder: record, workspace, attended } = place
  const projects = [workspace, place.checkout].filter((one) => one !== undefined)
  const layer = await openLayer({
    reader,
    lockfileOf: request.lockfileOf,
    mode: file.certify.dependencies,
    record,
    checkout: place.checkout ?? workspace,
    projects,
    signal: request.signal,
  })
  const parent = certifyFolder(record)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const own = await makeOwnFolder(parent)
  try {
    const isMounted = await canMount(file.sandbox.require)
    const opened = await openCheckout({
      folder: own.path,
      tree: request.tree,
      blobs,
      apart: layer.mounts.map((mount) => (isMounted ? mountPoint(mount.to) : copied(mount))),
      ...(repository === undefined || !isGitTree(request.tree)
        ? {}
        : {
            git: {
              repository,
              ...(request.commit === undefined ? {} : { commit: request.commit }),
            },
          }),
    })
    const inside = insideOf(opened, layer, isMounted, {
      folder: record,
      untrusted: projects,
      ...(place.checkout === undefined ? {} : { checkout: place.checkout }),
      ...(attended === undefined ? {} : { attended }),
    })
    const walls = await openWalls({ settings: file.sandbox, base, workspace: opened.path }, inside)
    return {
      checkout: refusing(opened),
      layer,
      walls,
      place: inside,
      async close() {
        await walls.close()
        await opened.remove()
      },
    }
  } catch (error) {
    await own.remove()
    throw asRefusal(error)
  }
}

/** Without walls that can show a folder elsewhere, the layer is copied. */
async function canMount(required: LoopFile['sandbox']['require']): Promise<boolean> {
  return required !== 'none' && (await openSandbox()).report.tier === 'strong'
}

function insideOf(
  { path, readOnly }: OpenedCheckout,
  layer: OpenedLayer,
  isMounted: boolean,
  place: OpenPlace,
): OpenPlace {
  const paths = Object.entries(layer.paths).map(([name, inner]) => [name, join(path, inner)])
  const inCheckout = (inner: string): string => join(path, inner)
  return {
    ...place,
    workspace: path,
    readOnly: [...readOnly, ...layer.readOnly],
    layer: {
      programs: layer.programs.map(inCheckout),
      env: { ...layer.env, ...Object.fromEntries(paths) },
      ...(isMounted
        ? {
            mounts: layer.mounts.map(({ from, to }) => ({ from, to: inCheckout(to) })),
            scratch: layer.scratch.map(inCheckout),
          }
        : {}),
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
    remove: opened.remove,
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof TreeChangedError)) return error
  const message = `${error.message}. Something writes to the clean checkout, or the disk fails: stop it, then resume.`
  return new RefusedError({ code: 'tree-changed', message }, { cause: error })
}
