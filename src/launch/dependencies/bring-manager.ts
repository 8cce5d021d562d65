/**
 * The package manager of a project in the version that its manifest names, installed into the layer, so
 * that a manager never has to download itself while a check runs.
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** In the folder of a layer. */
export const managerFolder = '.manager'

export interface WantedManager {
  readonly name: string
  readonly version: string
  /** The package that has it. */
  readonly package: string
}

/** For a project that names no version, on a machine without the manager: the last one that writes its format. */
const lastOfFormat: readonly {
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

/** As `packageManager` would say it. */
export function managerForFormat(manager: string, lockfile: string): string | undefined {
  const known = lastOfFormat.find((one) => one.manager === manager && one.format.test(lockfile))
  return known === undefined ? undefined : `${manager}@${known.version}`
}

/** Undefined: nothing is wanted, or not in a form that is known. */
export function parseWanted(text: string | undefined, manager: string): WantedManager | undefined {
  const [, name, version] =
    /^(pnpm|yarn|bun)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+|$)/.exec(text ?? '') ?? []
  if (name === undefined || version === undefined || name !== manager) return undefined
  return { name, version, package: packageOf(name, version) }
}

function packageOf(name: string, version: string): string {
  if (name === 'yarn' && !version.startsWith('1.')) return '@yarnpkg/cli-dist'
  if (name !== 'bun') return name
  return `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`
}

/** The folder of its program in a layer that has one. */
export function managerPrograms(layer: string): string | undefined {
  const modules = join(layer, managerFolder, 'node_modules')
  const folders = [
    join(modules, '.bin'),
    join(modules, '@oven', 'bun-linux-x64', 'bin'),
    join(modules, '@oven', 'bun-linux-aarch64', 'bin'),
  ]
  return folders.find((folder) => existsSync(folder))
}

export const bringCommand = ({ package: name, version }: WantedManager): readonly string[] => [
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
