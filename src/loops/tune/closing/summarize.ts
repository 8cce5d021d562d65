/** The closing of a loop: what it delegates, discovered, warns of and leaves, and what to do next. Pure. */

import { failingNow } from '../compose/search-composer.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { doneTags } from '../report/request.ts'
import type { Ended } from '../tune-state.ts'
import { type Checkpoint, checkPlan, validateArtifacts } from './validate-artifacts.ts'

export interface Closing {
  readonly checkpoints: readonly Checkpoint[]
  /** What was learned that documents of the project could say. */
  readonly directives: readonly string[]
  readonly delegations: readonly string[]
  readonly discoveries: readonly string[]
  readonly alerts: readonly string[]
  readonly leftover: readonly string[]
  readonly tags: readonly string[]
  /** One to three lines, and three to five words to find it by. */
  readonly description: string
  readonly keywords: readonly string[]
  /** The three that fit best. */
  readonly next: readonly NextCommand[]
}

export interface NextCommand {
  readonly command: string
  readonly why: string
}

const listMax = 50

export function summarize(
  ended: Ended,
  log: readonly LogEntry[],
  { run, delegated }: { readonly run: string; readonly delegated: readonly string[] },
): Closing {
  const { workload, exit, trail } = ended
  const { manifest } = workload
  const isImproved = ended.proof?.type === 'claim' && ended.proof.verdict === 'improved'
  return {
    checkpoints: [...validateArtifacts(ended), ...checkPlan(ended)],
    directives: directivesOf(ended),
    delegations: delegated.map((id) => `${id}: handed over with LOOP_REQUEST.md, #needs-loop`),
    discoveries: discoveriesOf(ended, log),
    alerts: alertsOf(ended, log),
    leftover: leftoverOf(ended).slice(0, listMax),
    tags: isImproved ? doneTags(manifest.tags) : manifest.tags,
    description: `${manifest.workloadId}: ${trail.length} iterations, ended by ${exit}; ${isImproved ? 'improved' : 'no proven improvement'}.`,
    keywords: [
      ...new Set([
        'tune',
        manifest.workloadId,
        ended.mode,
        exit,
        isImproved ? 'improved' : 'unproven',
      ]),
    ].slice(0, 5),
    next: nextCommands(ended, run, isImproved).slice(0, 3),
  }
}

const directivesOf = ({ trail, documents }: Ended): readonly string[] => [
  ...documents.map(({ path }) => `${path} was read as context.`),
  ...trail
    .filter(({ hypothesis }) => hypothesis.outcome === 'rejected')
    .slice(0, listMax)
    .map(
      ({ hypothesis }) =>
        `For PITFALLS.md: this was tried and did not help: ${hypothesis.statement}`,
    ),
]

function discoveriesOf({ baseline }: Ended, log: readonly LogEntry[]): readonly string[] {
  const flaky = baseline.noise?.flaky ?? []
  return [
    ...(flaky.length === 0
      ? []
      : [`${flaky.length} cases vary by themselves: ${flaky.slice(0, 10).join(', ')}`]),
    ...log.flatMap((entry) => (entry.type === 'parking-lot' ? [entry.text] : [])),
  ].slice(0, listMax)
}

function alertsOf(
  { regressions, holdout, applied }: Ended,
  log: readonly LogEntry[],
): readonly string[] {
  const unscored = new Set(
    log.flatMap((entry) => (entry.type === 'experiment' ? entry.infrastructure : [])),
  )
  return [
    ...regressions.broken.map((id) => `${id} is broken by what was kept.`),
    ...regressions.suspect.map((id) => `${id} may be worse; reruns did not decide it.`),
    ...(holdout.type === 'claim' && holdout.verdict === 'regressed'
      ? ['The sealed cases got worse: the change does not generalise.']
      : []),
    ...(applied === 'refused' ? ['The change of the files was not allowed.'] : []),
    ...log.flatMap((entry) => (entry.type === 'block' ? [entry.text] : [])),
    ...unscored,
  ].slice(0, listMax)
}

function leftoverOf(ended: Ended): readonly string[] {
  const { plan, trail, candidates } = ended
  const texts = new Map(ended.incumbent.critiques.map(({ id, text }) => [id, text]))
  const sections = new Set(
    trail.flatMap(({ measured }) =>
      (measured?.options ?? []).flatMap(({ option }) => option.edits.map(({ section }) => section)),
    ),
  )
  return [
    ...failingNow(ended).map((id) => `${id} still fails: ${texts.get(id) || 'no reason given'}`),
    ...(plan?.experiments ?? [])
      .filter(({ section }) => section !== 'all of it' && !sections.has(section))
      .map(({ section, file }) => `The experiment with ${section} of ${file} was not measured.`),
    ...candidates.map(({ option }) => `The edit ${option.id} was not measured.`),
  ]
}

function nextCommands(ended: Ended, run: string, isImproved: boolean): readonly NextCommand[] {
  const { exit, workload, applied } = ended
  const failing = failingNow(ended)
  const [first = ''] = failing
  return [
    ...(isImproved && applied === 'nothing'
      ? [
          {
            command: `loopctl tune --manifest ${workload.manifestPath} --apply proven`,
            why: 'apply what is proven',
          },
        ]
      : []),
    ...(failing.length > 0 && exit !== 'no-options-left'
      ? [{ command: `loopctl tune --continue ${run}`, why: 'go on after the last iteration' }]
      : []),
    ...(failing.length > 0
      ? [{ command: `loopctl tune --case ${first}`, why: 'look at one failing case alone' }]
      : []),
    ...(isImproved
      ? []
      : [
          {
            command: `loopctl tune --manifest ${workload.manifestPath} --mode exploration`,
            why: 'try bolder changes',
          },
        ]),
    { command: `loopctl tune show ${run}`, why: 'see everything that it found' },
    { command: `loopctl diff ${run}`, why: 'see what changed' },
    { command: `loopctl tune log ${run}`, why: 'read the log' },
  ]
}
