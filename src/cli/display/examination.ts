/** The findings of `loopctl doctor`, with fixes, as text that fits a terminal. */

import type { Examination } from '../../host/doctor.ts'
import { plural } from './amounts.ts'
import { type Finding, type Mark, renderSection, type SectionOptions } from './findings.ts'

export interface ExaminationOptions extends SectionOptions {
  /** Shows each probe, including those that passed. */
  readonly probes: boolean
}

export function renderExamination(found: Examination, options: ExaminationOptions): string {
  const sections: readonly (readonly [string, readonly Finding[]])[] = [
    [
      'sandbox',
      [
        ...sandboxFindings(found.sandbox, options.probes),
        dependenciesFinding(found),
        observationFinding(found),
      ],
    ],
    ['programs', programFindings(found.programs)],
    ['keys', keyFindings(found.keys)],
    ['state', recordFindings(found.record)],
  ]
  return sections.map(([head, findings]) => renderSection(head, findings, options)).join('\n\n')
}

const limitWords = {
  cgroup: 'cgroups enforce limits, for all processes of a command together',
  rlimit: 'rlimits enforce limits, for each process separately',
  none: 'no limits on memory and processes',
} as const

const tierWords = {
  strong: 'tier strong: runs can be unattended',
  basic: 'tier basic: only attended runs',
  none: 'tier none: only attended runs, without a sandbox',
} as const

function sandboxFindings(report: Examination['sandbox'], all: boolean): Finding[] {
  const { tier, reason, fix, limits, probes, durationMs } = report
  const isStrong = tier === 'strong'
  return [
    {
      mark: isStrong ? 'good' : 'warning',
      text: tierWords[tier],
      more: [reason, ...(fix === undefined ? [] : [fix])],
    },
    ...(tier === 'none'
      ? []
      : [{ mark: limits === 'none' ? 'warning' : 'good', text: limitWords[limits] } as const]),
    ...probeFindings(probes, all, durationMs),
  ]
}

const dependencyWords = {
  overlay: 'dependencies: overlay; what checks write is discarded',
  scratch: 'dependencies: read-only; checks can write to cache folders only',
  copy: 'dependencies: copied for each certification',
} as const

function dependenciesFinding({ dependencies }: Examination): Finding {
  const { mode, reason, fix } = dependencies
  return {
    mark: mode === 'overlay' ? 'good' : 'warning',
    text: dependencyWords[mode],
    more: mode === 'overlay' ? [] : [reason, ...(fix === undefined ? [] : [fix])],
  }
}

function observationFinding({ observes }: Examination): Finding {
  const { reads, writes, reason, fix } = observes
  const seen = [...(reads === 'none' ? [] : ['reads']), ...(writes === 'none' ? [] : ['writes'])]
  return {
    mark: seen.length === 2 ? 'good' : 'warning',
    text: `files of checks: ${seen.length === 0 ? 'not' : seen.join(' and ')} observed`,
    more: seen.length === 2 ? [] : [reason, ...(fix === undefined ? [] : [fix])],
  }
}

function probeFindings(
  probes: Examination['sandbox']['probes'],
  all: boolean,
  durationMs: number,
): Finding[] {
  if (probes.length === 0) return []
  const held = probes.filter(({ expect, found }) => found === expect).length
  const notTried = probes.filter(({ found }) => found === 'not-tried').length
  const also = notTried === 0 ? '' : `, ${notTried} not tried`
  const shown = probes.filter(({ expect, found }) => all || found !== expect)
  const count = held === probes.length ? `all ${held}` : `${held} of ${probes.length}`
  return [
    {
      mark: held + notTried === probes.length ? 'good' : 'bad',
      text: `${count} probes passed${also}; the self-test took ${durationMs} ms`,
    },
    ...shown.map(
      ({ name, expect, found }): Finding =>
        found === 'not-tried'
          ? { mark: 'none', text: `${name}: not tried` }
          : { mark: found === expect ? 'good' : 'bad', text: `${name}: ${found}` },
    ),
  ]
}

/** Programs in the home folder; those of the system are always available. */
function programFindings({ shown, leftOut }: Examination['programs']): Finding[] {
  return [
    {
      mark: 'good',
      text:
        shown.length === 0
          ? 'none in your home; commands see those of the system'
          : `commands see ${plural(shown.length, 'folder')} of your home, read-only`,
      more: shown,
    },
    ...leftOut.map(({ path, why }): Finding => ({ mark: 'none', text: `${path}: ${why}` })),
  ]
}

function keyFindings({ file, fileState, problem, providers }: Examination['keys']): Finding[] {
  const names = [...providers.map(({ provider }) => provider), 'key file']
  const nameWidth = Math.max(...names.map((name) => name.length))
  const row = (name: string, text: string): string => `${name.padEnd(nameWidth)}  ${text}`
  const fileWords = {
    absent: `${file}: does not exist`,
    usable: `${file}: only you can read it`,
    refused: problem ?? '',
  }
  return [
    ...providers.map((found): Finding => {
      const { provider, key, variable, baseUrl } = found
      const where = {
        environment: `set (${variable})`,
        file: 'in the key file',
        none: `not set (${variable})`,
      }
      return {
        mark: providerMark(found),
        text: row(provider, where[key]),
        more: [
          ...(baseUrl === undefined
            ? []
            : [`requests go to ${baseUrl}, not to its public address`]),
          ...(found.problem === undefined ? [] : [found.problem]),
        ],
      }
    }),
    { mark: fileMarks[fileState], text: row('key file', fileWords[fileState]) },
  ]
}

const fileMarks = { absent: 'none', usable: 'good', refused: 'bad' } as const

/** Another address is marked as a warning: prompts and the key are sent there. */
function providerMark({ key, baseUrl, problem }: Examination['keys']['providers'][number]): Mark {
  if (problem !== undefined) return 'bad'
  if (baseUrl !== undefined) return 'warning'
  return key === 'none' ? 'none' : 'good'
}

function recordFindings({ folder, exists, problems }: Examination['record']): Finding[] {
  if (!exists) return [{ mark: 'none', text: `state folder ${folder}: no runs yet` }]
  if (problems.length === 0) return [{ mark: 'good', text: `state folder ${folder}: intact` }]
  return [
    { mark: 'bad', text: `state folder ${folder}: ${plural(problems.length, 'problem')}` },
    ...problems.map((text): Finding => ({ mark: 'bad', text })),
  ]
}
