/**
 * The package manager in the version that the project names, installed into the layer, so that it never
 * has to download itself while a check runs.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Inside the folder of a layer. */
export const managerFolder = '.manager'

export interface ManagerPackage {
  readonly name: string
  readonly version: string
  /** The npm package that contains it. */
  readonly package: string
}

/** The last version that writes a lockfile format; used if neither project nor machine has a manager. */
const lastVersions: readonly {
  readonly manager: string
  readonly format: RegExp
  readonly version: string
}[] = [
  { manager: 'yarn', format: /^# yarn lockfile v1$/m, version: '1.22.22' },
  { manager: 'yarn', format: /^__metadata:\n {2}version: 6$/m, version: '3.8.7' },
  { manager: 'yarn', format: /^__metadata:\n {2}version: 8$/m, version: '4.5.3' },
  { manager: 'pnpm', format: /^lockfileVersion: ["']?6\.\d/m, version: '8.15.9' },
  { manager: 'pnpm', format: /^lockfileVersion: ["']?9\.\d/m, version: '9.15.0' },
]

/** In the format of `packageManager`: `pnpm@9.15.0`. */
export function findManagerForFormat(manager: string, lockfile: string): string | undefined {
  const known = lastVersions.find((one) => one.manager === manager && one.format.test(lockfile))
  return known === undefined ? undefined : `${manager}@${known.version}`
}

/** Undefined: there is no text, or its format is unknown. */
export function parseManagerPackage(
  text: string | undefined,
  manager: string,
): ManagerPackage | undefined {
  const [, name, version] =
    /^(pnpm|yarn|bun)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+|$)/.exec(text ?? '') ?? []
  if (name === undefined || version === undefined || name !== manager) return undefined
  return { name, version, package: packageName(name, version) }
}

function packageName(name: string, version: string): string {
  if (name === 'yarn' && !version.startsWith('1.')) return '@yarnpkg/cli-dist'
  if (name !== 'bun') return name
  return `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`
}

/** The folder of the manager's program, if the layer contains one. */
export function managerPrograms(layer: string): string | undefined {
  const modules = join(layer, managerFolder, 'node_modules')
  const folders = [
    join(modules, '.bin'),
    join(modules, '@oven', 'bun-linux-x64', 'bin'),
    join(modules, '@oven', 'bun-linux-aarch64', 'bin'),
  ]
  return folders.find((folder) => existsSync(folder))
}

export const toInstallCommand = ({ package: name, version }: ManagerPackage): readonly string[] => [
  'npm',
  'install',
  '--no-save',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--prefix',
  managerFolder,
  `${name}@${version}`,
]
