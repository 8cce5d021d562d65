/**
 * Public repositories at a pinned commit: each is certified as it is, without a setting; then a fault is
 * planted, and a scripted agent fixes it, with a new test and a line of documentation. They come from the
 * folder that `--mirror` names, since nothing else outside can be counted on.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { atLeast, atMost, median, type Result, type Suite } from '../../bench/report.ts'
import { findInMirror } from './clone-repository.ts'
import { npmRepositories } from './npm-repositories.ts'
import { otherNodeRepositories } from './other-node-repositories.ts'
import { otherRepositories } from './other-repositories.ts'
import type { Repository } from './repository.ts'
import { setUpMs, type Tried, tryRepository } from './try-repository.ts'

export const allRepositories: readonly Repository[] = [
  ...npmRepositories,
  ...otherNodeRepositories,
  ...otherRepositories,
]

const ratioMax = 2.5
/** 18 of 20. */
const shareMin = 0.9

export const repositories: Suite = {
  area: 'repositories',
  title: 'public repositories, certified without a setting, and faults fixed',
  // All of them are certified; a whole run takes minutes, so that a few make one by default.
  share: 0.125,
  async run({ scale, mirror, repositories: chosen, part = (_, make) => make(), note }) {
    if (mirror === undefined) {
      note('  skipped: no --mirror <folder> with public repositories was given')
      return [skipped(allRepositories.length, 'no --mirror was given')]
    }
    const some = choose(chosen)
    const runs = Math.round(some.length * scale)
    const work = mkdtempSync(join(tmpdir(), 'loopwright-repositories-'))
    const tried: Tried[] = []
    const absent: string[] = []
    try {
      for (const [index, repository] of some.entries()) {
        const { name, manager, runner } = repository
        const mirrored = findInMirror(resolve(mirror), name)
        if (mirrored === undefined) {
          absent.push(name)
          continue
        }
        const one = await part(name, () => tryOne(repository, mirrored, work, index < runs))
        note(`  [${index + 1}/${some.length}] ${name} (${manager}, ${runner}): ${describe(one)}`)
        tried.push(one)
      }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
    const results = tried.length === 0 ? [] : toResults(tried)
    return absent.length === 0
      ? results
      : [...results, skipped(absent.length, `not in the mirror: ${absent.join(', ')}`)]
  },
}

function choose(names: readonly string[] | undefined): readonly Repository[] {
  const unknown = names?.filter((name) => allRepositories.every((one) => one.name !== name)) ?? []
  if (unknown.length > 0) throw new Error(`No such repository in the list: ${unknown.join(', ')}`)
  return names === undefined
    ? allRepositories
    : allRepositories.filter(({ name }) => names.includes(name))
}

const skipped = (count: number, detail: string): Result => ({
  ...atMost('repositories.skipped', count, allRepositories.length, 'repositories', detail),
})

async function tryOne(
  repository: Repository,
  mirrored: string,
  work: string,
  fixes: boolean,
): Promise<Tried> {
  const { name } = repository
  try {
    return await tryRepository(repository, mirrored, work, fixes)
  } catch (error) {
    const why = `could not be tried: ${error instanceof Error ? error.message : String(error)}`
    return { name, certified: false, why, end: 'not-run', absent: [] }
  } finally {
    rmSync(join(work, name.replace('/', '+')), { recursive: true, force: true })
  }
}

function describe(tried: Tried): string {
  const { certified, why, ratio = 0, bareMs = 0, certifyMs = 0, checkMs = 0 } = tried
  const { setUp, end, runMs = 0, said } = tried
  const gone = tried.absent.length === 0 ? '' : `; without ${tried.absent.join(', ')}`
  if (!certified) return `NOT CERTIFIED: ${why ?? ''}${gone}`
  const whole = `bare ${seconds(bareMs)}, certify ${seconds(certifyMs)}, of it the check ${seconds(checkMs)}`
  const times = `${whole}, set-up ${describeSetUp(setUp)} (${ratio.toFixed(1)} x without)`
  if (end === 'not-run') return `certified, ${times}${gone}`
  const how = tried.strength === undefined ? end : `${end} (${tried.strength})`
  const ended = said === undefined ? how : `${how}: ${said}`
  return `certified, ${times}; run ${seconds(runMs)}, ${ended}${gone}`
}

const describeSetUp = (setUp: Tried['setUp']): string =>
  setUp === undefined
    ? 'unknown'
    : `${seconds(setUpMs(setUp))} [process ${seconds(setUp.process)}, sandbox ${seconds(setUp.sandbox)}, dependencies ${seconds(setUp.dependencies)}, checkout ${seconds(setUp.checkout)}]`

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

function toResults(tried: readonly Tried[]): readonly Result[] {
  const certified = tried.filter((one) => one.certified)
  const ran = certified.filter(({ end }) => end !== 'not-run')
  const lost = ran.filter(({ end }) => end === 'failed')
  const asked = ran.filter(({ end }) => end === 'question')
  const ratios = certified.flatMap(({ ratio }) => ratio ?? [])
  const slow = certified.filter(({ ratio = 0 }) => ratio > ratioMax)
  const names = (some: readonly Tried[]): string => some.map(({ name }) => name).join(', ')
  return [
    atLeast(
      'repositories.certified',
      certified.length,
      Math.floor(tried.length * shareMin),
      'repositories',
      `of ${tried.length}; not: ${names(tried.filter((one) => !one.certified)) || 'none'}`,
    ),
    atMost(
      'repositories.lost-runs',
      lost.length,
      0,
      'runs',
      `of ${ran.length}; ${asked.length} asked one question; lost: ${names(lost) || 'none'}`,
    ),
    atMost(
      'repositories.slow-certifications',
      slow.length,
      0,
      'repositories',
      `without set-up, above ${ratioMax} x the bare check: ${slow.map(withRatio).join(', ') || 'none'}; median ${median(ratios).toFixed(1)} x`,
    ),
  ]
}

const withRatio = ({ name, ratio = 0 }: Tried): string => `${name} ${ratio.toFixed(1)} x`
