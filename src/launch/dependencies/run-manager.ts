/**
 * Runs a package manager in the strong sandbox: with an empty home, without credentials, and with no network
 * except the operator's registries behind our endpoint.
 */

import { dirname, join, posix } from 'node:path'
import { RefusedError } from '../../evidence/index.ts'
import type { Signal } from '../../loop/index.ts'
import { findCommandMounts, type Sandbox, type SandboxSpec } from '../../sandbox/index.ts'
import { findOnPath } from '../../workspace/index.ts'
import { pickErrorLines } from './error-lines.ts'
import type { Manager } from './find-manager.ts'
import { managerPrograms, parseManagerPackage, toInstallCommand } from './manager-package.ts'
import type { LayerPlan } from './plan-layer.ts'
import type { RegistryEndpoint } from './registry/registry-endpoint.ts'

const timeoutMs = 15 * 60_000
/** How much of its output is shown in an error. */

/** For downloads, in the folder of the layer; removed after the install. */
export const cacheFolder = '.downloads'

export interface InstallContext {
  readonly plan: LayerPlan
  readonly manager: Manager
  readonly path: string
  readonly sandbox: Sandbox
  readonly endpoint: RegistryEndpoint
  readonly signal: Signal
}

/** `instead`: arguments that replace those of an install. */
export async function runManager(
  context: InstallContext,
  instead?: readonly string[],
): Promise<void> {
  const { plan, manager, path } = context
  const { lockfile, folder } = plan
  const cwd = join(path, folder)
  const managerPackage =
    manager.program === undefined
      ? parseManagerPackage(`${lockfile.manager}@${manager.version}`, lockfile.manager)
      : undefined
  if (managerPackage !== undefined) {
    const npm = await findOnPath('npm', { keepOrder: true })
    await runInSandbox(context, npm[0] ?? 'npm', toInstallCommand(managerPackage).slice(1), path)
  }
  const managerBin = managerPrograms(path)
  const program = manager.program ?? join(managerBin ?? '', lockfile.install[0] ?? '')
  const isBerry = lockfile.manager === 'yarn' && !manager.version.startsWith('1.')
  const install = isBerry ? berryInstall : lockfile.install.slice(1)
  const args = instead ?? [...install, ...(extraArguments[lockfile.manager] ?? [])]
  await runInSandbox(context, program, args, cwd)
}

const berryInstall = ['install', '--immutable', '--mode=skip-build']

/** For commands other than the manager. */
interface SandboxRunOptions {
  /** The subject of the error message. */
  readonly what: string
  readonly advice: string
  readonly env: Readonly<Record<string, string>>
  readonly readOnly: readonly string[]
}

export async function runInSandbox(
  { plan, path, sandbox, endpoint, signal }: InstallContext,
  program: string,
  args: readonly string[],
  cwd: string,
  more?: SandboxRunOptions,
): Promise<void> {
  const { lockfile, registries } = plan
  const hasStore = lockfile.installs.length === 0 && lockfile.store !== undefined
  const storeVariable = hasStore ? { [lockfile.store.variable]: join(cwd, storeFolder) } : {}
  const place: SandboxSpec = {
    workspace: path,
    gateway: endpoint,
    readOnly: [
      ...registries.readOnly,
      ...(more?.readOnly ?? []),
      ...findCommandMounts([program], { cwd: path, path: programFolders(program) }),
    ],
    env: {
      CI: '1',
      ...cacheEnvironment(join(path, cacheFolder)),
      ...extraEnvironment[lockfile.manager],
      ...(plan.isPnp === true ? pnpEnvironment : {}),
      ...registries.env,
      ...storeVariable,
      ...more?.env,
    },
  }
  const result = await sandbox.commands(place).run({ program, args, cwd, timeoutMs }, signal)
  signal.throwIfAborted()
  if (result.exitCode === 0) return
  throw createFailure(
    plan,
    [program, ...args],
    `${result.stdout}\n${result.stderr}`,
    result.ended,
    endpoint.problems(),
    more,
  )
}

/** For managers that keep packages in a store instead of the project. */
export const storeFolder = '.store'

