/**
 * Installs a layer: inside the strong sandbox, in a folder that holds the trusted tree's lockfile and
 * manifests, with an empty home, without credentials, and with no network but the operator's registries
 * behind our endpoint. Whatever a manager or a package runs, it runs there.
 */

import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { z } from 'zod'
import type { Lockfile, TreeReader } from '../../evidence/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import { createPlainCommands, openSandbox, type Sandbox } from '../../sandbox/index.ts'
import { findOnPath } from '../../workspace/index.ts'
import { makeOwnFolder } from '../own-folder.ts'
import { sourceFile } from '../registry/foreign-source.ts'
import { findProxy } from '../registry/operator-proxy.ts'
import { openRegistryEndpoint } from '../registry/registry-endpoint.ts'
import { respecifyManifest } from '../registry/respecify.ts'
import { managerForFormat, parseWanted } from './bring-manager.ts'
import { fetchSource } from './fetch-source.ts'
import { madeFolders, prepareFolder, summaryOf } from './layer-folders.ts'
import { keepLayer, newLayerFolder, removeLayerFolder, type StoredLayer } from './layer-store.ts'
import type { LayerPlan } from './plan-layer.ts'
import { cacheFolder, programFolders, refused, runManager } from './run-manager.ts'

export interface InstallOptions {
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly store: string
  /** Folders of the project: no program is taken from there. */
  readonly projects: readonly string[]
  readonly signal: Signal
}

export interface Manager {
  /** Absent: the layer brings it. */
  readonly program?: string
  readonly version: string
}

const fileBytesMax = 256 * 1024 * 1024
/** The version that the project names, or else the one on the PATH. */
export async function findManager(
  { lockfile, wantedManager, reading }: LayerPlan,
  projects: readonly string[],
): Promise<Manager> {
  const wanted = parseWanted(wantedManager, lockfile.manager)
  const [name = ''] = lockfile.install
  const [found] = await findOnPath(name, { apart: projects, asOrdered: true })
  const program = found === undefined || name !== 'python3' ? found : await realPython(found)
  if (program === undefined) {
    const spare = wanted ?? parseWanted(managerForFormat(name, reading.text), name)
    if (spare !== undefined) return { version: spare.version }
    throw refused(
      `${lockfile.file} needs ${name}, and the PATH has none outside of the project. Install ${name}, ` +
        `or name its version in package.json ("packageManager": "${name}@<version>")`,
    )
  }
  const version = (await packageVersion(program, name)) ?? (await ask(program, lockfile))
  const isWanted = wanted === undefined || wanted.version === version
  return isWanted ? { program, version } : { version: wanted.version }
}

/** Managers that are packages themselves are slow to ask. */
async function packageVersion(program: string, name: string): Promise<string | undefined> {
  const real = await realpath(program)
  for (const folder of [dirname(real), dirname(dirname(real))]) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
    const found = packageSchema.safeParse(JSON.parse(text))
    if (found.data?.name === name) return found.data.version
  }
  return undefined
}

const packageSchema = z.object({ name: z.string(), version: z.string() })

/** Not a shim, which would write to its own folders. */
async function realPython(shim: string): Promise<string> {
  const command = {
    program: shim,
    args: ['-I', '-c', 'import sys; print(sys.executable)'],
    cwd: '/',
    env: { PATH: programFolders(shim) },
    timeoutMs: 30_000,
  }
  const { stdout, exitCode } = await createPlainCommands().run(command, AbortSignal.timeout(30_000))
  const path = stdout.trim()
  return exitCode === 0 && path.startsWith('/') ? path : shim
}

async function ask(program: string, { manager }: Lockfile): Promise<string> {
  const command = {
    program,
    args: manager === 'go' ? ['version'] : ['--version'],
    cwd: '/',
    env: { PATH: programFolders(program) },
    timeoutMs: 30_000,
  }
  const { stdout } = await createPlainCommands().run(command, AbortSignal.timeout(30_000))
  return stdout.trim().slice(0, 200)
}

/** Over all that decides what is installed. */
export function layerKey({ lockfile, folder, files }: LayerPlan, { version }: Manager): string {
  const { platform, arch, versions } = process
  const hash = createHash('sha256')
  const made = [lockfile.manager, lockfile.install, folder, version, platform, arch]
  hash.update(
    JSON.stringify(['layer 2', ...made, lockfile.stack === 'node' ? versions.modules : '']),
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
  options: InstallOptions,
): Promise<StoredLayer> {
  const sandbox = await requireStrong()
  const { store } = options
  const path = await newLayerFolder(store)
  const own = await makeOwnFolder()
  try {
    await putFiles(plan, options, path)
    const { routes, caFile, isStrictSsl, proxy } = plan.registries
    const endpoint = await openRegistryEndpoint({
      routes,
      folder: own.path,
      files: await fetchApproved(plan, own.path, options.signal),
      ...(caFile === undefined ? {} : { caFile }),
      ...(isStrictSsl === undefined ? {} : { isStrictSsl }),
      ...(proxy === undefined ? {} : { proxy }),
    })
    try {
      await runManager({ plan, manager, path, sandbox, endpoint, signal: options.signal })
    } finally {
      await endpoint.close()
    }
    await rm(join(path, cacheFolder), { recursive: true, force: true })
    const folders = madeFolders(plan, path)
    for (const one of folders) await prepareFolder(join(path, one))
    const summary = summaryOf(plan, path)
    const key = layerKey(plan, manager)
    return await keepLayer(store, { key, path, from: 'installed', summary, folders })
  } catch (error) {
    await removeLayerFolder(store, path)
    throw error
  } finally {
    await own.remove()
  }
}

async function requireStrong(): Promise<Sandbox> {
  const sandbox = await openSandbox()
  const { tier, reason, fix } = sandbox.report
  if (tier === 'strong') return sandbox
  const why = [reason, fix].filter((one) => one !== undefined).join(' ')
  throw refused(
    `Dependencies are installed in a sandbox of tier "strong" only, and this machine has "${tier}". ${why} Make it available`,
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
      if (found === undefined) throw refused(`${file} is too large to be installed from`)
      const isManifest = posix.basename(file) === 'package.json' && reading.approvable.length > 0
      const content =
        isManifest && reading.respecify !== undefined
          ? respecifyManifest(Buffer.from(found).toString(), reading.respecify)
          : found
      await putFile(join(path, file), content)
    }),
  )
  const settings = registries.files(npmrc === undefined ? {} : { npmrc })
  for (const [name, text] of Object.entries(settings)) await putFile(join(path, folder, name), text)
}

async function putFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content, { mode: 0o600 })
}
