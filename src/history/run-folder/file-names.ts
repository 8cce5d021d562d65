/** The names of the files of a run, in the legacy format. */

import { defaultRoles, parseStepId, type RoleAppearances, type StepId } from '../../loop/index.ts'
import type { ArtifactKind } from './options.ts'

export const promptSnapshot = 'prompt.txt'
export const summaryFile = 'summary.json'
export const reviewDiffFile = 'review-diff.json'
export const analysisFolder = 'analysis'

const padded = (iteration: number): string => String(iteration).padStart(2, '0')

export const iterationFile = (iteration: number, rest: string): string =>
  `iter-${padded(iteration)}-${rest}`
export const roundReportFile = (iteration: number): string => iterationFile(iteration, 'report.md')
export const promptFile = (iteration: number): string => iterationFile(iteration, 'prompt.txt')
export const reviewPromptFile = (iteration: number): string =>
  iterationFile(iteration, 'review-prompt.txt')
/** A prompt that the watchdog changed. */
export const rewriteFile = (number: number): string => `prompt.rewrite.${number}.txt`
export const tailFile = (iteration: number): string => `iter-${padded(iteration)}.tail.txt`

/** Files of experiment mode. */
export const experimentLog = 'experiment-log.md'
export const metricsFile = (iteration: number): string => `metrics/iter-${padded(iteration)}.json`
export const summaryOfMetrics = (iteration: number): string =>
  `summaries/iter-${padded(iteration)}.md`

/** The log of an agent, named after the label of its role, such as `impl` for the maker. */
export const agentLogFile = (iteration: number, step: StepId, roles?: RoleAppearances): string =>
  iterationFile(iteration, `${agentLabel(step, roles)}.log`)

/** Its todo list. */
export const todoFile = (iteration: number, step: StepId, roles?: RoleAppearances): string =>
  iterationFile(iteration, `${agentLabel(step, roles)}.todo.txt`)

function agentLabel(step: StepId, roles: RoleAppearances = defaultRoles): string {
  const { name: role } = parseStepId(step)
  const label = roles[role]?.label ?? role
  const plain = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
  return plain === '' ? 'agent' : plain
}

export function kindOf(path: string): ArtifactKind {
  if (path.startsWith(`${analysisFolder}/`)) return 'postmortem'
  if (path === 'report.tsv' || path.endsWith('report.md')) return 'report'
  if (path === summaryFile) return 'summary'
  if (path === reviewDiffFile) return 'diff'
  if (path === 'run.log') return 'log'
  if (/prompt(?:\.rewrite\.\d+)?\.txt$/.test(path)) return 'prompt'
  if (path.endsWith('.tail.txt')) return 'tail'
  return /^iter-\d+-.*\.log$/.test(path) ? 'output' : 'other'
}
