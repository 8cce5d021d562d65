/**
 * Installs a layer in the strong sandbox: in a folder with the lockfile and manifests of the trusted tree,
 * with an empty home, without credentials, and with no network except the operator's registries behind
 * our endpoint. Everything that a manager or a package runs stays in there.
 */

import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { TreeReader } from '../../engine/index.ts'
import { defined, type Signal, type TreeId } from '../../loop/index.ts'
import { openSandbox, type Sandbox } from '../../sandbox/index.ts'
import { makePrivateFolder } from '../../workspace/index.ts'
import { fetchSource } from './fetch-source.ts'
import type { Manager } from './find-manager.ts'
import { findScripts, toScriptItem } from './install-scripts.ts'
import { findInstalledFolders, prepareFolder, summarizeLayer } from './layer-folders.ts'
import {
  createLayerFolder,
  removeLayerFolder,
  type StoredLayer,
  storeLayer,
} from './layer-store.ts'
import type { LayerPlan } from './plan-layer.ts'
import { sourceFile } from './registry/foreign-source.ts'
import { findProxy } from './registry/operator-proxy.ts'
import { openRegistryEndpoint } from './registry/registry-endpoint.ts'
import { replaceRangesInManifest } from './registry/replace-ranges.ts'
import {
  cacheFolder,
  createDependencyError,
  type InstallContext,
  runManager,
} from './run-manager.ts'
import { runScripts } from './run-scripts.ts'

export interface InstallOptions {
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly store: string
  /** Folders of the project: no program is run from there. */
  readonly projects: readonly string[]
  readonly signal: Signal
}

const fileBytesMax = 256 * 1024 * 1024

/** A digest of everything that determines what is installed. */
export function computeLayerKey(
  { lockfile, folder, files }: LayerPlan,
  { version }: Manager,
): string {
  const { platform, arch, versions } = process
  const hash = createHash('sha256')
  const parts = [lockfile.manager, lockfile.install, folder, version, platform, arch]
  hash.update(
    JSON.stringify(['layer 3', ...parts, lockfile.stack === 'node' ? versions.modules : '']),
  )
  for (const [path, { kind, content }] of [...files].toSorted(([one], [two]) =>
    one < two ? -1 : 1,
  )) {
    hash.update(`${kind} ${content} ${path}\0`)
  }
  return hash.digest('hex')
}

export async function installLayer(
  plan: LayerPlan,
  manager: Manager,
  options: InstallOptions & ScriptOptions,
): Promise<StoredLayer> {
  const { store, scripts = [], key = computeLayerKey(plan, manager) } = options
  const path = await createLayerFolder(store)
  try {
    await withInstallContext(plan, manager, options, path, async (context) => {
      await runManager(context)
      const found = scripts.length === 0 ? [] : findScripts(findModuleFolders(plan, path))
      await runScripts(
        context,
        found.filter((one) => scripts.includes(toScriptItem(one).id)),
      )
    })
    await rm(join(path, cacheFolder), { recursive: true, force: true })
    const folders = findInstalledFolders(plan, path)
    for (const one of folders) await prepareFolder(join(path, one))
    const summary = `${summarizeLayer(plan, path)}${scripts.length === 0 ? '' : ', install scripts run'}`
    return await storeLayer(store, { key, path, from: 'installed', summary, folders })
  } catch (error) {
    await removeLayerFolder(store, path)
    throw error
  }
}

/** For a layer whose install scripts are run. */
interface ScriptOptions {
  /** The ids of the approved scripts. */
  readonly scripts?: readonly string[]
  /** The key of the layer, instead of that of the layer without scripts. */
  readonly key?: string
}

/** Prepares the folder, the sandbox and the registry endpoint for a manager while `work` runs. */
export async function withInstallContext<T>(
  plan: LayerPlan,
  manager: Manager,
  options: InstallOptions,
  path: string,
  work: (context: InstallContext) => Promise<T>,
): Promise<T> {
  const sandbox = await requireStrongSandbox()
  const privateFolder = await makePrivateFolder()
  try {
    await writeFiles(plan, options, path)
    const { routes, caFile, isStrictSsl, proxy } = plan.registries
    const endpoint = await openRegistryEndpoint({
      routes,
      folder: privateFolder.path,
      files: await fetchApprovedSources(plan, privateFolder.path, options.signal),
      ...defined({ caFile, isStrictSsl, proxy }),
    })
    try {
      return await work({ plan, manager, path, sandbox, endpoint, signal: options.signal })
    } finally {
      await endpoint.close()
    }
  } finally {
    await privateFolder.remove()
  }
}

const findModuleFolders = (plan: LayerPlan, path: string): readonly string[] =>
  findInstalledFolders(plan, path)
    .filter((folder) => posix.basename(folder) === 'node_modules')
    .map((folder) => join(path, folder))

async function requireStrongSandbox(): Promise<Sandbox> {
  const sandbox = await openSandbox()
  const { tier, reason, fix } = sandbox.report
  if (tier === 'strong') return sandbox
  const why = [reason, fix].filter((one) => one !== undefined).join(' ')
  throw createDependencyError(
    `Dependencies are installed only in a sandbox of tier "strong", and this machine has "${tier}". ${why} Fix the sandbox`,
  )
}

/** Returns paths by name at the endpoint. The caller has verified that all of them are approved. */
async function fetchApprovedSources(
  { reading, registries }: LayerPlan,
  privateFolder: string,
  signal: Signal,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const tls = { rejectUnauthorized: registries.isStrictSsl !== false }
  const proxy = findProxy(registries.proxy ?? {})
  for (const source of reading.approvable) {
    const folder = join(privateFolder, 'approved')
    files.set(sourceFile(source), await fetchSource(source, { folder, signal, tls, proxy }))
  }
  return files
}

/** Writes the lockfile as it was parsed, our settings instead of the project's, the rest unchanged. */
async function writeFiles(
  { files, folder, lockfile, reading, registries, npmrc }: LayerPlan,
  { reader, tree }: InstallOptions,
  path: string,
): Promise<void> {
  const lockfilePath = posix.join(folder, lockfile.file)
  await Promise.all(
    [...files.keys()].map(async (file) => {
      const isRead = file === lockfilePath && lockfile.manager !== 'go'
      const found = isRead ? reading.text : await reader.read(tree, file, fileBytesMax)
      if (found === undefined) throw createDependencyError(`${file} is too large. Make it smaller`)
      const isManifest = posix.basename(file) === 'package.json' && reading.approvable.length > 0
      const content =
        isManifest && reading.replaceRange !== undefined
          ? replaceRangesInManifest(Buffer.from(found).toString(), reading.replaceRange)
          : found
      await writePrivateFile(join(path, file), content)
    }),
  )
  const settings = registries.files(defined({ npmrc }))
  for (const [name, text] of Object.entries(settings))
    await writePrivateFile(join(path, folder, name), text)
  await registries.copyMirrored?.(reading.text, join(path, folder))
}

async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content, { mode: 0o600 })
}
