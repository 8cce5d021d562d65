/**
 * `LOOP_REQUEST.md` hands a tuning job over, `LOOP_RESPONSE.md` hands it back: forms with a value for each field. Pure.
 *
 *   # Loop request
 *
 *   - Manifest: evals/loop.manifest.json
 *   - Goal: 90 % of the invoices are read completely
 *   - Tags: #needs-loop
 */

import type { Ended } from '../tune-state.ts'
import { describeHoldout } from './describe-holdout.ts'
import { tally } from './numbers.ts'
import { oneLine } from './one-line.ts'
import { describeProof } from './write-debrief.ts'

export interface LoopRequest {
  readonly id: string
  readonly from: string
  readonly manifest?: string
  readonly goal: string
  readonly tags: readonly string[]
}

/** A text: what is wrong with it. */
export function parseRequest(text: string): LoopRequest | string {
  const lines = text.split(/\r?\n/)
  if (lines[0]?.trim().toLowerCase() !== '# loop request')
    return 'it does not start with "# Loop request"'
  const field = (name: string): string =>
    lines
      .find((line) => line.toLowerCase().startsWith(`- ${name}:`))
      ?.slice(name.length + 3)
      .trim()
      .slice(0, 2000) ?? ''
  const goal = field('goal')
  if (goal === '') return 'it has no line "- Goal: <what should be better>"'
  const manifest = field('manifest')
  return {
    id: field('request') || 'unnamed',
    from: field('from') || 'unknown',
    goal,
    tags: field('tags').match(/#[a-z][a-z0-9-]{0,63}/g) ?? [],
    ...(manifest === '' ? {} : { manifest }),
  }
}

/** Hands cases that still fail over to another loop. */
export const writeRequest = (ended: Ended, run: string, cases: readonly string[]): string => {
  const texts = new Map(ended.incumbent.critiques.map(({ id, text }) => [id, text]))
  return [
    '# Loop request',
    [
      `- Request: ${oneLine(run)}-leftover`,
      `- From: ${oneLine(run)}`,
      `- Manifest: ${oneLine(ended.workload.manifestPath)}`,
      `- Goal: ${cases.length} cases that still fail should pass, without a regression`,
      '- Tags: #needs-loop',
    ].join('\n'),
    '## Cases',
    cases.map((id) => `- ${oneLine(id)}: ${oneLine(texts.get(id) ?? '')}`).join('\n'),
    '',
  ].join('\n\n')
}

/** What became of it. The tag says that it is done. */
export function writeResponse(request: LoopRequest, ended: Ended): string {
  const { workload, incumbent, trail, exit, applied } = ended
  const passing = { passing: incumbent.passing.length, of: workload.split.suite.length }
  const files = {
    applied: 'changed',
    refused: 'not changed, because it was not allowed',
    nothing: 'not changed',
  }
  return [
    '# Loop response',
    [
      `- Request: ${oneLine(request.id)}`,
      `- From: ${oneLine(request.from)}`,
      `- Goal: ${oneLine(request.goal)}`,
      `- Manifest: ${oneLine(workload.manifestPath)}`,
      `- Result: ${oneLine(describeProof(ended.proof))}`,
      `- Holdout: ${oneLine(describeHoldout(ended.holdout))}`,
      `- Passing: ${tally(passing)}`,
      `- Iterations: ${trail.length}, ended: ${exit}`,
      `- Files: ${files[applied]}`,
      `- Tags: ${doneTags(request.tags).join(' ')}`,
    ].join('\n'),
    'See `LOOP.md` for what was tried and learned.',
    '',
  ].join('\n\n')
}

/** `#needs-loop` becomes `#done-loop`, as do the tags in between. */
export const doneTags = (tags: readonly string[]): readonly string[] => {
  const open = new Set(['#needs-loop', '#delegated-loop', '#claimed-loop', '#next-loop'])
  return [...new Set(['#done-loop', ...tags.filter((tag) => !open.has(tag))])]
}
