/**
 * Checks what runs need on this machine: sandbox, keys, an intact journal. For `loopctl doctor`.
 *
 * The result never contains the value of a key, or a secret that is part of an address.
 */

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { keyVariables, publicProviders, readKeys } from '../gateway/index.ts'
import { keysFile, ownAddresses } from '../launch/shared-gateway.ts'
import { isLoopError, textOf } from '../loop/index.ts'
import {
  findUserPrograms,
  type ObservationReport,
  type OverlayReport,
  openSandbox,
  type SandboxReport,
} from '../sandbox/index.ts'
import type { Environment } from '../system/environment.ts'
import { openHost } from './open-host.ts'

export interface Examination {
  readonly sandbox: SandboxReport
  /** Whether checks can write to their dependencies through an overlay. */
  readonly dependencies: OverlayReport
  /** Which file accesses of a check can be observed, with this state folder. */
  readonly observes: ObservationReport
  readonly programs: ProgramsFound
  readonly keys: KeysFound
  readonly record: RecordFound
}

export interface ProgramsFound {
  readonly shown: readonly string[]
  /** Folders of the PATH below the home folder that are not mounted, and why. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[]
}

export interface KeysFound {
  /** The file that can hold keys instead of the environment. */
  readonly file: string
  readonly fileState: 'absent' | 'usable' | 'refused'
  /** Why the file is refused, and what to do. */
  readonly problem?: string
  readonly providers: readonly ProviderFound[]
}

export interface ProviderFound {
  readonly provider: string
  readonly key: 'environment' | 'file' | 'none'
  /** The variable that holds the key, or would hold it. */
  readonly variable: string
  /** Only if it is not the public one, and without parts that could be secret. */
  readonly baseUrl?: string
  /** Why the address is invalid, and what to do. */
  readonly problem?: string
}

export interface RecordFound {
  readonly folder: string
  /** False: there have been no runs yet. */
  readonly exists: boolean
  readonly problems: readonly string[]
}

export async function examine(
  folder: string,
  environment: Environment = process.env,
): Promise<Examination> {
  // In sequence, because the self-test is timed.
  const { report: sandbox, overlay, observes } = await openSandbox()
  const dependencies = await overlay()
  const observed = await observes(existsSync(folder) ? folder : undefined)
  const keys = await findKeys(environment)
  return {
    sandbox,
    dependencies,
    observes: observed,
    programs: programsOf(environment),
    keys,
    record: await examineRecord(folder),
  }
}

/** Program folders below the home folder that are mounted read-only for commands. */
function programsOf(environment: Environment): ProgramsFound {
  const { mounts, leftOut } = findUserPrograms({
    home: environment['HOME'] ?? homedir(),
    path: environment['PATH'] ?? '',
  })
  const isInner = (path: string): boolean => mounts.some((one) => path.startsWith(`${one}/`))
  return { shown: mounts.filter((path) => !isInner(path)), leftOut }
}

async function findKeys(environment: Environment): Promise<KeysFound> {
  const file = keysFile(environment)
  const inFile = await readKeys({ env: {}, file }).catch((error: unknown) => {
    if (isLoopError(error, 'not-configured')) return error.message
    throw error
  })
  const addresses = new Map(ownAddresses(environment))
  const isRefused = typeof inFile === 'string'
  const state = existsSync(file) ? 'usable' : 'absent'
  return {
    file,
    fileState: isRefused ? 'refused' : state,
    ...(isRefused ? { problem: inFile } : {}),
    providers: Object.entries(publicProviders).map(([provider, settings]): ProviderFound => {
      const names = keyVariables(provider)
      const set = names.find((name) => (environment[name] ?? '').trim() !== '')
      const filed = isRefused ? undefined : inFile(provider)
      const key = set !== undefined ? 'environment' : filed !== undefined ? 'file' : 'none'
      const address = findAddress(provider, addresses.get(provider), settings.baseUrl)
      return { provider, key, variable: set ?? names[0] ?? '', ...address }
    }),
  }
}

/** Empty if it is the public address. */
function findAddress(
  provider: string,
  written: string | undefined,
  publicUrl: string,
): Pick<ProviderFound, 'baseUrl' | 'problem'> {
  if (written === undefined) return {}
  const url = URL.canParse(written) ? new URL(written) : undefined
  const its = `The base URL of ${provider} in the environment`
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return { problem: `${its} does not begin with http:// or https://. Correct it.` }
  }
  const hasSecret = url.username !== '' || url.password !== '' || url.search !== ''
  return {
    ...(url.origin === new URL(publicUrl).origin
      ? {}
      : { baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }),
    ...(hasSecret ? { problem: `${its} contains a secret. Remove it, and set it as a key.` } : {}),
  }
}

async function examineRecord(folder: string): Promise<RecordFound> {
  if (!existsSync(join(folder, 'journal.db'))) return { folder, exists: false, problems: [] }
  try {
    const host = await openHost({ folder })
    try {
      return {
        folder: host.folder,
        exists: true,
        problems: [...(await host.problems()), ...(await certificateProblems(host.folder))],
      }
    } finally {
      await host.close()
    }
  } catch (error) {
    // A journal that cannot be opened is a finding; the other checks still count.
    if (!isLoopError(error)) throw error
    return { folder, exists: true, problems: [error.message] }
  }
}

/** Without these nothing can be certified. */
async function certificateProblems(folder: string): Promise<readonly string[]> {
  const { chainProblems, ownKeys } = await import('../evidence/certificate/index.ts')
  const keys = await ownKeys(folder).then(
    () => [],
    (error: unknown) => [textOf(error)],
  )
  return [...keys, ...(await chainProblems({ folder }))]
}
