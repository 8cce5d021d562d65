/**
 * Programs that the user installed in the home, mounted read-only: `~/.local/bin` and the targets of its links,
 * prefixes of npm and pnpm, and version managers.
 *
 * 1. Only folders that hold programs. A folder like `~/.cargo` also holds keys: only its `bin` is shown.
 * 2. A folder of the PATH that holds what looks like credentials is left out, and that is reported.
 * 3. Neither the home, nor a folder above it, nor a folder of a project is ever shown.
 */

import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'

export interface UserPrograms {
  readonly mounts: readonly string[]
  /** Files in the mounts that may hold credentials. */
  readonly hide: readonly string[]
  /** The PATH inside: shims whose manager cannot work there are replaced by their targets. */
  readonly path: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Folders of the PATH in the home that are not shown, and why. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[]
}

export interface UserProgramsOptions {
  readonly home: string
  readonly path: string
  /** The user's: `RUSTUP_HOME` and the like may name another folder than the usual one. */
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/** Below the home: what is mounted, and the variable by which programs find it. */
const known = [
  { folder: '.local/share/pnpm', variable: 'PNPM_HOME' },
  { folder: '.local/share/uv/python' },
  { folder: '.local/share/uv/tools' },
  { folder: '.local/share/pipx/venvs' },
  { folder: '.local/share/pipx/shared' },
  { folder: '.local/pipx/venvs' },
  { folder: '.local/pipx/shared' },
  { folder: '.nvm/versions' },
  { folder: '.volta/tools/image' },
  { folder: '.fnm/node-versions' },
  { folder: '.local/share/fnm/node-versions' },
  { folder: '.local/share/mise/installs' },
  { folder: '.asdf', variable: 'ASDF_DATA_DIR' },
  { folder: '.tool-versions' },
  { folder: '.pyenv', variable: 'PYENV_ROOT' },
  { folder: '.rbenv', variable: 'RBENV_ROOT' },
  { folder: '.cargo/bin' },
  { folder: '.rustup', variable: 'RUSTUP_HOME' },
  { folder: '.sdkman/candidates' },
  { folder: '.bun/bin' },
  { folder: '.bun/install/global/node_modules' },
  { folder: '.deno/bin' },
  { folder: 'go/bin' },
] as const

/** Folders of the home with credentials: nothing in them is shown, even if it is on the PATH. */
const secretFolders = [
  '.aws',
  '.azure',
  '.config',
  '.docker',
  '.gnupg',
  '.kube',
  '.mozilla',
  '.password-store',
  '.ssh',
]

const secretFile =
  /^(?:\.(?:npmrc|yarnrc(?:\.yml)?|pypirc|netrc|git-credentials|env(?:\..+)?)|credentials.*|auth\.json|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12))$/

const linksMax = 400

export function findUserPrograms({
  home,
  path,
  variables = {},
}: UserProgramsOptions): UserPrograms {
  const found = known
    .map((one) => {
      const variable = 'variable' in one ? one.variable : undefined
      const named = variable === undefined ? undefined : variables[variable]
      const isUsed = named !== undefined && isAbsolute(named) && !isAbove(named, home)
      return { variable, folder: isUsed && isThere(named) ? named : join(home, one.folder) }
    })
    .filter(({ folder }) => isThere(folder))
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry))
  const judged = entries.map((entry) => ({ entry, ...judge(entry, home) }))
  const folders = [
    ...found.map(({ folder }) => folder),
    ...judged.flatMap(({ real, shown }) => (shown && real !== undefined ? [real] : [])),
    ...pythonFolders(home),
  ]
  const linked = folders.filter(isProgramFolder).flatMap((folder) => linkTargets(folder, home))
  const mounts = [...new Set([...folders, ...linked])]
  const userBase = isThere(join(home, '.local/lib')) ? { PYTHONUSERBASE: join(home, '.local') } : {}
  return {
    mounts,
    // Most callers do not need it, and it looks into every environment.
    get hide() {
      return mounts.flatMap(secretFiles)
    },
    path: judged.flatMap(({ entry, real }) => insidePath(entry, real, home)),
    env: {
      ...userBase,
      ...Object.fromEntries(
        found.flatMap(({ variable, folder }): [string, string][] =>
          variable === undefined ? [] : [[variable, folder]],
        ),
      ),
    },
    leftOut: judged.flatMap(({ entry, why }) => (why === undefined ? [] : [{ path: entry, why }])),
  }
}

/** The home itself, or a folder that it is in. */
const isAbove = (folder: string, home: string): boolean =>
  !relative(tryRealpath(folder) ?? folder, tryRealpath(home) ?? home).startsWith('..')

