/**
 * Fetches an agent program with npm at the user's request: the tested version, into a separate folder in the
 * state folder. No scripts of packages run, and nothing is written outside that folder.
 */

import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import {
  type AgentProgram,
  agentProgram,
  isProgramName,
  knownPrograms,
} from '../../agents/index.ts'
import { LoopError, suggestName } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { findOnPath, makePrivateFolder } from '../../workspace/index.ts'
import { fetchedFolder } from './find-program.ts'

export interface FetchPlan {
  readonly name: string
  /** With exact versions. */
  readonly packages: readonly string[]
  readonly folder: string
  readonly isThere: boolean
}

export function planFetch(name: string, folder: string): FetchPlan {
  const program = requireProgram(name)
  const own = fetchedFolder(folder, program.name)
  return {
    name: program.name,
    packages: listPackages(program).map((one) => `${one.name}@${one.version}`),
    folder: own,
    isThere: existsSync(join(own, 'node_modules', '.bin', program.name)),
  }
}

/** The package of the program and, if it is a different one, of its ACP adapter. */
function listPackages({ package: own, acp }: AgentProgram): readonly AgentProgram['package'][] {
  return acp === undefined || acp.package.name === own.name ? [own] : [own, acp.package]
}

const timeoutMs = 15 * 60_000

export interface FetchOptions {
  readonly environment?: Environment
  readonly signal?: AbortSignal
}

/** Replaces an existing folder only after the new one is complete. */
export async function fetchAgent(
  plan: FetchPlan,
  { environment = process.env, signal = new AbortController().signal }: FetchOptions = {},
): Promise<void> {
  await mkdir(dirname(plan.folder), { recursive: true, mode: 0o700 })
  // Also removes what a killed process left there.
  const own = await makePrivateFolder(dirname(plan.folder))
  const fresh = join(own.path, plan.name)
  try {
    await mkdir(fresh, { mode: 0o700 })
    await writeFile(join(fresh, 'package.json'), '{ "private": true }\n', { mode: 0o600 })
    await install(plan, fresh, environment, signal)
    if (!existsSync(join(fresh, 'node_modules', '.bin', plan.name))) {
      throw new LoopError(
        'not-available',
        `${plan.packages.join(' ')} does not contain the program ${plan.name}. Install it yourself and add it to the PATH.`,
      )
    }
    await rm(plan.folder, { recursive: true, force: true })
    await rename(fresh, plan.folder)
  } finally {
    await own.remove()
  }
}

/** Variables that npm needs for its registry and the network. */
const npmVariables =
  /^(?:npm_config_\w+|NPM_CONFIG_\w+|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/

async function install(
  { packages }: FetchPlan,
  cwd: string,
  environment: Environment,
  signal: AbortSignal,
): Promise<void> {
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] => npmVariables.test(entry[0]) && entry[1] !== undefined,
  )
  const result = await createPlainCommands().run(
    {
      program: await findNpm(),
      args: [
        'install',
        '--ignore-scripts',
        '--save-exact',
        '--no-audit',
        '--no-fund',
        '--engine-strict=false',
        '--loglevel=error',
        ...packages,
      ],
      cwd,
      // A project may have added programs to the PATH, which npm must not run.
      env: {
        ...Object.fromEntries(passed),
        PATH: [besideNode, '/usr/bin', '/bin'].join(delimiter),
      },
      timeoutMs,
      outputBytesMax: 16 * 1024,
    },
    signal,
  )
  signal.throwIfAborted()
  if (result.exitCode === 0) return
  const why = result.ended === 'timeout' ? 'npm took too long.' : lastLines(result.stderr)
  throw new LoopError(
    'not-available',
    `Could not fetch ${packages.join(' ')}. ${why} Check that npm can reach its registry, then try again.`,
  )
}

const besideNode = dirname(process.execPath)

/** Finds the user's npm, never one of the project, or else the one next to this Node. */
async function findNpm(): Promise<string> {
  const own = join(besideNode, 'npm')
  const [found] = [
    ...(await findOnPath('npm', { keepOrder: true })),
    ...(existsSync(own) ? [own] : []),
  ]
  if (found !== undefined) return found
  throw new LoopError('not-available', 'npm is not on the PATH. Install it, then try again.')
}

const lastLines = (text: string): string => text.trim().split('\n').slice(-5).join(' ').slice(-1000)

/** Returns false if there was none. */
export async function removeAgent(name: string, folder: string): Promise<boolean> {
  const own = fetchedFolder(folder, requireProgram(name).name)
  const isThere = existsSync(own)
  await rm(own, { recursive: true, force: true })
  return isThere
}

/** `others`: further valid names, for the error message. */
export function requireProgram(name: string, others: readonly string[] = []): AgentProgram {
  if (isProgramName(name)) return agentProgram(name)
  const known = [...knownPrograms().map((program) => program.name), ...others]
  const advice = suggestName(name, known) || ` Use one of: ${known.join(', ')}.`
  throw new LoopError('bad-request', `There is no agent "${name}".${advice}`)
}
