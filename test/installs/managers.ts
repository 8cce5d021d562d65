// Real package managers, where every user of the machine can run them. Those that are npm packages are
// installed into a temporary folder; the others come from Debian.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterFile } from '../after.ts'
import type { ManagerName } from './attack.ts'

const packages: Readonly<Partial<Record<ManagerName, string>>> = {
  pnpm: 'pnpm@9.15.0',
  yarn: 'yarn@1.22.22',
  berry: '@yarnpkg/cli-dist@4.5.3',
  bun: `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}@1.1.45`,
}

const debian: Readonly<Partial<Record<ManagerName, { program: string; package: string }>>> = {
  pip: { program: 'pip3', package: 'python3-pip' },
  poetry: { program: 'poetry', package: 'python3-poetry' },
  cargo: { program: 'cargo', package: 'cargo' },
  go: { program: 'go', package: 'golang-go' },
  // Not in Debian 12.
  uv: { program: 'uv', package: 'uv' },
}

/** Not those of root's home, which another user cannot see. */
const system = ['/usr/local/bin', '/usr/bin', '/bin']
let folder: string | undefined
const found = new Map<ManagerName, string | undefined>()

/**
 * The PATH on which this manager is found; undefined: it is neither here nor can it be installed.
 */
export function pathWith(manager: ManagerName): string | undefined {
  if (!found.has(manager)) found.set(manager, findPath(manager))
  return found.get(manager)
}

function findPath(manager: ManagerName): string | undefined {
  const base = [dirname(process.execPath), ...system]
  const wanted = packages[manager]
  const program = debian[manager]
  if (wanted !== undefined) return [fetchPackage(manager, wanted), ...base].join(delimiter)
  if (program === undefined) return base.join(delimiter)
  const isThere = (): boolean => system.some((one) => existsSync(join(one, program.program)))
  if (!isThere()) tryInstall(program.package)
  return isThere() ? base.join(delimiter) : undefined
}

function fetchPackage(manager: ManagerName, wanted: string): string {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'loopwright-managers-'))
    chmodSync(folder, 0o755)
    afterFile(() => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      folder = undefined
      found.clear()
    })
  }
  const prefix = join(folder, manager)
  const options = ['--global', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...options, '--prefix', prefix, wanted], { cwd: folder })
  const [name = ''] = /^@?[^@]+/.exec(wanted) ?? []
  return manager === 'bun' ? join(prefix, 'lib', 'node_modules', name, 'bin') : join(prefix, 'bin')
}

function tryInstall(name: string): void {
  try {
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', name], { stdio: 'ignore' })
  } catch {
    // Reported by the test that needs it.
  }
}
