/**
 * The repair agent on faults planted in packages that nobody here wrote: how many it mends within a
 * minute, how many of those that lose no information, and with how many tries.
 *
 * LOOPWRIGHT_REPAIR_SUBJECTS=development takes the packages that were looked at while it was made.
 */

import { availableParallelism, loadavg } from 'node:os'
import { seededRandom } from '#src/testing/seeded-random.ts'
import { plantFault, prepareSubject, type Trial, tryFault } from './repair-faults.ts'
import { developmentSubjects, heldOutSubjects } from './repair-subjects.ts'
import { atLeast, atMost, median, type Result, type Suite, type SuiteOptions } from './report.ts'

const faultsMax = 40
const limitSeconds = 60
/** On a machine that others use too, a search is given more time and judged by what it used of it. */
const busyFactorMax = 2
const defaultSeed = 20261115

export const repair: Suite = {
  area: 'agents',
  title: 'faults planted in public packages, given to the repair agent',
  async run(options) {
    const seed = options.seed ?? defaultSeed
    const subjects =
      process.env['LOOPWRIGHT_REPAIR_SUBJECTS'] === 'development'
        ? developmentSubjects
        : heldOutSubjects
    options.note(
      `  seed ${seed}; ${subjects.map(({ name, version }) => `${name}@${version}`).join(', ')}`,
    )
    const trials = await runTrials(subjects, seed, options)
    return resultsOf(trials, new Set(trials.map(({ subject }) => subject.name)).size)
  },
}

async function runTrials(
  subjects: typeof heldOutSubjects,
  seed: number,
  { scale, note }: SuiteOptions,
): Promise<readonly Trial[]> {
  const random = seededRandom(seed)
  const count = Math.max(1, Math.round(faultsMax * scale))
  const prepared = []
  for (const subject of subjects) {
    const one = await prepareSubject(subject, note)
    if (one !== undefined) prepared.push(one)
  }
  const trials: Trial[] = []
  for (let number = 0; number < count && prepared.length > 0; number++) {
    const place = prepared[number % prepared.length]
    if (place === undefined) continue
    const planted = await plantFault(place, random.split())
    if (planted === undefined) {
      note(`  ${place.subject.name}: no fault that its tests notice`)
      continue
    }
    const timeMs = 1000 * limitSeconds * busyFactor()
    const trial = await tryFault(place, planted.fault, { timeMs, seed })
    trials.push(trial)
    note(`  ${describe(trial)}`)
  }
  return trials
}

const busyFactor = (): number =>
  Math.min(busyFactorMax, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()))

/** By the clock, or, on a busy machine, by what it had of the processors. */
const secondsOf = ({ seconds, cpuSeconds }: Trial): number =>
  cpuSeconds > 0 ? Math.min(seconds, cpuSeconds) : seconds

function describe(trial: Trial): string {
  const { subject, fault, outcome, candidates, seconds, cpuSeconds, heldBackFailures } = trial
  const { edit, line, losesInformation } = fault
  const where = `${subject.name} ${edit.file}:${line} ${edit.operator}${losesInformation ? ' (loses)' : ''}`
  const held = heldBackFailures > 0 ? `, ${heldBackFailures} failed what was held back` : ''
  return `${outcome.padEnd(9)} ${where}: ${candidates} edits, ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processors)${held}`
}

function resultsOf(trials: readonly Trial[], packages: number): readonly Result[] {
  const isMended = (trial: Trial): boolean =>
    trial.outcome !== 'not-found' && secondsOf(trial) <= limitSeconds
  const keeping = trials.filter(({ fault }) => !fault.losesInformation)
  const mended = trials.filter(isMended)
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole)
  const keptMended = keeping.filter(isMended).length
  const losing = trials.length - keeping.length
  const identical = mended.filter(({ outcome }) => outcome === 'identical').length
  const held = trials.reduce((sum, one) => sum + one.heldBackFailures, 0)
  const rejected = trials.filter(({ heldBackFailures }) => heldBackFailures > 0).length
  return [
    atLeast('agents.repair-faults', trials.length, faultsMax, 'faults', `${packages} packages`),
    atLeast('agents.repair-packages', packages, 5, 'packages'),
    atLeast(
      'agents.repair-mended',
      share(mended.length, trials.length),
      65,
      '%',
      `${mended.length} of ${trials.length}; ${identical} as they were, ${mended.length - identical} otherwise`,
    ),
    atLeast(
      'agents.repair-mended-keeping',
      share(keptMended, keeping.length),
      90,
      '%',
      `${keptMended} of ${keeping.length} that lose no information; ${mended.length - keptMended} of ${losing} that do`,
    ),
    atMost(
      'agents.repair-time',
      median(mended.map(secondsOf)),
      60,
      's',
      `median of those mended; ${median(mended.map(({ candidates }) => candidates))} edits`,
    ),
    atLeast(
      'agents.repair-held-back',
      held,
      0,
      'edits',
      `failed what was held back and were taken no further, in ${rejected} of ${trials.length} searches`,
    ),
  ]
}
