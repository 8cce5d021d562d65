/**
 * Fetches an agent program with npm, when somebody asks for it: the one version that was tried, into a folder
 * of its own below the record. No script of a package is run, and none of its files outside that folder is
 * written.
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
import { didYouMean, LoopError } from '../../loop/index.ts'
import { createPlainCommands } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { findOnPath, makeOwnFolder } from '../../workspace/index.ts'
import { fetchedFolder } from './find-program.ts'

export interface FetchPlan {
  readonly name: string
  /** With their exact versions. */
  readonly packages: readonly string[]
  readonly folder: string
  readonly isThere: boolean
}

export function planFetch(name: string, folder: string): FetchPlan {
  const program = requireProgram(name)
  const own = fetchedFolder(folder, program.name)
  return {
    name: program.name,
    packages: packagesOf(program).map((one) => `${one.name}@${one.version}`),
    folder: own,
    isThere: existsSync(join(own, 'node_modules', '.bin', program.name)),
  }
}

/** Those of the program itself and, where it is another, of what speaks ACP for it. */
function packagesOf({ package: own, acp }: AgentProgram): readonly AgentProgram['package'][] {
  return acp === undefined || acp.package.name === own.name ? [own] : [own, acp.package]
}

const timeoutMs = 15 * 60_000

export interface FetchOptions {
  readonly environment?: Environment
  readonly signal?: AbortSignal
}

/** What is there is replaced only when all of the new one is there. */
export async function fetchAgent(
  plan: FetchPlan,
  { environment = process.env, signal = new AbortController().signal }: FetchOptions = {},
): Promise<void> {
  await mkdir(dirname(plan.folder), { recursive: true, mode: 0o700 })
  // What somebody left there who was killed goes with this.
  const own = await makeOwnFolder(dirname(plan.folder))
  const fresh = join(own.path, plan.name)
  try {
    await mkdir(fresh, { mode: 0o700 })
    await writeFile(join(fresh, 'package.json'), '{ "private": true }\n', { mode: 0o600 })
    await install(plan, fresh, environment, signal)
    if (!existsSync(join(fresh, 'node_modules', '.bin', plan.name))) {
      throw new LoopError(
        'not-available',
        `${plan.packages.join(' ')} has no program ${plan.name}. Install it yourself, and put it on the PATH.`,
      )
    }
    await rm(plan.folder, { recursive: true, force: true })
    await rename(fresh, plan.folder)
  } finally {
    await own.remove()
  }
}

/** What npm needs to know where packages come from, and to get out. */
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
      // A project may have put programs on the PATH: npm is to find none of them.
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
    `${packages.join(' ')} could not be fetched. ${why} Check that npm can reach its registry, then try again.`,
  )
}

const besideNode = dirname(process.execPath)

/** That of the person; never one of the project. Else that of the node that runs this. */
async function findNpm(): Promise<string> {
  const own = join(besideNode, 'npm')
  const [found] = [
    ...(await findOnPath('npm', { asOrdered: true })),
    ...(existsSync(own) ? [own] : []),
  ]
  if (found !== undefined) return found
  throw new LoopError('not-available', 'There is no npm on PATH. Install it, then try again.')
}

const lastLines = (text: string): string => text.trim().split('\n').slice(-5).join(' ').slice(-1000)

/** False: there was none. */
export async function removeAgent(name: string, folder: string): Promise<boolean> {
  const own = fetchedFolder(folder, requireProgram(name).name)
  const isThere = existsSync(own)
  await rm(own, { recursive: true, force: true })
  return isThere
}

/** `others`: names that would do as well, for the advice. */
export function requireProgram(name: string, others: readonly string[] = []): AgentProgram {
  if (isProgramName(name)) return agentProgram(name)
  const known = [...knownPrograms().map((program) => program.name), ...others]
  const advice = didYouMean(name, known) || ` There are: ${known.join(', ')}.`
  throw new LoopError('bad-request', `There is no agent "${name}".${advice}`)
}
