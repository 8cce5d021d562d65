/**
 * The test runners of the stories, from the registry: each is installed once, from the lockfile in
 * `runners/`, into a folder that stories hard-link from. The proof installs them before it starts
 * the test runner and passes the folder in LOOPWRIGHT_RUNNERS; without it each process installs
 * what it needs.
 */

import { execFileSync } from 'node:child_process'
import { accessSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModulesName, Stage } from './story.ts'

const lockfiles = fileURLToPath(new URL('runners', import.meta.url))

/** Puts the runner's `node_modules` into the checkout. */
export function linkModules(name: ModulesName, checkout: string): void {
  const from = join(installOnce(name), 'node_modules')
  execFileSync('cp', ['-al', '--', from, join(checkout, 'node_modules')])
}

let own: string | undefined

function runnersFolder(): string {
  const shared = process.env['LOOPWRIGHT_RUNNERS']
  if (shared !== undefined) return shared
  if (own === undefined) {
    own = mkdtempSync(join(tmpdir(), 'loopwright-runners-'))
    const made = own
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  return own
}

function installOnce(name: ModulesName): string {
  const folder = join(runnersFolder(), name)
  if (existsSync(join(folder, 'node_modules'))) return folder
  mkdirSync(folder, { recursive: true })
  cpSync(join(lockfiles, name), folder, { recursive: true })
  // Not `npm ci`: it refuses a lockfile that lacks the binaries of other platforms.
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 300_000,
  })
  return folder
}

/** Programs that the stage needs and this machine lacks. With CI=true the story fails instead. */
export function missingPrograms({ programs = [] }: Stage): readonly string[] {
  return process.env['CI'] === 'true' ? [] : programs.filter((program) => !isInPath(program))
}

const isInPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
