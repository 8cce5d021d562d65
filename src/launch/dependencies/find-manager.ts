/** Finds the package manager for a lockfile: on this machine, or to be installed into the layer. */

import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type Lockfile, RefusedError } from '../../evidence/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import { findOnPath } from '../../workspace/index.ts'
import { findManagerForFormat, parseManagerPackage } from './manager-package.ts'
import type { LayerPlan } from './plan-layer.ts'
import { createDependencyError, programFolders } from './run-manager.ts'

export interface Manager {
  /** Absent: it is installed into the layer. */
  readonly program?: string
  readonly version: string
}

/** Prefers the version that the project names, then the one on the PATH. */
export async function findManager(
  { lockfile, wantedManager, reading }: LayerPlan,
  projects: readonly string[],
): Promise<Manager> {
  if (lockfile.manager === 'poetry') throw new MissingManagerError(lockfile)
  const wanted = parseManagerPackage(wantedManager, lockfile.manager)
  const [name = ''] = lockfile.install
  const [found] = await findOnPath(name, { projectFolders: projects, keepOrder: true })
  const program = found === undefined || name !== 'python3' ? found : await realPython(found)
  if (program === undefined) {
    const fallback = wanted ?? parseManagerPackage(findManagerForFormat(name, reading.text), name)
    if (fallback !== undefined) return { version: fallback.version }
    throw new MissingManagerError(lockfile)
  }
  const version = (await readPackageVersion(program, name)) ?? (await askVersion(program, lockfile))
  const isWanted = wanted === undefined || wanted.version === version
  return isWanted ? { program, version } : { version: wanted.version }
}

/** The manager is not installed and cannot be installed into the layer, or it does not work in the sandbox. */
export class MissingManagerError extends RefusedError {
  /** For the certificate. */
  readonly reason: string

  constructor({ file, stack, install: [name = ''] }: Lockfile) {
    const version =
      stack === 'node'
        ? `, or name its version in package.json ("packageManager": "${name}@…")`
        : ''
    const message =
      name === 'poetry'
        ? `${file} cannot be installed in the sandbox: Poetry takes packages from pypi.org only. Install them into the .venv of your checkout (poetry config virtualenvs.in-project true; poetry install), which is carried over, or commit what "poetry export" writes as requirements.txt`
        : `${file} is installed with ${name}, which is not on your PATH. Install ${name}${version}`
    super(createDependencyError(message).refusal)
    this.reason =
      name === 'poetry' ? 'Poetry cannot use your registries' : `${name} is not installed`
  }
}

/** Reads the version of managers that are npm packages: running them to ask is slow. */
async function readPackageVersion(program: string, name: string): Promise<string | undefined> {
  const real = await realpath(program)
  for (const folder of [dirname(real), dirname(dirname(real))]) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}')
    const found = packageSchema.safeParse(JSON.parse(text))
    if (found.data?.name === name) return found.data.version
  }
  return undefined
}

const packageSchema = z.object({ name: z.string(), version: z.string() })

/** Resolves a shim, which would write to its own folders. */
async function realPython(shim: string): Promise<string> {
  const command = {
    program: shim,
    args: ['-I', '-c', 'import sys; print(sys.executable)'],
    cwd: '/',
    env: { PATH: programFolders(shim) },
    timeoutMs: 30_000,
  }
  const { stdout, exitCode } = await createPlainCommands().run(command, AbortSignal.timeout(30_000))
  const path = stdout.trim()
  return exitCode === 0 && path.startsWith('/') ? path : shim
}

async function askVersion(program: string, { manager }: Lockfile): Promise<string> {
  const command = {
    program,
    args: manager === 'go' ? ['version'] : ['--version'],
    cwd: '/',
    env: { PATH: programFolders(program) },
    timeoutMs: 30_000,
  }
  const { stdout } = await createPlainCommands().run(command, AbortSignal.timeout(30_000))
  return stdout.trim().slice(0, 200)
}
