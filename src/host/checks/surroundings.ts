/**
 * What the answer of a check depends on besides the files and their dependencies: the sandbox, the
 * environment, the toolchains and the repository. After a change to any of these, an earlier answer neither
 * counts nor contradicts a new one.
 */

import { realpathSync, statSync } from 'node:fs'
import type { Walls } from '../../loop/index.ts'
import { canonicalJson, type SandboxSettings } from '../../protocol/index.ts'
import { findProgram } from '../../sandbox/index.ts'
import type { Environment } from '../loaded-loop.ts'
import { sha256 } from '../loop-file/digest.ts'

export interface Surroundings {
  readonly sandbox: SandboxSettings
  readonly walls: Walls
  readonly environment: Environment
  /** The checkout, or the folder that is worked in. */
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
const variables = ['PATH', 'LANG', 'LC_ALL', 'TZ']

export function surroundingsDigest(
  { sandbox, walls, environment, project }: Surroundings,
  env: Readonly<Record<string, string>> = {},
): string {
  const path = environment['PATH']
  return sha256(
    canonicalJson({
      env,
      sandbox,
      tier: walls.tier,
      limits: walls.limits,
      project: project ?? '',
      variables: variables.map((name) => environment[name] ?? ''),
      toolchains: toolchains.map((name) => versionOf(name, path)),
    }),
  )
}

/** Identifies the program by its file, since running each for its version would take seconds. */
function versionOf(name: string, path: string | undefined): string {
  try {
    const found = findProgram(name, path)
    if (found === undefined) return ''
    const real = realpathSync(found)
    const { size, mtimeMs } = statSync(real)
    return `${real} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}