const extraEnvironment: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pnpm: {
    npm_config_package_import_method: 'copy',
    npm_config_manage_package_manager_versions: 'false',
  },
  yarn: {
    YARN_IGNORE_PATH: '1',
    YARN_NODE_LINKER: 'node-modules',
    YARN_ENABLE_SCRIPTS: '0',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_GLOBAL_CACHE: '0',
    YARN_ENABLE_MIRROR: '0',
    YARN_INSTALL_STATE_PATH: './node_modules/.yarn-install-state.gz',
  },
  uv: { UV_LINK_MODE: 'copy' },
  poetry: { POETRY_VIRTUALENVS_IN_PROJECT: 'true' },
}

/** `.pnp.cjs` refers to archives and unpacked packages by these paths. */
const pnpEnvironment: Readonly<Record<string, string>> = {
  YARN_NODE_LINKER: 'pnp',
  YARN_CACHE_FOLDER: './.yarn/cache',
  // Without a mirror, Yarn gives archives other names.
  YARN_ENABLE_MIRROR: '1',
  YARN_GLOBAL_FOLDER: `./${cacheFolder}/yarn`,
  YARN_INSTALL_STATE_PATH: './.yarn/unplugged/.install-state.gz',
}

/** All managers download into one folder, which is removed afterwards. */
const cacheEnvironment = (folder: string): Readonly<Record<string, string>> => ({
  npm_config_cache: join(folder, 'npm'),
  npm_config_store_dir: join(folder, 'pnpm'),
  YARN_CACHE_FOLDER: join(folder, 'yarn'),
  BUN_INSTALL_CACHE_DIR: join(folder, 'bun'),
  PIP_CACHE_DIR: join(folder, 'pip'),
  UV_CACHE_DIR: join(folder, 'uv'),
  POETRY_CACHE_DIR: join(folder, 'poetry'),
})

const extraArguments: Readonly<Record<string, readonly string[]>> = {
  bun: ['--backend=copyfile'],
}

/** For checks: the manager is installed and must not look for another version. */
export const checkEnvironment: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pnpm: { npm_config_manage_package_manager_versions: 'false', COREPACK_ENABLE_NETWORK: '0' },
  yarn: {
    YARN_IGNORE_PATH: '1',
    YARN_NODE_LINKER: 'node-modules',
    YARN_ENABLE_NETWORK: '0',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_INSTALL_STATE_PATH: './node_modules/.yarn-install-state.gz',
    COREPACK_ENABLE_NETWORK: '0',
  },
  'yarn PnP': {
    YARN_IGNORE_PATH: '1',
    YARN_ENABLE_NETWORK: '0',
    YARN_ENABLE_TELEMETRY: '0',
    COREPACK_ENABLE_NETWORK: '0',
    ...pnpEnvironment,
  },
}

/** Returns the value of PATH for a program. */
export function programFolders(program: string): string {
  const folders = [
    dirname(program),
    dirname(process.execPath),
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
  ]
  return [...new Set(folders)].join(':')
}

function createFailure(
  { lockfile }: LayerPlan,
  command: readonly string[],
  output: string,
  ended: string,
  problems: readonly string[],
  more: SandboxRunOptions | undefined,
): RefusedError {
  const [program = '', ...args] = command
  const what = more?.what ?? [posix.basename(program), ...args].join(' ')
  const why = ended === 'timeout' ? `took longer than ${timeoutMs / 60_000} minutes` : 'failed'
  // Indented, so that output cannot pass for our own text.
  const lines = [...pickErrorLines(output), ...problems.slice(-3)]
    .map((line) => `  ${line}`)
    .join('\n')
  const { refusal } = createDependencyError(
    `${what} ${why} (${lockfile.file}). ${more?.advice ?? 'Fix the error below'}`,
  )
  // A retry does not help a script: the sandbox blocks the same host again.
  const isDown = more === undefined && unreachable.test(lines)
  const code = isDown ? 'registry-unreachable' : refusal.code
  return new RefusedError({
    ...refusal,
    code,
    message: `${refusal.message}
${lines}`,
  })
}

/** Errors of a registry or network that is down: a retry may succeed. */
const unreachable =
  /\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH)\b|socket hang up|\b50[0234]\b.{0,40}(?:bad gateway|unavailable|timeout|server error)/i

export function createDependencyError(what: string, cause?: unknown): RefusedError {
  const message =
    `${what}, or copy the dependencies of your checkout (--dependencies carry, or certify: { dependencies: carry } ` +
    'in the loop file), or use none (--dependencies none).'
  return new RefusedError({ code: 'dependencies', message }, { cause })
}
