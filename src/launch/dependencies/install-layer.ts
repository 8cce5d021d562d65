/**
 * Installs a layer: inside the strong sandbox, in a folder that holds the trusted tree's lockfile and
 * manifests, with an empty home, without credentials, and with no network but the operator's registries
 * behind our endpoint. Whatever a manager or a package runs, it runs there.
 */

import { createHash } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { TreeReader } from '../../engine/index.ts'
import { defined, type Signal, type TreeId } from '../../loop/index.ts'
import { openSandbox, type Sandbox } from '../../sandbox/index.ts'
import { makeOwnFolder } from '../../workspace/index.ts'
import { fetchSource } from './fetch-source.ts'
import type { Manager } from './find-manager.ts'
import { findScripts, scriptItem } from './install-scripts.ts'
import { madeFolders, prepareFolder, summaryOf } from './layer-folders.ts'
import { keepLayer, newLayerFolder, removeLayerFolder, type StoredLayer } from './layer-store.ts'
import type { LayerPlan } from './plan-layer.ts'
import { sourceFile } from './registry/foreign-source.ts'
import { findProxy } from './registry/operator-proxy.ts'
import { openRegistryEndpoint } from './registry/registry-endpoint.ts'
import { respecifyManifest } from './registry/respecify.ts'
import { cacheFolder, type Installing, refused, runManager } from './run-manager.ts'
import { runScripts } from './run-scripts.ts'

export interface InstallOptions {
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly store: string
  /** Folders of the project: no program is taken from there. */
  readonly projects: readonly string[]
  readonly signal: Signal
}

const fileBytesMax = 256 * 1024 * 1024

/** Over all that decides what is installed. */
export function layerKey({ lockfile, folder, files }: LayerPlan, { version }: Manager): string {
  const { platform, arch, versions } = process
  const hash = createHash('sha256')
  const made = [lockfile.manager, lockfile.install, folder, version, platform, arch]
  hash.update(
    JSON.stringify(['layer 3', ...made, lockfile.stack === 'node' ? versions.modules : '']),
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
  options: InstallOptions & Built,
): Promise<StoredLayer> {
  const { store, scripts = [], key = layerKey(plan, manager) } = options
  const path = await newLayerFolder(store)
  try {
    await installIn(plan, manager, options, path, async (installing) => {
      await runManager(installing)
      const found = scripts.length === 0 ? [] : findScripts(modulesIn(plan, path))
      await runScripts(
        installing,
        found.filter((one) => scripts.includes(scriptItem(one).id)),
      )
    })
    await rm(join(path, cacheFolder), { recursive: true, force: true })
    const folders = madeFolders(plan, path)
    for (const one of folders) await prepareFolder(join(path, one))
    const summary = `${summaryOf(plan, path)}${scripts.length === 0 ? '' : ', install scripts run'}`
    return await keepLayer(store, { key, path, from: 'installed', summary, folders })
  } catch (error) {
    await removeLayerFolder(store, path)
    throw error
  }
}

/** A layer in which install scripts were run. */
interface Built {
  /** Their ids. */
  readonly scripts?: readonly string[]
  /** By what it is found, in place of the plain one. */
  readonly key?: string
}

/** All that a manager needs, in this folder and around it, while the work goes on. */
export async function installIn<T>(
  plan: LayerPlan,
  manager: Manager,
  options: InstallOptions,
  path: string,
  work: (installing: Installing) => Promise<T>,
): Promise<T> {
  const sandbox = await requireStrong()
  const own = await makeOwnFolder()
  try {
    await putFiles(plan, options, path)
    const { routes, caFile, isStrictSsl, proxy } = plan.registries
    const endpoint = await openRegistryEndpoint({
      routes,
      folder: own.path,
      files: await fetchApproved(plan, own.path, options.signal),
      ...defined({ caFile, isStrictSsl, proxy }),
    })
    try {
      return await work({ plan, manager, path, sandbox, endpoint, signal: options.signal })
    } finally {
      await endpoint.close()
    }
  } finally {
    await own.remove()
  }
}

const modulesIn = (plan: LayerPlan, path: string): readonly string[] =>
  madeFolders(plan, path)
    .filter((folder) => posix.basename(folder) === 'node_modules')
    .map((folder) => join(path, folder))

async function requireStrong(): Promise<Sandbox> {
  const sandbox = await openSandbox()
  const { tier, reason, fix } = sandbox.report
  if (tier === 'strong') return sandbox
  const why = [reason, fix].filter((one) => one !== undefined).join(' ')
  throw refused(
    `Dependencies are installed only in a sandbox of tier "strong", and this machine has "${tier}". ${why} Fix the sandbox`,
  )
}

/** By their names at the endpoint. Whoever calls this knows that all of them are approved. */
async function fetchApproved(
  { reading, registries }: LayerPlan,
  own: string,
  signal: Signal,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const tls = { rejectUnauthorized: registries.isStrictSsl !== false }
  const proxy = findProxy(registries.proxy ?? {})
  for (const source of reading.approvable) {
    const folder = join(own, 'approved')
    files.set(sourceFile(source), await fetchSource(source, { folder, signal, tls, proxy }))
  }
  return files
}

/** The lockfile as it was read, our settings in place of the project's, and the rest as it is. */
async function putFiles(
  { files, folder, lockfile, reading, registries, npmrc }: LayerPlan,
  { reader, tree }: InstallOptions,
  path: string,
): Promise<void> {
  const lockfilePath = posix.join(folder, lockfile.file)
  await Promise.all(
    [...files.keys()].map(async (file) => {
      const isRead = file === lockfilePath && lockfile.manager !== 'go'
      const found = isRead ? reading.text : await reader.read(tree, file, fileBytesMax)
      if (found === undefined) throw refused(`${file} is too large. Make it smaller`)
      const isManifest = posix.basename(file) === 'package.json' && reading.approvable.length > 0
      const content =
        isManifest && reading.respecify !== undefined
          ? respecifyManifest(Buffer.from(found).toString(), reading.respecify)
          : found
      await putFile(join(path, file), content)
    }),
  )
  const settings = registries.files(defined({ npmrc }))
  for (const [name, text] of Object.entries(settings)) await putFile(join(path, folder, name), text)
  await registries.fill?.(reading.text, join(path, folder))
}

async function putFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content, { mode: 0o600 })
}
