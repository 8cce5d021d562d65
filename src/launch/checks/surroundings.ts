/**
 * Digests what the result of a check depends on apart from the files and their dependencies: the sandbox, the
 * environment, the toolchains and the repository. If any of these changed, an earlier result neither counts nor
 * contradicts a new one.
 */

import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SandboxSummary } from '../../loop/index.ts'
import { canonicalJson, type SandboxSettings } from '../../protocol/index.ts'
import { findUserPrograms } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { sha256 } from '../../system/index.ts'

export interface Surroundings {
  readonly sandbox: SandboxSettings
  readonly summary: SandboxSummary
  readonly environment: Environment
  /** The checkout, or the folder that the run works in. */
  readonly project: string | undefined
}

/** Toolchains that other programs start; the program that a check names is part of the check itself. */
const toolchains = [
  'node',
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'python3',
  'go',
  'cargo',
  'rustc',
  'gcc',
  'java',
]
/** Files in the home folder by which version managers choose what their shims start. */
const choices = [
  '.tool-versions',
  '.pyenv/version',
  '.rbenv/version',
  '.rustup/settings.toml',
  '.rustup/update-hashes',
]
const systemFolders = ['/usr/local/bin', '/usr/bin']
const variables = ['PATH', 'LANG', 'LC_ALL', 'TZ']

/** Returns a function from the variables of a check to its digest. The machine is inspected once for all checks. */
export function surroundingsIn({
  sandbox,
  summary,
  environment,
  project,
}: Surroundings): (env?: Readonly<Record<string, string>>) => string {
  const home = environment['HOME'] ?? homedir()
  const folders = [
    dirname(process.execPath),
    ...findUserPrograms({ home, path: environment['PATH'] ?? '' }).path,
    ...systemFolders,
  ]
  const machine = {
    sandbox,
    tier: summary.tier,
    limits: summary.limits,
    project: project ?? '',
    variables: variables.map((name) => environment[name] ?? ''),
    toolchains: toolchains.map((name) => versionsOf(name, folders)),
    choices: choices.map((name) => fileOf(join(home, name))),
  }
  return (env = {}) => sha256(canonicalJson({ env, ...machine }))
}

/**
 * Identifies the program by its file, since running each for its version would take seconds. Includes all programs of
 * that name, since the sandbox may find another one first.
 */
const versionsOf = (name: string, folders: readonly string[]): readonly string[] =>
  folders.map((folder) => fileOf(join(folder, name))).filter((found) => found !== '')

function fileOf(path: string): string {
  try {
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    return `${real} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}
