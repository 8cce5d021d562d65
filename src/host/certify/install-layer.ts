/**
 * Runs a package manager for a layer: in a folder that holds the trusted tree's lockfile and manifests and
 * nothing else, with an environment of our making, and without any program of a package.
 */

import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { type Lockfile, RefusedError, type TreeReader } from '../../evidence/index.ts'
import type { Signal, TreeId } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import { findOnPath, removeTree } from '../../workspace/index.ts'
import { keepLayer, newLayerFolder, type StoredLayer } from './layer-store.ts'
import type { LayerPlan } from './plan-layer.ts'
import { safeNpmrc } from './safe-npmrc.ts'

export interface InstallOptions {
  readonly reader: TreeReader
  readonly tree: TreeId
  readonly store: string
  /** Folders of the project: no program is taken from there. */
  readonly projects: readonly string[]
  readonly signal: Signal
}

export interface Manager {
  readonly program: string
  readonly version: string
}

const timeoutMs = 15 * 60_000
const fileBytesMax = 256 * 1024 * 1024
/** What it said last, for a person. */
const saidLines = 12

/** Variables of the person that say where packages come from; nothing else of theirs is passed on. */
const passedOn =
  /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_registry|npm_token|node_auth_token|pip_(extra_)?index_url|uv_(default_)?index(_url)?|goproxy|goprivate|gonosumdb|gosumdb|xdg_config_home|pyenv_root|rustup_home)$/i

/** Folders that programs of packages write to, though they are in the layer. */
export const writtenFolders: readonly string[] = [
  '.cache',
  '.tmp',
  '.vite',
  '.vite-temp',
  '.vitest',
]

export async function findManager(
  { lockfile }: LayerPlan,
  projects: readonly string[],
): Promise<Manager> {
  const [name = ''] = lockfile.install
  const [program] = await findOnPath(name, { apart: projects, asOrdered: true })
  if (program === undefined) {
    throw refused(
      `${lockfile.file} needs ${name}, and there is none on the PATH outside of the project. Install it`,
    )
  }
  return {
    program,
    version: (await packageVersion(program, name)) ?? (await ask(program, lockfile)),
  }
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

async function ask(program: string, { manager }: Lockfile): Promise<string> {
  const command = {
    program,
    args: manager === 'go' ? ['version'] : ['--version'],
    cwd: '/',
    env: environment(program, {}),
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
    JSON.stringify(['layer 1', ...made, lockfile.stack === 'node' ? versions.modules : '']),
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
  const { lockfile, folder } = plan
  const { store, signal } = options
  const path = await newLayerFolder(store)
  try {
    await putFiles(plan, options, path)
    const cwd = join(path, folder)
    const owns = lockfile.installs.length === 0 && lockfile.store !== undefined
    const ownStore = owns ? { [lockfile.store.variable]: join(cwd, storeFolder) } : {}
    const env = environment(manager.program, { ...extraEnvironment[lockfile.manager], ...ownStore })
    const args = [...lockfile.install.slice(1), ...(extraArguments[lockfile.manager] ?? [])]
    const command = { program: manager.program, args, cwd, env, timeoutMs }
    const result = await createPlainCommands().run(command, signal)
    signal.throwIfAborted()
    if (result.exitCode !== 0)
      throw failed(plan, `${result.stdout}\n${result.stderr}`, result.ended)
    const folders = await madeFolders(plan, path)
    for (const one of folders) await prepareFolder(join(path, one))
    const summary = summaryOf(plan, path)
    const key = layerKey(plan, manager)
    return await keepLayer(store, { key, path, from: 'installed', summary, folders })
  } catch (error) {
    await removeTree(path)
    throw error
  }
}

/** Of managers that keep packages in a store of their own. */
export const storeFolder = '.store'

const extraEnvironment: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  npm: { npm_config_update_notifier: 'false' },
  // Copies: what is linked to a store of the person would lose its rights there too.
  pnpm: { npm_config_package_import_method: 'copy', pnpm_config_package_import_method: 'copy' },
  uv: { UV_LINK_MODE: 'copy' },
  poetry: { POETRY_VIRTUALENVS_IN_PROJECT: 'true' },
  go: { GOFLAGS: '-modcacherw' },
  pip: { PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_INPUT: '1' },
}

const extraArguments: Readonly<Record<string, readonly string[]>> = {
  bun: ['--backend=copyfile'],
}

function environment(
  program: string,
  more: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const given = Object.entries(process.env).filter(
    (entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined,
  )
  const folders = [
    dirname(program),
    dirname(process.execPath),
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
  ]
  return { ...Object.fromEntries(given), CI: '1', PATH: [...new Set(folders)].join(':'), ...more }
}

async function putFiles(
  { files }: LayerPlan,
  { reader, tree }: InstallOptions,
  path: string,
): Promise<void> {
  await Promise.all(
    [...files.keys()].map(async (file) => {
      const content = await reader.read(tree, file, fileBytesMax)
      if (content === undefined) throw refused(`${file} is too large to be installed from`)
      const whole = join(path, file)
      await mkdir(dirname(whole), { recursive: true })
      const safe = posix.basename(file) === '.npmrc' ? safeNpmrc(content) : content
      await writeFile(whole, safe, { mode: 0o600 })
    }),
  )
}

/** Packages of a workspace may have folders of their own. */
async function madeFolders(
  { lockfile, folder, files }: LayerPlan,
  path: string,
): Promise<readonly string[]> {
  const installs = lockfile.installs.length === 0 ? [storeFolder] : lockfile.installs
  const beside = [folder, ...[...files.keys()].map((file) => posix.dirname(file))]
  const wanted = [...new Set(beside)].flatMap((one) =>
    installs.map((name) => posix.join(one, name)),
  )
  return [...new Set(wanted)].filter(
    (one) => lstatSync(join(path, one), { throwIfNoEntry: false })?.isDirectory() === true,
  )
}

/** Nobody writes there any more; where programs expect to, an empty folder is put to be covered. */
export async function prepareFolder(folder: string): Promise<void> {
  if (folder.endsWith('/node_modules')) {
    for (const name of writtenFolders) await mkdir(join(folder, name), { recursive: true })
  }
  const queue = [folder]
  for (const [index, path] of queue.entries()) {
    if (index % 256 === 0) await setImmediate()
    const seen = lstatSync(path)
    if (seen.isSymbolicLink()) continue
    if (seen.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)))
    chmodSync(path, (seen.mode & 0o555) | 0o400)
  }
}

function summaryOf({ lockfile, folder }: LayerPlan, path: string): string {
  const modules = join(path, folder, 'node_modules')
  if (!existsSync(modules)) return lockfile.manager
  const count = readdirSync(modules).reduce((sum, name) => {
    if (name.startsWith('.')) return sum
    return sum + (name.startsWith('@') ? readdirSync(join(modules, name)).length : 1)
  }, 0)
  return `${lockfile.manager}, ${count} ${count === 1 ? 'package' : 'packages'}`
}

function failed({ lockfile }: LayerPlan, said: string, ended: string): RefusedError {
  const lines = said.trim().split('\n').slice(-saidLines).join('\n')
  const why = ended === 'timeout' ? `took longer than ${timeoutMs / 60_000} minutes` : 'failed'
  return refused(`${lockfile.install.join(' ')} ${why}:\n${lines}\nMake it work`)
}

export function refused(what: string): RefusedError {
  const message =
    `${what}, or take the dependencies of your checkout as they are (certify: { dependencies: carry }), ` +
    'or none (certify: { dependencies: none }).'
  return new RefusedError({ code: 'dependencies', message })
}
