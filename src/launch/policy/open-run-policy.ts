/**
 * The policy of a run: the user's files, which always apply, those of the project, and those that its loop file names.
 *
 * Nothing is loaded for a run without a policy. A file that is missing, broken or not trusted rejects, before anything is
 * spent: without its rules the run would be allowed more than its owner wants.
 */

import { basename } from 'node:path'
import type { PolicySource } from '../../authority/policy/create-policy.ts'
import { loadDaemonConfig } from '../../definition/config/load-config.ts'
import {
  NotPlainError,
  namedPolicies,
  readPlainFile,
} from '../../definition/loop-file/read-loop-file.ts'
import { requireTrusted } from '../../definition/loop-file/require-trusted.ts'
import { readSource } from '../../definition/loop-file/source-text.ts'
import { openTrust } from '../../definition/loop-file/trust.ts'
import type { Policy } from '../../engine/index.ts'
import type { PolicyFiles } from '../../protocol/loop-file/policy-schema.ts'
import { digestFiles, sha256 } from '../../system/index.ts'
import type { LoadedLoop } from '../loaded-loop.ts'

export interface PolicyPlace {
  /** The state folder, which contains the list of trusted files. */
  readonly folder: string
  /** Nothing is run, so untrusted files may be read. */
  readonly isLook?: boolean
}

/** Undefined: no policy applies. Rejects with `bad-policy` or `not-trusted`. */
export async function openRunPolicy(
  { policies }: Pick<LoadedLoop, 'policies'>,
  { folder, isLook = false }: PolicyPlace,
): Promise<Policy | undefined> {
  const { policy } = (await loadDaemonConfig()).settings
  const ofUser = namedPolicies(policy, '/')
  if (ofUser.length + policies.length === 0) return undefined
  const trusted = new Set(ofUser.map(({ file }) => file))
  const sources: PolicySource[] = []
  for (const named of [...ofUser, ...policies]) {
    const { file, mode, text } = named
    const needsTrust = text === undefined && !isLook && !trusted.has(file)
    sources.push({ file, mode, text: text ?? (await readPolicy(file, needsTrust, folder)) })
  }
  const { createPolicy } = await import('../../authority/policy/create-policy.ts')
  return createPolicy(sources)
}

async function readPolicy(file: string, needsTrust: boolean, folder: string): Promise<string> {
  const { text, digest } = await readPolicyFile(file)
  if (needsTrust) {
    const powers = ['forbids what its rules name, in every run of this project']
    await requireTrusted(openTrust(folder), { path: file, digest, powers })
  }
  return text
}

/** Rejects with `bad-policy`. */
export async function readPolicyFile(
  file: string,
): Promise<{ readonly text: string; readonly digest: string }> {
  const { PolicyError } = await import('../../authority/policy/policy-error.ts')
  const at = { file, line: 1, column: 1 }
  const bytes = await readPlainFile(file).catch((error: unknown) => {
    if (error instanceof NotPlainError) throw new PolicyError([{ ...at, ...error.problem }])
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    const reason = isMissing ? 'the file does not exist' : `the file cannot be read (${code})`
    const suggestion = isMissing ? 'create it, or remove it from the list' : 'check its permissions'
    throw new PolicyError([{ ...at, reason, suggestion }])
  })
  const read = readSource(bytes)
  if (read.type === 'refused') throw new PolicyError([{ ...at, ...read.problem }])
  const digest = digestFiles([{ path: basename(file), sha256: sha256(bytes) }])
  return { text: read.source.text, digest }
}

/** The files that a request names, without those that apply to every run anyway. */
export async function policyOfProject(
  given: PolicyFiles | undefined,
): Promise<{ readonly policy?: PolicyFiles }> {
  const { policy: own } = (await loadDaemonConfig()).settings
  const without = (files: readonly string[] = [], known: readonly string[] = []) =>
    files.filter((file) => !known.includes(file))
  const enforce = without(given?.enforce, own.enforce)
  const monitor = without(given?.monitor, own.monitor)
  return enforce.length + monitor.length === 0 ? {} : { policy: { enforce, monitor } }
}