/** Whether a folder of the PATH is one that a user installs programs into. */
function judge(
  entry: string,
  home: string,
): { readonly real: string | undefined; readonly shown: boolean; readonly why?: string } {
  const real = tryRealpath(entry)
  if (real === undefined || !isFolder(real)) return { real: undefined, shown: false }
  const inner = relative(tryRealpath(home) ?? home, real)
  const isOutside = inner === '' || inner.startsWith('..') || isAbsolute(inner)
  // Programs outside the home have their own rules, and project folders are not program folders.
  if (isOutside || !inner.startsWith('.') || real.split(sep).includes('node_modules')) {
    return { real, shown: false }
  }
  const [top = ''] = inner.split(sep)
  if (secretFolders.includes(top)) return { real, shown: false, why: `~/${top} holds credentials` }
  const secret = listNames(real).find((name) => secretFile.test(name))
  if (secret !== undefined) {
    return { real, shown: false, why: `it holds ${secret}, which may be a credential` }
  }
  // Such as ~/.local or ~/.cargo itself: programs are a level below.
  const isBin = /(?:^|\/)(?:bin|sbin|shims|current|pnpm|local)$/.test(inner)
  return isBin ? { real, shown: true } : { real, shown: false, why: 'it is not a bin folder' }
}

/** Shims of these call their manager, whose settings are not shown: their targets are used instead. */
function insidePath(entry: string, real: string | undefined, home: string): readonly string[] {
  if (entry === join(home, '.volta/bin')) return voltaPrograms(join(home, '.volta/tools'))
  if (entry === join(home, '.local/share/mise/shims')) {
    return misePrograms(join(home, '.local/share/mise/installs'))
  }
  // fnm puts a temporary link on the PATH.
  return real === undefined || real === entry ? [entry] : [entry, real]
}

function voltaPrograms(tools: string): readonly string[] {
  const platform = readJson(join(tools, 'user/platform.json'))
  const node = (platform['node'] as { runtime?: unknown } | undefined)?.runtime
  const versions = { node, pnpm: platform['pnpm'], yarn: platform['yarn'] }
  const own = Object.entries(versions).flatMap(([name, version]) =>
    typeof version === 'string' ? [join(tools, 'image', name, version, 'bin')] : [],
  )
  const packages = join(tools, 'image/packages')
  return [...own, ...listNames(packages).map((name) => join(packages, name, 'bin'))].filter(
    isFolder,
  )
}

/** The version that mise calls the latest, or the only one. */
function misePrograms(installs: string): readonly string[] {
  return listNames(installs).flatMap((tool) => {
    const versions = listNames(join(installs, tool))
    const version = versions.includes('latest') ? 'latest' : versions.toSorted().at(-1)
    if (version === undefined) return []
    const folder = join(installs, tool, version)
    const bin = join(folder, 'bin')
    return [isFolder(bin) ? bin : folder].filter(isFolder).map((one) => tryRealpath(one) ?? one)
  })
}

/** What `pip install --user` put there. */
const pythonFolders = (home: string): readonly string[] =>
  listNames(join(home, '.local/lib'))
    .filter((name) => /^python\d/.test(name))
    .map((name) => join(home, '.local/lib', name))

const isProgramFolder = (folder: string): boolean => /\/(?:bin|pnpm)$/.test(folder)

/** The targets of the links in a folder: a whole package or environment, or a single file. */
function linkTargets(folder: string, home: string): readonly string[] {
  const targets = listNames(folder)
    .slice(0, linksMax)
    .flatMap((name) => {
      const path = join(folder, name)
      const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      return (isLink ? tryRealpath(path) : undefined) ?? []
    })
  return [...new Set(targets.flatMap((real) => findInstallation(real, home) ?? []))]
}

function findInstallation(real: string, home: string): string | undefined {
  if (real.startsWith('/opt/')) return real.split(sep).slice(0, 3).join(sep)
  const inner = relative(tryRealpath(home) ?? home, real)
  const isSecret = secretFolders.includes(inner.split(sep)[0] ?? '')
  if (inner.startsWith('..') || isSecret || !isFile(real)) return undefined
  const modules = /^.*?\/node_modules(?=\/)/.exec(real)?.[0]
  // A link into a project (`npm link`) leads to what is worked on there.
  if (modules !== undefined) return inner.startsWith('.') ? modules : real
  const installed = dirname(dirname(real))
  const isOwn = inner.split(sep).length > 2 && isThere(join(installed, 'pyvenv.cfg'))
  return isOwn ? installed : real
}

/**
 * npm keeps its global settings, and tokens, in the prefix; pip and uv keep addresses of registries, which may
 * have a password, in the environment.
 */
const settingsFiles = ['etc/npmrc', '.npmrc', 'pip.conf', 'uv-receipt.toml']

function secretFiles(mount: string): readonly string[] {
  return [mount, ...under(mount, 3)].flatMap((folder) =>
    settingsFiles.map((file) => join(folder, file)).filter(isThere),
  )
}

/** Of version managers and environments only: those are at most three levels down. */
function under(folder: string, levels: number): readonly string[] {
  const isOfMany =
    /\/(?:versions|node-versions|installs|image|\.asdf|\.pyenv|venvs|tools|python)$/.test(folder)
  if (!isOfMany) return []
  const found: string[] = []
  let level: readonly string[] = [folder]
  for (let depth = 0; depth < levels; depth++) {
    level = level.flatMap(listFolders).slice(0, 500)
    found.push(...level)
  }
  return found
}

/** With links, which may lead to folders. */
function listFolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((one) => one.isDirectory() || one.isSymbolicLink())
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

const isThere = existsSync
const isFile = (path: string): boolean => tryStat(path)?.isFile() === true
const isFolder = (path: string): boolean => tryStat(path)?.isDirectory() === true

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function tryRealpath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
