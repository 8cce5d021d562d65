/**
 * Single bytes of files, objects of git, outputs of checks and certificates are changed, put in and taken out:
 * verifying notices each, without a record, a daemon or a network. And what nobody changed is valid.
 */

import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import { isLoopError, verifyTarget } from 'loopwright'
import { type SeededRandom, seededRandom } from '#src/testing/seeded-random.ts'
import { atMost, type Result, type Suite, type SuiteOptions } from '../bench/report.ts'
import { type CertificateScene, makeCertificateScene, victimKinds } from './certificate-scene.ts'

const mutationsWanted = 1000

export const certificateMutations: Suite = {
  area: 'evidence',
  title: 'any byte that was changed in tree, evidence or certificate is noticed, offline',
  share: 0.1,
  async run({ scale, seed }) {
    const { mutations, undetected, verdicts } = await mutateCertificates({ scale, seed })
    const counts = Object.entries(verdicts).map(([verdict, count]) => `${verdict} ${count}`)
    const detail = `${mutations} single bytes: ${counts.join(', ')}`
    const shown = undetected[0] === undefined ? detail : `${detail}; ${undetected[0]}`
    return [
      atMost('evidence.mutations', undetected.length, 0, 'undetected', shown),
      await offline(),
    ]
  },
}

export interface MutationReport {
  readonly mutations: number
  readonly verdicts: Readonly<Record<string, number>>
  /** Each begins with its seed. */
  readonly undetected: readonly string[]
}

export interface MutationOptions extends Pick<SuiteOptions, 'scale'> {
  readonly seed?: number | undefined
  /** Who verifies does not look at the files: to show that the proof would notice. */
  readonly sabotage?: 'no look at files'
}

export async function mutateCertificates(options: MutationOptions): Promise<MutationReport> {
  const { scale, seed, sabotage } = options
  const scene = await makeCertificateScene()
  const verify = (): Promise<string> => verdictOf(scene, sabotage === undefined)
  try {
    const untouched = await verify()
    if (untouched !== 'valid') throw new Error(`Without a change it is ${untouched}.`)
    const first = seed ?? 1
    const mutations = seed === undefined ? Math.max(1, Math.round(mutationsWanted * scale)) : 1
    const verdicts: Record<string, number> = {}
    const undetected: string[] = []
    for (let current = first; current < first + mutations; current++) {
      const { path, what, undo } = mutateOne(seededRandom(current), scene, current)
      const verdict = await verify()
      undo()
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
      if (verdict !== 'valid') continue
      undetected.push(`seed ${current}: ${what} in ${relative(scene.base, path)}`)
    }
    return { mutations, verdicts, undetected }
  } finally {
    scene.remove()
  }
}

async function verdictOf(scene: CertificateScene, looks: boolean): Promise<string> {
  try {
    const { verdict } = await verifyTarget({
      target: scene.handedOver,
      folder: join(scene.base, 'no-record'),
      trusted: scene.keys,
      ...(looks ? { look: { repo: scene.repository } } : {}),
    })
    return verdict
  } catch (error) {
    if (isLoopError(error)) return 'refused'
    throw error
  }
}

interface Mutation {
  readonly path: string
  readonly what: string
  undo(): void
}

/** The kinds of files in turn, since most files are objects. */
function mutateOne(random: SeededRandom, scene: CertificateScene, turn: number): Mutation {
  const kind = victimKinds[turn % victimKinds.length] ?? 'tree'
  const path = random.pick(scene.victims[kind])
  const before = readFileSync(path)
  let [what, after] = mutated(random, before)
  // Deflate has bits that mean nothing, so another file can hold the very same object.
  while (kind === 'object' && sameObject(before, after)) [what, after] = mutated(random, before)
  if (kind === 'object') chmodSync(path, 0o644)
  writeFileSync(path, after)
  return { path, what, undo: () => writeFileSync(path, before) }
}

function mutated(random: SeededRandom, before: Buffer): [string, Buffer] {
  const byte = Buffer.from([random.between(0, 255)])
  const at = random.between(0, before.length)
  const kind = random.pick(before.length === 0 ? ['insert'] : ['insert', 'delete', 'flip'])
  if (kind === 'insert') {
    const after = Buffer.concat([before.subarray(0, at), byte, before.subarray(at)])
    return [`a byte put in at ${at}`, after]
  }
  const place = Math.min(at, before.length - 1)
  const rest = before.subarray(place + 1)
  if (kind === 'delete') {
    return [`the byte ${place} taken out`, Buffer.concat([before.subarray(0, place), rest])]
  }
  const other = Buffer.from([(before[place] ?? 0) ^ random.between(1, 255)])
  return [`the byte ${place} changed`, Buffer.concat([before.subarray(0, place), other, rest])]
}

function sameObject(before: Buffer, after: Buffer): boolean {
  try {
    return inflateSync(before).equals(inflateSync(after))
  } catch {
    return false
  }
}

const loopctl = fileURLToPath(new URL('../../dist/cli/loopctl.js', import.meta.url))

/** The built program behind walls: no network, no record, and a disk that cannot be written. */
async function offline(): Promise<Result> {
  const scene = await makeCertificateScene()
  try {
    const temporary = join(scene.base, 'temporary')
    mkdirSync(temporary)
    const state = ['--state', join(scene.base, 'no-record')]
    const verify = [loopctl, ...state, 'verify', scene.handedOver, '--trusted', scene.keys]
    const calls = [
      [...verify, '--repo', scene.repository],
      [...verify, '--repo', scene.repository, '--commit'],
    ]
    const failures: string[] = []
    for (const args of calls) {
      const problem = await runWalled(args, temporary)
      if (problem !== undefined) failures.push(problem)
    }
    if (existsSync(join(scene.base, 'no-record'))) failures.push('a record was made')
    const detail =
      failures[0] ?? 'verified in bubblewrap, without a network and with a disk that is read-only'
    return atMost('evidence.verify-offline', failures.length, 0, 'failures', detail)
  } finally {
    scene.remove()
  }
}

async function runWalled(args: readonly string[], temporary: string): Promise<string | undefined> {
  const walls = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-all']
  // What proofs make lies in memory, which `--dev` would hide.
  const shown = [
    '--ro-bind',
    join(temporary, '..'),
    join(temporary, '..'),
    '--bind',
    temporary,
    temporary,
  ]
  const env = { ...process.env, TMPDIR: temporary }
  try {
    await promisify(execFile)('bwrap', [...walls, ...shown, process.execPath, ...args], { env })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
