// Packages of Debian that a test needs: installed where that is possible.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const isRoot = process.getuid?.() === 0

/** `paths`: what the packages contain. Without them a test is skipped, and fails in CI. */
export function hasDebian(packages: readonly string[], paths: readonly string[]): boolean {
  const isThere = (): boolean => paths.every((path) => existsSync(path))
  if (!isThere() && isRoot) tryInstall(packages)
  if (isThere()) return true
  const missing = `This test needs ${paths.join(', ')}: apt-get install ${packages.join(' ')}`
  if (process.env['CI'] === 'true') throw new Error(missing)
  console.warn(`skipped: ${missing}`)
  return false
}

function tryInstall(packages: readonly string[]): void {
  // Other test files may install packages at the same time.
  const wait = ['-o', 'DPkg::Lock::Timeout=120']
  const install = [...wait, 'install', '-y', '--no-install-recommends', ...packages]
  for (const args of [install, [...wait, 'update'], install]) {
    try {
      execFileSync('apt-get', args, { stdio: 'ignore', timeout: 300_000 })
      if (args === install) return
    } catch {
      // Tried again after the update; the caller checks for the files.
    }
  }
}
